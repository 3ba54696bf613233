import type { Sampler, Taken } from '../series.js';

/** Numbers that are kept for the samples of a jump, at most. */
const MOST_NUMBERS = 4e6;

/**
 * Samples of periods that are skipped. A sample in one of them reads what it would have read as
 * long after the beginning of the period that is executed, and counters have grown in each between.
 */
export class RepeatedSamples {
  private readonly begin: Taken;
  private readonly most: number;
  private readonly byOffset = new Map<number, Taken>();
  private dues: readonly number[] = [];
  private growth: Float64Array | null = null;

  /** Everything before `beginPs` is executed: the period that begins there is the last of these. */
  constructor(
    private readonly sampler: Sampler,
    private readonly beginPs: number,
    private readonly periodPs: number,
  ) {
    this.begin = sampler.take(beginPs);
    this.most = Math.max(1, Math.floor(MOST_NUMBERS / this.begin.values.length));
  }

  /**
   * Reads what samples of so many periods after this one will; `run` executes everything before a
   * time of this one. Returns how many periods these are, if that is too much to keep.
   */
  take(periods: number, run: (untilPs: number) => void): number {
    const { sampler, beginPs, periodPs, most } = this;
    const endPs = beginPs + periodPs;
    const lastPs = endPs + periods * periodPs;
    const dues = sampler.duesUpTo(Math.min(lastPs, Number.MAX_SAFE_INTEGER), most + 1);
    let fitting = periods;
    if (dues.length > most) fitting = Math.max(0, Math.ceil((dues.pop()! - endPs) / periodPs) - 1);
    this.dues = dues.filter((duePs) => duePs > endPs);
    const offsets = new Set(this.dues.map((duePs) => this.offsetOf(duePs)));
    for (const offset of [...offsets].sort((a, b) => a - b)) {
      run(beginPs + offset);
      this.byOffset.set(offset, sampler.take(beginPs + offset));
    }
    return fitting;
  }

  /** The period is over. */
  close(): void {
    const { values } = this.sampler.take(this.beginPs + this.periodPs);
    this.growth = values.map((value, i) => value - this.begin.values[i]!);
  }

  /** Takes the samples of so many periods that were skipped. */
  repeat(periods: number): void {
    const { beginPs, periodPs } = this;
    const lastPs = beginPs + (1 + periods) * periodPs;
    for (const duePs of this.dues) {
      if (duePs > lastPs) return;
      const taken = this.byOffset.get(this.offsetOf(duePs))!;
      this.sampler.repeat(taken, this.growth!, Math.floor((duePs - beginPs) / periodPs));
    }
  }

  private offsetOf(duePs: number): number {
    return (duePs - this.beginPs) % this.periodPs;
  }
}
