/** Wall-clock time over which virtual time is counted. */
const SPAN_MS = 5_000;

/** How fast virtual time passes. */
export class Throughput {
  private readonly seen: { readonly atMs: number; readonly virtualPs: number }[] = [];

  note(virtualPs: number, atMs: number): void {
    const { seen } = this;
    // A run that returned to a checkpoint begins anew.
    if (virtualPs < (seen.at(-1)?.virtualPs ?? 0)) seen.length = 0;
    seen.push({ atMs, virtualPs });
    while (seen.length > 2 && atMs - seen[0]!.atMs > SPAN_MS) seen.shift();
  }

  /** Virtual time in a second of wall-clock time; 0 before there is enough to divide. */
  get psPerSecond(): number {
    const [first, last] = [this.seen[0], this.seen.at(-1)];
    if (first === undefined || last === undefined || last.atMs === first.atMs) return 0;
    return ((last.virtualPs - first.virtualPs) * 1000) / (last.atMs - first.atMs);
  }
}
