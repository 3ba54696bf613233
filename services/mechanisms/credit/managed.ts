import type { ManagedValue } from '../../engine/contract/flow-control.js';
import { CE_REFUSALS } from './conversation.js';
import type { CreditAccounts } from './accounts.js';
import type { CreditReceiver } from './receiver.js';
import type { CreditSender } from './sender.js';
import type { CreditConversation } from './conversation.js';
import { CONTRADICTIONS, RECLAIMED, RECOVERED, RESYNCS, VIOLATIONS } from './records.js';
import { AGED, FAILED_SYNCS, GRANTED, OVERFLOW, REVOKED, STALE, WRONG_TOTALS } from './sender.js';

/** Ranges and defaults of the settings of a port. The CET TLV has 16 bits for octets of a unit. */
export const CREDIT_UNIT = { least: 64, most: 0xffff } as const;
export const CREDIT_CHANNEL = { least: 0, most: 0xffff, default: 0 } as const;
export const CREDIT_TIMES = {
  refreshPs: 20e6,
  reportPs: 20e6,
  keepAlivePs: 1e9,
  agePs: 1e9,
  leastPollPs: 5e6,
  syncMarginPs: 10e6,
} as const;
export const CREDIT_SYNC_TRIES = 8;

/** What the messages of senders and of receivers are called. */

/** Counters of an account; units are those of the port that grants. */
export interface CreditCounters {
  readonly channel: number;
  readonly priority: number;
  /** Of this port as a sender. */
  readonly granted: number;
  readonly spent: number;
  readonly available: number;
  readonly aged: number;
  readonly revoked: number;
  readonly stale: number;
  /** Totals that were implausible, and were not used. */
  readonly wrongTotals: number;
  readonly overflow: number;
  readonly failedSyncs: number;
  readonly blockedPs: number;
  /** Of this port as a receiver. */
  readonly received: number;
  readonly occupied: number;
  readonly peakOccupied: number;
  /** Lost with frames, or aged: their buffer is free again. */
  readonly recovered: number;
  readonly resyncs: number;
  /** How often it had to return unused credit that another account needed. */
  readonly reclaims: number;
  /** Units that were received without having been granted. */
  readonly violations: number;
  /** Reports of less use than was received, or of more than was granted. */
  readonly contradictions: number;
}

/** Both halves of all accounts. */
interface CreditBooks {
  readonly accounts: CreditAccounts;
  readonly sender: CreditSender;
  readonly receiver: CreditReceiver;
}

export function creditCounters(
  { accounts, sender, receiver }: CreditBooks,
  port: number,
  now: number,
): CreditCounters[] {
  const counters: CreditCounters[] = [];
  accounts.forEach(port, (row) => {
    counters.push({
      channel: accounts.channel(row),
      priority: accounts.priority(row),
      granted: sender.get(row, GRANTED),
      spent: sender.spent(row),
      available: sender.available(row),
      aged: sender.get(row, AGED),
      revoked: sender.get(row, REVOKED),
      stale: sender.get(row, STALE),
      wrongTotals: sender.get(row, WRONG_TOTALS),
      overflow: sender.get(row, OVERFLOW),
      failedSyncs: sender.get(row, FAILED_SYNCS),
      blockedPs: sender.blockedPs(row, now),
      received: receiver.received(row),
      occupied: receiver.occupied(row),
      peakOccupied: receiver.occupiedPeak(row),
      recovered: receiver.get(row, RECOVERED),
      resyncs: receiver.get(row, RESYNCS),
      reclaims: receiver.get(row, RECLAIMED),
      violations: receiver.get(row, VIOLATIONS),
      contradictions: receiver.get(row, CONTRADICTIONS),
    });
  });
  return counters;
}

/** Counters of a port as a whole, and the sums of its accounts by priority. */
export function creditManagedValues(
  books: CreditBooks,
  conversation: CreditConversation,
  port: number,
  now: number,
): ManagedValue[] {
  const spec = books.accounts.spec(port);
  if (spec === null) return [];
  const whole: [string, number][] = [
    ['ceRequestsSent', conversation.requestsSent(port)],
    ['ceGrantsSent', conversation.grantsSent(port)],
    ['ceRequestsReceived', conversation.requestsReceived(port)],
    ['ceGrantsReceived', conversation.grantsReceived(port)],
  ];
  CE_REFUSALS.forEach((name, reason) => whole.push([name, conversation.refusalsOf(port, reason)]));
  const values: ManagedValue[] = whole.map(([name, value]) => ({ name, priority: null, value }));
  for (const account of creditCounters(books, port, now)) {
    const { priority } = account;
    values.push({ name: 'creditsGranted', priority, value: account.granted });
    values.push({ name: 'creditsSpent', priority, value: account.spent });
    values.push({ name: 'creditsAged', priority, value: account.aged });
    values.push({ name: 'creditsRecovered', priority, value: account.recovered });
    values.push({ name: 'creditReclaims', priority, value: account.reclaims });
    values.push({ name: 'creditWrongTotals', priority, value: account.wrongTotals });
    values.push({ name: 'creditViolations', priority, value: account.violations });
    values.push({ name: 'creditContradictions', priority, value: account.contradictions });
  }
  return values;
}
