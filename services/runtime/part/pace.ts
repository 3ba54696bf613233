/** What a part executes before it tells its neighbours: about as long as a message is under way. */
const EVENTS_PER_STEP = 1024;
/** A lookahead is cut into no more steps than this, or messages would cost more than they save. */
const STEPS_PER_LOOKAHEAD = 2;

/**
 * How far a part goes at once. Where there is little to do, as far as its neighbours' promises
 * allow: they then take turns, and every message buys two lookaheads. Where there is much, in
 * short steps: neighbours work at the same time, and messages are under way while they do.
 */
export class Pace {
  stepPs = Infinity;

  constructor(private readonly lookaheadPs: number) {}

  /** So many events were executed in a span of virtual time. */
  note(spanPs: number, events: number): void {
    const leastPs = this.lookaheadPs / STEPS_PER_LOOKAHEAD;
    this.stepPs = Math.max(leastPs, (spanPs * EVENTS_PER_STEP) / events);
  }
}
