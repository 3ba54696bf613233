import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import { UNKNOWN, unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { CreditAccounts } from './accounts.js';
import type { CreditCarrier } from './machine.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/**
 * A token bucket per port: its accounts are granted no more line octets than its receiver is shaped
 * to. Accounts that wait for tokens are served by their shares.
 */
export function makeCreditShaper(tables: Tables, accounts: CreditAccounts, carrier: CreditCarrier) {
  const { clock } = carrier;
  /** By port: when the bucket is full again. */
  const fullAt = tables.float64('port', field('tokens full at', unknown(0)));
  /** By account: it wants more than it was granted, for lack of tokens. */
  const waits = tables.uint8('credit', field('waits for tokens', UNKNOWN));
  /** By account: octets granted by its share; of those that wait, the least is next. */
  const served = tables.float64('credit', field('served of tokens', UNKNOWN));
  /** By port: virtual time of the account that was served last. */
  const servedAt = tables.float64('port', field('tokens served at', unknown(0)));

  /** Of the units wanted, those that may be granted now. They are counted as granted. */
  function grant(row: number, wanted: number): number {
    if (wanted === 0) {
      leave(row);
      return 0;
    }
    const { shaper, unitOctets } = accounts.specOf(row).granting;
    const port = accounts.port(row);
    const most = Math.floor(shaper!.chunkOctets / unitOctets);
    const chunk = Math.min(wanted, Math.max(1, most));
    const units = Math.min(wanted, Math.floor(tokens(row) / unitOctets));
    const isNext = nextOf(port, row) === row;
    waits[row] = units < wanted || !isNext ? 1 : 0;
    if (units >= chunk && isNext) {
      assert(units > 0 && units <= wanted, 'credit.shaped-grant');
      spend(port, units * unitOctets * shaper!.octetPs);
      servedAt[port] = keyOf(row);
      served[row] = servedAt[port] + (units * unitOctets) / accounts.share(row);
      wakeNext(port);
      return units;
    }
    waits[row] = 1;
    wakeNext(port);
    return 0;
  }

  /** A frame was received that was granted in whole units, and takes so many octets of the line. */
  function settle(row: number, units: number, octets: number): void {
    const { shaper, unitOctets } = accounts.specOf(row).granting;
    if (shaper === null) return;
    const unused = units * unitOctets - octets - WIRE_OVERHEAD_OCTETS;
    spend(accounts.port(row), -unused * shaper.octetPs);
  }

  function spend(port: PortRow, ps: number): void {
    fullAt[port] = Math.max(fullAt[port], clock.now) + ps;
  }

  /** Octets in the bucket. */
  function tokens(row: number): number {
    const { bucketOctets, octetPs } = accounts.specOf(row).granting.shaper!;
    const missingPs = Math.max(0, fullAt[accounts.port(row)] - clock.now);
    assert(missingPs >= 0 && octetPs > 0, 'credit.bucket');
    return bucketOctets - missingPs / octetPs;
  }

  /** Start-time fair queueing: an account that did not wait does not catch up. */
  function keyOf(row: number): number {
    return Math.max(served[row], servedAt[accounts.port(row)]);
  }

  /** The account to be granted next: of those that wait, or of these and one more. */
  function nextOf(port: PortRow, candidate: number): number {
    let next = candidate;
    const first = accounts.firstRow(port);
    for (let row = first; row < first + accounts.rowCount(port); row++) {
      if (waits[row] === 0) continue;
      if (next < 0 || keyOf(row) < keyOf(next)) next = row;
    }
    return next;
  }

  function wakeNext(port: PortRow): void {
    const next = nextOf(port, -1);
    if (next >= 0) carrier.wake(next, Math.max(clock.now + 1, readyAt(next)));
  }

  /** When an account that waits has tokens for a grant that is worth a message. */
  function readyAt(row: number): number {
    const { bucketOctets, chunkOctets, octetPs } = accounts.specOf(row).granting.shaper!;
    const ps = (bucketOctets - chunkOctets) * octetPs;
    return Math.ceil(fullAt[accounts.port(row)] - ps);
  }

  /** An account wants no more, or is granted nothing any more: its turn goes to the next. */
  function leave(row: number): void {
    if (waits[row] === 0) return;
    waits[row] = 0;
    wakeNext(accounts.port(row));
  }

  /** When it is to be called next; Infinity while it does not wait. */
  function dueAt(row: number): number {
    return waits[row] === 0 || nextOf(accounts.port(row), -1) !== row ? Infinity : readyAt(row);
  }

  function isWaiting(row: number): boolean {
    return waits[row] !== 0;
  }

  return { grant, settle, leave, dueAt, isWaiting };
}
