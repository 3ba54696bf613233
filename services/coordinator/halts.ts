/** What a run says while it stands at a halt. */
export const HALTED = 'a fault of the machinery is due';

/**
 * Virtual times at which a run stands still until somebody lets it go on: so that what breaks the
 * machinery there finds it there. Nothing is executed differently for it.
 */
export class Halts {
  constructor(private timesPs: readonly number[]) {}

  isDue(boundPs: number): boolean {
    return this.timesPs.some((atPs) => atPs <= boundPs);
  }

  pass(boundPs: number): void {
    this.timesPs = this.timesPs.filter((atPs) => atPs > boundPs);
  }
}
