import type { RateHost } from '../../engine/contract/rate-control.js';
import type { TimelySpec } from './spec.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { TabledRates } from '../../engine/pacing/tabled-rates.js';
import * as invariants from './invariants.js';
import {
  CUTS,
  initialise,
  LEAST,
  LINE,
  MEASURED,
  onRoundTrip,
  RATE,
  TIMELY_FIELDS,
} from './machine.js';

const WORDS = {
  fields: TIMELY_FIELDS,
  rate: RATE,
  target: RATE,
  line: LINE,
  least: LEAST,
  notifications: MEASURED,
  cuts: CUTS,
} as const;

/** TIMELY: a sender reduces its rate when its round trips grow; it receives no notifications. */
export class Timely extends TabledRates<TimelySpec> {
  protected override readonly invariants = invariants;

  override readonly timesPackets = true;

  constructor(tables: Tables, host: RateHost) {
    super(tables, host, WORDS);
  }

  protected initialise(s: number, lineBps: number): void {
    initialise(this.table, s, lineBps);
  }

  override measured(row: number, roundTripPs: number): void {
    onRoundTrip(this.table, this.at(row), this.specs[row], roundTripPs);
    this.announce(row);
  }
}
