/** Below this, messages cost more than what is executed between them. */
const EVENTS_PER_STEP = 1024;

/**
 * How far a part advances at once. Where there are few events, as far as the bounds of its link
 * partners allow: they then take turns, and every message is good for two lookaheads. Where there
 * are many, no further than one lookahead, so that partitions work at the same time.
 */
export class Pace {
  stepPs = Infinity;

  constructor(private readonly lookaheadPs: number) {}

  /** There are so many events that partitions need not take turns. */
  get isBusy(): boolean {
    return this.stepPs === this.lookaheadPs;
  }

  /** So many events were executed in a span of virtual time. */
  note(spanPs: number, events: number): void {
    this.stepPs = Math.max(this.lookaheadPs, (spanPs * EVENTS_PER_STEP) / events);
  }
}
