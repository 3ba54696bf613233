import type { RateControl, RateHost, RateStatus } from '../../contract/rate-control.js';
import type { TimelySpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import {
  CUTS,
  initialise,
  LEAST,
  LINE,
  MEASURED,
  onRoundTrip,
  RATE,
  TIMELY_WORDS,
} from './timely-machine.js';

/** TIMELY: a sender slows down when its round trips grow. Nobody tells it anything. */
export class Timely implements RateControl {
  private readonly table: Float64Array;
  /** By row; rows of other rate controls are empty. */
  private readonly specs: TimelySpec[] = [];

  constructor(
    tables: Tables,
    private readonly host: RateHost,
  ) {
    this.table = tables.float64('rate', TIMELY_WORDS);
  }

  configure(row: number, spec: TimelySpec, lineBps: number): void {
    this.specs[row] = spec;
    initialise(this.table, row * TIMELY_WORDS, lineBps);
  }

  measured(row: number, roundTripPs: number): void {
    const s = row * TIMELY_WORDS;
    onRoundTrip(this.table, s, this.specs[row], roundTripPs);
    this.host.setRate(row, this.table[s + RATE], this.table[s + LINE]);
  }

  status(row: number): RateStatus {
    const { table } = this;
    const s = row * TIMELY_WORDS;
    return {
      lineBps: table[s + LINE],
      rateBps: table[s + RATE],
      targetBps: table[s + RATE],
      leastBps: table[s + LEAST],
      notifications: table[s + MEASURED],
      cuts: table[s + CUTS],
    };
  }

  sent(): void {
    // Only what comes back counts.
  }

  notified(): void {
    // A notification is not for it: the sender judges by itself.
  }

  onTimer(): void {
    // None is ever armed.
  }
}
