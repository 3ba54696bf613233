import type { RateHost } from '../../engine/contract/rate-control.js';
import type { HpccSpec } from './spec.js';
import { unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { TabledRates } from '../../engine/pacing/tabled-rates.js';
import { blankTelemetry, decodeTelemetry } from '../../engine/wire/telemetry.js';
import * as invariants from './invariants.js';
import {
  CUTS,
  HPCC_WORDS,
  initialise,
  LEAST,
  LINE,
  onTelemetry,
  RATE,
  SIGNALS,
  WINDOW,
} from './machine.js';

const WORDS = {
  // Telemetry counts modulo, by clocks and octets of the links of a path.
  fields: field('hpcc', unknown(0), HPCC_WORDS),
  rate: RATE,
  target: RATE,
  line: LINE,
  least: LEAST,
  notifications: SIGNALS,
  cuts: CUTS,
} as const;

const telemetry = blankTelemetry();

/** HPCC: a sender computes its window from the telemetry of every link on the path. */
export class Hpcc extends TabledRates<HpccSpec> {
  protected override readonly invariants = invariants;

  constructor(tables: Tables, host: RateHost) {
    super(tables, host, WORDS);
  }

  protected initialise(s: number, lineBps: number, spec: HpccSpec): void {
    initialise(this.table, s, lineBps, spec);
  }

  override configure(row: number, spec: HpccSpec, lineBps: number): void {
    super.configure(row, spec, lineBps);
    this.limit(row);
  }

  override observed(row: number, expected: number, octets: Uint8Array): void {
    if (decodeTelemetry(octets, telemetry) !== 'ok') return;
    const next = this.host.nextPacket(row);
    onTelemetry(this.table, this.at(row), this.specs[row], telemetry, expected, next);
    this.limit(row);
    this.announce(row);
  }

  private limit(row: number): void {
    const packets = Math.ceil(this.table[this.at(row) + WINDOW] / this.specs[row].packetOctets);
    this.host.setWindow(row, Math.max(1, packets));
  }
}
