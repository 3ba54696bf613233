import type { RateHost } from '../../engine/contract/rate-control.js';
import type { DcqcnSpec } from './spec.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { TabledRates } from '../../engine/pacing/tabled-rates.js';
import * as invariants from './invariants.js';
import {
  ALPHA_AT,
  CUT_AT,
  CUTS,
  DCQCN_FIELDS,
  initialise,
  LEAST,
  LINE,
  notify,
  NOTIFICATIONS,
  onAlphaTimer,
  onCutTimer,
  onRaiseTimer,
  RAISE_AT,
  RATE,
  release,
  spend,
  TARGET,
} from './machine.js';

const ALPHA_TIMER = 0;
const CUT_TIMER = 1;
const RAISE_TIMER = 2;
/** By timer: the word with its due time. */
const DUE_AT = [ALPHA_AT, CUT_AT, RAISE_AT] as const;

const WORDS = {
  fields: DCQCN_FIELDS,
  rate: RATE,
  target: TARGET,
  line: LINE,
  least: LEAST,
  notifications: NOTIFICATIONS,
  cuts: CUTS,
} as const;

/** Reaction points of DCQCN: a sender reduces its rate when its receiver reports marked packets. */
export class DcqcnReaction extends TabledRates<DcqcnSpec> {
  protected override readonly invariants = invariants;

  /** Due times of timers before a transition. */
  private readonly stood = new Float64Array(DUE_AT.length);

  constructor(tables: Tables, host: RateHost) {
    super(tables, host, WORDS);
  }

  protected initialise(s: number, lineBps: number): void {
    initialise(this.table, s, lineBps);
  }

  override notified(row: number): void {
    const s = this.begin(row);
    notify(this.table, s, this.specs[row], this.host.clock.now);
    this.end(row);
  }

  override sent(row: number, octets: number): void {
    if (spend(this.table, this.at(row), this.specs[row], octets)) this.announce(row);
  }

  override onTimer(row: number, timer: number): void {
    const { table, host } = this;
    const { now } = host.clock;
    const due = table[this.at(row) + DUE_AT[timer]];
    if (due !== now) {
      // It was postponed, or is not valid any more.
      if (due !== Infinity) host.arm(row, timer, due);
      return;
    }
    const s = this.begin(row);
    const spec = this.specs[row];
    if (host.isDone(row)) release(table, s);
    else if (timer === ALPHA_TIMER) onAlphaTimer(table, s, spec, now);
    else if (timer === CUT_TIMER) onCutTimer(table, s, spec, now);
    else onRaiseTimer(table, s, spec, now);
    this.end(row);
  }

  private begin(row: number): number {
    const s = this.at(row);
    for (let timer = ALPHA_TIMER; timer <= RAISE_TIMER; timer++) {
      this.stood[timer] = this.table[s + DUE_AT[timer]];
    }
    return s;
  }

  /** Arms timers that were loaded, and applies the new rate. */
  private end(row: number): void {
    const s = this.at(row);
    for (let timer = ALPHA_TIMER; timer <= RAISE_TIMER; timer++) {
      const at = this.table[s + DUE_AT[timer]];
      if (at !== this.stood[timer] && at !== Infinity) this.host.arm(row, timer, at);
    }
    this.announce(row);
  }
}
