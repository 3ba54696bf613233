import type { Hops } from '../../engine/analysis/trace/hop-log.js';
import {
  ARRIVED,
  BORN,
  DEVICE,
  SAMPLE,
  HOP_TIMES,
  HOP_WORDS,
  INGRESS,
  isSameFrame,
} from '../../engine/analysis/trace/hop-log.js';

const NONE = -1;

/** The hops of all devices. Those of one frame are found by its pseudo-random number. */
export class HopList {
  /** Where journeys start, in the order in which payload was ready. */
  readonly starts: readonly number[];
  /** Records, hop by hop: see `HopLog`. */
  readonly words: Int32Array;
  readonly times: Float64Array;
  /** By the low bits of that number the first hop, and by hop the next one with the same. */
  private readonly first: Int32Array;
  private readonly next: Int32Array;
  private readonly isTaken: Uint8Array;

  constructor({ count, words, times }: Hops) {
    this.words = words;
    this.times = times;
    this.first = new Int32Array(2 ** Math.ceil(Math.log2(count + 1))).fill(NONE);
    this.next = new Int32Array(count);
    this.isTaken = new Uint8Array(count);
    this.starts = this.chain(count).sort((a, b) => this.order(a, b));
  }

  /**
   * The hop of the same frame that was the first to arrive at a port, after a time and no later
   * than another, and those that arrived together with it; each is found once.
   */
  take(like: number, device: number, port: number, afterPs: number, untilPs: number): number[] {
    const { words, next, isTaken } = this;
    const at = like * HOP_WORDS;
    let latestPs = untilPs;
    const found: number[] = [];
    for (let hop = this.firstLike(like); hop >= 0; hop = next[hop]!) {
      const there = hop * HOP_WORDS;
      if (words[there + DEVICE] !== device || words[there + INGRESS] !== port) continue;
      const arrivedPs = this.times[hop * HOP_TIMES + ARRIVED]!;
      if (arrivedPs <= afterPs || arrivedPs > latestPs || isTaken[hop] !== 0) continue;
      if (!isSameFrame(words, there, at)) continue;
      // Those of a device are in the order of their times.
      latestPs = arrivedPs;
      isTaken[hop] = 1;
      found.push(hop);
    }
    return found;
  }

  /** When the payload of a journey was ready. */
  bornPs(start: number): number {
    return this.times[start * HOP_TIMES + BORN]!;
  }

  /** All may be found once more. */
  giveBack(): void {
    this.isTaken.fill(0);
  }

  /** How many journeys of the frame have started before. */
  attempt(start: number): number {
    const { words, next } = this;
    const at = start * HOP_WORDS;
    let count = 0;
    for (let hop = this.firstLike(start); hop < start; hop = next[hop]!) {
      const there = hop * HOP_WORDS;
      if (words[there + INGRESS]! < 0 && isSameFrame(words, there, at)) count++;
    }
    return count;
  }

  /** Finds the starts, and links hops with the same number, from the last hop to the first. */
  private chain(count: number): number[] {
    const { words, first, next } = this;
    const mask = first.length - 1;
    const starts: number[] = [];
    for (let hop = count - 1, at = hop * HOP_WORDS; hop >= 0; hop--, at -= HOP_WORDS) {
      if (words[at + DEVICE]! < 0) continue;
      const place = words[at + SAMPLE]! & mask;
      next[hop] = first[place]!;
      first[place] = hop;
      if (words[at + INGRESS]! < 0) starts.push(hop);
    }
    return starts;
  }

  /** At one time, by their devices, each of which recorded its own in order. */
  private order(a: number, b: number): number {
    const laterPs = this.bornPs(a) - this.bornPs(b);
    if (laterPs !== 0) return laterPs;
    const { words } = this;
    return words[a * HOP_WORDS + DEVICE]! - words[b * HOP_WORDS + DEVICE]! || a - b;
  }

  private firstLike(hop: number): number {
    return this.first[this.words[hop * HOP_WORDS + SAMPLE]! & (this.first.length - 1)]!;
  }
}
