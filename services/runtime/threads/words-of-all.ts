/** What a thread says at a bound. */
interface Word {
  readonly thread: number;
  readonly timePs: number;
}

/** Gathers what all threads say at one bound; some may be ahead of others. */
export class WordsOfAll<Said extends Word> {
  private readonly heard = new Map<number, Map<number, Said>>();

  constructor(private readonly threads: number) {}

  /** In the order of threads, once all have spoken. */
  take(word: Said): Said[] | null {
    const { heard } = this;
    const { thread, timePs } = word;
    const words = heard.get(timePs) ?? new Map<number, Said>();
    heard.set(timePs, words.set(thread, word));
    if (words.size < this.threads) return null;
    for (const other of heard.keys()) if (other <= timePs) heard.delete(other);
    return [...words.values()].sort((a, b) => a.thread - b.thread);
  }
}
