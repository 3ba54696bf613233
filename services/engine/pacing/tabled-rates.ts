import type { RateControl, RateHost, RateSpec, RateStatus } from '../contract/rate-control.js';
import type { Fields } from '../kernel/fields.js';
import type { Tables } from '../kernel/tables.js';
import { assert } from '../kernel/assert.js';

/** Length of a record, and the offsets in it of what results show of a rate. */
interface RateWords {
  /** Of the record: a row of another rate control is all zero. */
  readonly fields: Fields;
  readonly rate: number;
  readonly target: number;
  readonly line: number;
  readonly least: number;
  readonly notifications: number;
  readonly cuts: number;
}

/** Invariants of a record, which begins at `s`; by name. */
type RateInvariants<Spec> = Readonly<
  Record<string, (table: Float64Array, s: number, spec: Spec) => boolean>
>;

/**
 * A rate control that keeps a record of doubles per row; it receives the events that it overrides.
 */
export abstract class TabledRates<Spec extends RateSpec> implements RateControl {
  readonly timesPackets: boolean = false;
  readonly seesAnswers: boolean = false;
  protected readonly table: Float64Array;
  /** By row; rows of other rate controls are empty. */
  protected readonly specs: Spec[] = [];
  protected readonly invariants: RateInvariants<Spec> = {};

  constructor(
    tables: Tables,
    protected readonly host: RateHost,
    private readonly words: RateWords,
  ) {
    this.table = tables.float64('rate', words.fields);
  }

  configure(row: number, spec: Spec, lineBps: number): void {
    assert(lineBps > 0, 'rate.line-rate');
    this.specs[row] = spec;
    this.initialise(this.at(row), lineBps, spec);
    assert(this.table[this.at(row) + this.words.line] === lineBps, 'rate.begins-with-its-line');
  }

  protected abstract initialise(s: number, lineBps: number, spec: Spec): void;

  sent(_row: number, _octets: number): void {}
  notified(_row: number, _feedback: number): void {}
  measured(_row: number, _roundTripPs: number, _endpointPs: number, _packets: number): void {}
  answered(_row: number, _packets: number, _isMarked: boolean): void {}
  observed(_row: number, _expected: number, _telemetry: Uint8Array): void {}
  lost(_row: number, _timedOut: boolean): void {}
  onTimer(_row: number, _timer: number): void {}

  status(row: number): RateStatus {
    const { table, words } = this;
    const s = this.at(row);
    return {
      lineBps: table[s + words.line],
      rateBps: table[s + words.rate],
      targetBps: table[s + words.target],
      leastBps: table[s + words.least],
      notifications: table[s + words.notifications],
      cuts: table[s + words.cuts],
    };
  }

  broken(row: number): string | null {
    const s = this.at(row);
    const spec = this.specs[row];
    const all = Object.entries(this.invariants);
    const broken = all.find(([, holds]) => !holds(this.table, s, spec));
    return broken === undefined ? null : `${spec.kind}: ${broken[0]}`;
  }

  /** Offset of the record of a row. */
  protected at(row: number): number {
    return row * this.words.fields.stride;
  }

  /** Applies the rate of a row's record from now on. */
  protected announce(row: number): void {
    const { table, words, host } = this;
    const s = this.at(row);
    assert(table[s + words.rate] <= table[s + words.line], 'rate.at-most-line-rate');
    assert(table[s + words.rate] >= table[s + words.least], 'rate.least-so-far');
    assert(table[s + words.least] > 0, 'rate.sends-at-all');
    host.setRate(row, table[s + words.rate], table[s + words.line]);
  }
}
