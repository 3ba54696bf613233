import type { RateHost } from '../../engine/contract/rate-control.js';
import { unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { TabledRates } from '../../engine/pacing/tabled-rates.js';
import * as invariants from './invariants.js';
import {
  initialiseReaction,
  LEAST,
  LINE,
  NOTIFICATIONS,
  onBytes,
  onMessage,
  onTimer,
  RATE,
  REACTION_WORDS,
  release,
  spend,
  TARGET,
  TIMER_AT,
} from './machine.js';
import type { QcnReactionSpec } from './spec.js';

const TIMER = 0;

const WORDS = {
  fields: field('qcn', unknown(0), REACTION_WORDS),
  rate: RATE,
  target: TARGET,
  line: LINE,
  least: LEAST,
  notifications: NOTIFICATIONS,
  cuts: NOTIFICATIONS,
} as const;

/** Reaction points of QCN: a sender reduces its rate when a queue on the path sends a CNM. */
export class QcnReaction extends TabledRates<QcnReactionSpec> {
  protected override readonly invariants = invariants;

  constructor(tables: Tables, host: RateHost) {
    super(tables, host, WORDS);
  }

  protected initialise(s: number, lineBps: number): void {
    initialiseReaction(this.table, s, lineBps);
  }

  override notified(row: number, feedback: number): void {
    const s = this.at(row);
    onMessage(this.table, s, this.specs[row], feedback, this.host.clock.now);
    this.host.arm(row, TIMER, this.table[s + TIMER_AT]);
    this.announce(row);
  }

  override sent(row: number, octets: number): void {
    const s = this.at(row);
    if (!spend(this.table, s, octets)) return;
    onBytes(this.table, s, this.specs[row], this.host.uniform(row));
    this.announce(row);
  }

  override onTimer(row: number): void {
    const { table, host } = this;
    const s = this.at(row);
    if (host.isDone(row)) release(table, s);
    else if (table[s + TIMER_AT] === host.clock.now) {
      onTimer(table, s, this.specs[row], host.uniform(row), host.clock.now);
    }
    if (table[s + TIMER_AT] !== Infinity) host.arm(row, TIMER, table[s + TIMER_AT]);
    this.announce(row);
  }
}
