import type { Engine } from '../../engine/device/engine.js';
import { ahead, costOf, signed } from './machine.js';
import { ALLOWED, CONSUMED, LIMIT_SENT, PASSED } from './records.js';
import { isSettled } from './invariants.js';
import { CLASS, COPY_FLAG, LENGTH, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { forEachNotTaken } from '../../engine/analysis/ledger/frames-underway.js';
import { isControlUnderway } from '../../engine/analysis/ledger/control-underway.js';
import { mechanismOf } from './mechanism.js';
import { unitsGrantedUnderway } from './underway.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';

/** Credit of a sender's account that neither end has, nor the link between them. */
interface LostCredit {
  /** The sender's port, numbered through the service. */
  readonly port: PortRow;
  readonly priority: Priority;
  readonly channel: number;
  readonly units: number;
  /** Since when its first frame waits for credit that will not come; null: it does not. */
  readonly blockedSincePs: number | null;
}

/**
 * What is missing in every account, at a moment when every actor has executed the same time: grants
 * that were sent and are neither known to the sender nor in flight, and units that were used and
 * have neither passed the receiver nor are in flight.
 */
export function lostCredit(engine: Engine): LostCredit[] {
  const found: LostCredit[] = [];
  for (let port = 0; port < engine.shared.ports.count; port++) {
    found.push(...lostCreditOf(engine, port));
  }
  return found;
}

/** The same of one sender's port. */
export function lostCreditOf(engine: Engine, port: PortRow): LostCredit[] {
  const { accounts, sender, receiver } = mechanismOf(engine);
  const found: LostCredit[] = [];
  forEachSender(engine, port, (row, receivingRow, quiet) => {
    const units = missingUnits(engine, row, receivingRow, quiet);
    if (units <= 0) return;
    const isEmpty = receiver.occupied(receivingRow) + unitsInFlight(engine, receivingRow) === 0;
    found.push({
      port,
      priority: accounts.priority(row),
      channel: accounts.channel(row),
      units,
      blockedSincePs: quiet && isEmpty ? sender.blockedSincePs(row) : null,
    });
  });
  return found;
}

/** Units that accounts of a sender's port have and that were never granted, at such a moment. */
export function surplusOf(engine: Engine, port: PortRow): number {
  let surplus = 0;
  forEachSender(engine, port, (row, receivingRow, quiet) => {
    // What is in flight may be the report, or the grant, that repairs it.
    if (quiet) surplus -= Math.min(0, missingUnits(engine, row, receivingRow, quiet));
  });
  return surplus;
}

/** Of accounts whose ends use the same terms; `quiet`: no message is in flight to the sender. */
function forEachSender(
  engine: Engine,
  port: PortRow,
  visit: (row: number, receivingRow: number, quiet: boolean) => void,
): void {
  const { accounts } = mechanismOf(engine);
  const peer = engine.shared.ports.peer(port);
  const spec = accounts.spec(port);
  if (spec === null || peer < 0) return;
  const quiet = !isControlUnderway(engine, port);
  accounts.forEach(port, (row) => {
    const receivingRow = accounts.peerRow(row, peer);
    const credit = mechanismOf(engine);
    const link = { sending: credit, sendingRow: row, receiving: credit, receivingRow };
    if (spec.counts === 'cumulative' && !isSettled(link)) return;
    visit(row, receivingRow, quiet);
  });
}

/** Units that a sender's account lacks (positive), or has beyond what was granted (negative). */
function missingUnits(engine: Engine, row: number, receivingRow: number, quiet: boolean): number {
  const { accounts, sender, receiver } = mechanismOf(engine);
  const advertised = ahead(receiver.count(receivingRow, LIMIT_SENT), sender.count(row, ALLOWED));
  const lost = advertised - unitsUnderway(engine, row, quiet, advertised);
  const used = ahead(sender.count(row, CONSUMED), receiver.count(receivingRow, PASSED));
  // A report in flight has the count of what was lost, or was returned for its age.
  const peer = accounts.port(receivingRow);
  const reported = accounts.isCumulative(row) && isControlUnderway(engine, peer);
  // Each difference is right modulo 2^31 only, and so is their sum.
  return signed(lost + (reported ? 0 : used - unitsInFlight(engine, receivingRow)));
}

/** Of the units that were granted, those in messages in flight. A total repairs what is lost. */
function unitsUnderway(engine: Engine, row: number, quiet: boolean, advertised: number): number {
  if (quiet) return 0;
  const { accounts } = mechanismOf(engine);
  if (accounts.isCumulative(row)) return advertised;
  return unitsGrantedUnderway(engine, accounts.port(row), row);
}

/** Units in flight to a receiver's account. */
function unitsInFlight(engine: Engine, row: number): number {
  const { shared } = engine;
  const credit = mechanismOf(engine);
  const port = credit.accounts.port(row);
  const { unitOctets } = credit.accounts.specOf(row).granting;
  let units = 0;
  forEachNotTaken(engine, port, (frame) => {
    // A copy used no credit; and a port may run credit on some priorities only.
    if ((shared.pool.words[frame + CLASS] & COPY_FLAG) !== 0) return;
    if (!credit.accounts.has(port, shared.pool.words[frame + CLASS] & PRIORITY_MASK)) return;
    if (credit.rowOf(port, frame) !== row) return;
    units += costOf(shared.pool.words[frame + LENGTH], unitOctets);
  });
  return units;
}
