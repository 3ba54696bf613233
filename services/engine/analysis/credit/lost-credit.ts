import { framesHeldBack } from '../../device/checkpoint.js';
import type { Engine } from '../../device/engine.js';
import { ahead, costOf } from '../../flow-control/credit/credit-machine.js';
import { ALLOWED, CONSUMED, LIMIT_SAID, PASSED } from '../../flow-control/credit/credit-records.js';
import { isSettled } from '../../flow-control/credit/credit-invariants.js';
import { CLASS, COPY_FLAG, LENGTH, PORT, PRIORITY_MASK } from '../../frame/frame-pool.js';
import { isControlUnderway, unitsGrantedUnderway } from './underway.js';

/** Credit of a sender's account that neither end has, nor any wire. */
export interface LostCredit {
  /** The sender's port, numbered through the service. */
  readonly port: number;
  readonly priority: number;
  readonly channel: number;
  readonly units: number;
  /** Its first frame has waited for credit since then, with none to come; null: it has not. */
  readonly starvedSincePs: number | null;
}

/**
 * What is missing from the books of every account, at a moment when every actor has executed the
 * same time: grants that were said and are neither known to the sender nor on their way, and units
 * that were used and neither came past the receiver nor are in flight.
 */
export function lostCredit(engine: Engine): LostCredit[] {
  const found: LostCredit[] = [];
  for (let port = 0; port < engine.shared.ports.count; port++) {
    found.push(...lostCreditOf(engine, port));
  }
  return found;
}

/** The same of one sender's port. */
export function lostCreditOf(engine: Engine, port: number): LostCredit[] {
  const peer = engine.shared.ports.peer(port);
  const found: LostCredit[] = [];
  if (engine.credit.accounts.spec(port) === null || peer < 0) return found;
  const quiet = !isControlUnderway(engine, port);
  engine.credit.accounts.forEach(port, (row) => {
    const lost = lostOf(engine, port, peer, row, quiet);
    if (lost !== null) found.push(lost);
  });
  return found;
}

function lostOf(
  engine: Engine,
  port: number,
  peer: number,
  row: number,
  quiet: boolean,
): LostCredit | null {
  const { credit } = engine;
  const { accounts, sender, receiver } = credit;
  const receivingRow = accounts.peerRow(row, peer);
  const link = { sending: credit, sendingRow: row, receiving: credit, receivingRow };
  const { counts } = accounts.specOf(row);
  if (counts === 'cumulative' && !isSettled(link)) return null;
  const inFlight = unitsInFlight(engine, peer, receivingRow);
  const said = ahead(receiver.count(receivingRow, LIMIT_SAID), sender.count(row, ALLOWED));
  const untold = said - wordsUnderway(engine, port, row, counts, quiet, said);
  const used = ahead(sender.count(row, CONSUMED), receiver.count(receivingRow, PASSED));
  // A report that is on its way tells of what was lost, or was given back for its age.
  const reported = counts === 'cumulative' && isControlUnderway(engine, peer);
  const units = untold + (reported ? 0 : used - inFlight);
  if (units <= 0) return null;
  const empty = inFlight === 0 && receiver.occupied(receivingRow) === 0;
  return {
    port,
    priority: accounts.priority(row),
    channel: accounts.channel(row),
    units,
    starvedSincePs: quiet && empty ? sender.blockedSincePs(row) : null,
  };
}

/** Of the units that were said, those that are still on their way. A total repairs what is lost. */
function wordsUnderway(
  engine: Engine,
  port: number,
  row: number,
  counts: 'cumulative' | 'incremental',
  quiet: boolean,
  said: number,
): number {
  if (quiet) return 0;
  return counts === 'cumulative' ? said : unitsGrantedUnderway(engine, port, row);
}

function unitsInFlight(engine: Engine, port: number, row: number): number {
  const { shared, credit, devices } = engine;
  const { unitOctets } = credit.accounts.specOf(row).granting;
  let units = 0;
  const add = (frame: number): void => {
    // A copy used no credit; and a port may run credit on some priorities only.
    if ((shared.pool.words[frame + CLASS] & COPY_FLAG) !== 0) return;
    if (!shared.ports.isCredited(port, shared.pool.words[frame + CLASS] & PRIORITY_MASK)) return;
    if (credit.rowOf(port, frame) !== row) return;
    units += costOf(shared.pool.words[frame + LENGTH], unitOctets);
  };
  shared.lanes.forEach(port, add);
  const owner = devices[shared.ports.owner(port)];
  for (const frame of [...framesHeldBack(owner), ...owner.late]) {
    if (shared.pool.words[frame + PORT] === port) add(frame);
  }
  return units;
}
