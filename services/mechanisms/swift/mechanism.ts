import type { RateHost } from '../../engine/contract/rate-control.js';
import type { SwiftSpec } from './spec.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { TabledRates } from '../../engine/pacing/tabled-rates.js';
import * as invariants from './invariants.js';
import {
  CUTS,
  initialise,
  LEAST,
  LINE,
  MEASURED,
  onLoss,
  onRoundTrip,
  RATE,
  SWIFT_FIELDS,
  windowOf,
} from './machine.js';

const WORDS = {
  fields: SWIFT_FIELDS,
  rate: RATE,
  target: RATE,
  line: LINE,
  least: LEAST,
  notifications: MEASURED,
  cuts: CUTS,
} as const;

/**
 * Swift: a sender keeps its round trips at a target; by windows far below a packet, if necessary.
 */
export class Swift extends TabledRates<SwiftSpec> {
  protected override readonly invariants = invariants;

  override readonly timesPackets = true;

  constructor(tables: Tables, host: RateHost) {
    super(tables, host, WORDS);
  }

  protected initialise(s: number, lineBps: number, spec: SwiftSpec): void {
    initialise(this.table, s, lineBps, spec);
  }

  override configure(row: number, spec: SwiftSpec, lineBps: number): void {
    super.configure(row, spec, lineBps);
    this.limit(row);
  }

  override measured(row: number, roundTripPs: number, endpointPs: number, packets: number): void {
    const { now } = this.host.clock;
    const s = this.at(row);
    onRoundTrip(this.table, s, this.specs[row], roundTripPs, endpointPs, packets, now);
    this.limit(row);
  }

  override lost(row: number, timedOut: boolean): void {
    onLoss(this.table, this.at(row), this.specs[row], timedOut, this.host.clock.now);
    this.limit(row);
  }

  /** Whole packets are sent as acknowledgements arrive; below one, they are paced. */
  private limit(row: number): void {
    const { table, host } = this;
    const s = this.at(row);
    const window = windowOf(table, s);
    host.setWindow(row, Math.max(1, Math.floor(window)));
    host.setRate(row, window < 1 ? table[s + RATE] : table[s + LINE], table[s + LINE]);
  }
}
