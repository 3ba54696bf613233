import type { RateControl, RateHost, RateStatus } from '../../contract/rate-control.js';
import type { QcnReactionSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
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
} from './qcn-machine.js';

const TIMER = 0;

/** Reaction points of QCN: a sender slows down when a queue on the way tells it to. */
export class QcnReaction implements RateControl {
  private readonly table: Float64Array;
  /** By row; rows of other rate controls are empty. */
  private readonly specs: QcnReactionSpec[] = [];

  constructor(
    tables: Tables,
    private readonly host: RateHost,
  ) {
    this.table = tables.float64('rate', REACTION_WORDS);
  }

  configure(row: number, spec: QcnReactionSpec, lineBps: number): void {
    this.specs[row] = spec;
    initialiseReaction(this.table, row * REACTION_WORDS, lineBps);
  }

  notified(row: number, feedback: number): void {
    const s = row * REACTION_WORDS;
    onMessage(this.table, s, this.specs[row], feedback, this.host.clock.now);
    this.host.arm(row, TIMER, this.table[s + TIMER_AT]);
    this.announce(row);
  }

  sent(row: number, octets: number): void {
    const s = row * REACTION_WORDS;
    if (!spend(this.table, s, octets)) return;
    onBytes(this.table, s, this.specs[row], this.host.uniform(row));
    this.announce(row);
  }

  onTimer(row: number): void {
    const { table, host } = this;
    const s = row * REACTION_WORDS;
    if (host.isDone(row)) release(table, s);
    else if (table[s + TIMER_AT] === host.clock.now) {
      onTimer(table, s, this.specs[row], host.uniform(row), host.clock.now);
    }
    if (table[s + TIMER_AT] !== Infinity) host.arm(row, TIMER, table[s + TIMER_AT]);
    this.announce(row);
  }

  measured(): void {
    // How long packets take is no sign of congestion here.
  }

  status(row: number): RateStatus {
    const { table } = this;
    const s = row * REACTION_WORDS;
    return {
      lineBps: table[s + LINE],
      rateBps: table[s + RATE],
      targetBps: table[s + TARGET],
      leastBps: table[s + LEAST],
      notifications: table[s + NOTIFICATIONS],
      cuts: table[s + NOTIFICATIONS],
    };
  }

  private announce(row: number): void {
    const s = row * REACTION_WORDS;
    this.host.setRate(row, this.table[s + RATE], this.table[s + LINE]);
  }
}
