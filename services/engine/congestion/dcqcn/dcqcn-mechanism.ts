import type { RateControl, RateHost, RateStatus } from '../../contract/rate-control.js';
import type { DcqcnSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import {
  ALPHA_AT,
  CUT_AT,
  CUTS,
  DCQCN_WORDS,
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
} from './dcqcn-machine.js';

const ALPHA_TIMER = 0;
const CUT_TIMER = 1;
const RAISE_TIMER = 2;
/** By timer: the word that says when it is due. */
const DUE_AT = [ALPHA_AT, CUT_AT, RAISE_AT] as const;

/** Reaction points of DCQCN: a sender slows down when its receiver tells it of marked packets. */
export class DcqcnReaction implements RateControl {
  private readonly table: Float64Array;
  /** By row; rows of other rate controls are empty. */
  private readonly specs: DcqcnSpec[] = [];
  /** What timers stood at before a transition. */
  private readonly stood = new Float64Array(DUE_AT.length);

  constructor(
    tables: Tables,
    private readonly host: RateHost,
  ) {
    this.table = tables.float64('rate', DCQCN_WORDS);
  }

  configure(row: number, spec: DcqcnSpec, lineBps: number): void {
    this.specs[row] = spec;
    initialise(this.table, row * DCQCN_WORDS, lineBps);
  }

  notified(row: number): void {
    const s = this.begin(row);
    notify(this.table, s, this.specs[row], this.host.clock.now);
    this.end(row);
  }

  sent(row: number, octets: number): void {
    if (spend(this.table, row * DCQCN_WORDS, this.specs[row], octets)) this.announce(row);
  }

  onTimer(row: number, timer: number): void {
    const { table, host } = this;
    const { now } = host.clock;
    const due = table[row * DCQCN_WORDS + DUE_AT[timer]];
    if (due !== now) {
      // It was put off, or it does not stand any more.
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

  measured(): void {
    // How long packets take is no sign of congestion here.
  }

  status(row: number): RateStatus {
    const { table } = this;
    const s = row * DCQCN_WORDS;
    return {
      lineBps: table[s + LINE],
      rateBps: table[s + RATE],
      targetBps: table[s + TARGET],
      leastBps: table[s + LEAST],
      notifications: table[s + NOTIFICATIONS],
      cuts: table[s + CUTS],
    };
  }

  private begin(row: number): number {
    const s = row * DCQCN_WORDS;
    for (let timer = ALPHA_TIMER; timer <= RAISE_TIMER; timer++) {
      this.stood[timer] = this.table[s + DUE_AT[timer]];
    }
    return s;
  }

  /** Arms what was loaded anew, and lets the new rate hold. */
  private end(row: number): void {
    const s = row * DCQCN_WORDS;
    for (let timer = ALPHA_TIMER; timer <= RAISE_TIMER; timer++) {
      const at = this.table[s + DUE_AT[timer]];
      if (at !== this.stood[timer] && at !== Infinity) this.host.arm(row, timer, at);
    }
    this.announce(row);
  }

  private announce(row: number): void {
    const s = row * DCQCN_WORDS;
    this.host.setRate(row, this.table[s + RATE], this.table[s + LINE]);
  }
}
