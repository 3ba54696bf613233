/** Below this, messages cost more than what is executed between them. */
const EVENTS_PER_STEP = 1024;

/**
 * How far a part goes at once. Where there is little to do, as far as its neighbours' promises
 * allow: they then take turns, and every message buys two lookaheads. Where there is much, no
 * further than one lookahead, so that neighbours work at the same time.
 */
export class Pace {
  stepPs = Infinity;

  constructor(private readonly lookaheadPs: number) {}

  /** There is so much to do that neighbours need not take turns. */
  get isBusy(): boolean {
    return this.stepPs === this.lookaheadPs;
  }

  /** So many events were executed in a span of virtual time. */
  note(spanPs: number, events: number): void {
    this.stepPs = Math.max(this.lookaheadPs, (spanPs * EVENTS_PER_STEP) / events);
  }
}
