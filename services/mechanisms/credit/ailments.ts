import type { Engine } from '../../engine/device/engine.js';
import { isSettled } from './invariants.js';
import { lostCreditOf, surplusOf } from './lost.js';
import { mechanismOf } from './mechanism.js';
import type { PortRow } from '../../engine/units/indices.js';

/**
 * What is still wrong with one direction of a link, at a moment when every actor has executed the
 * same time; null when nothing is. `port` is the sender's, numbered through the service.
 */
export function ailmentOf(engine: Engine, port: PortRow): string | null {
  const peer = engine.shared.ports.peer(port);
  if (peer < 0) return null;
  const credit = mechanismOf(engine);
  const { accounts } = credit;
  const spec = accounts.spec(port);
  if (spec === null) return null;
  let ailment: string | null = null;
  accounts.forEach(port, (row) => {
    const receivingRow = accounts.peerRow(row, peer);
    const { conversation } = credit;
    // Where neither end exchanges credit, since they have not agreed on it, nothing can be wrong.
    if (!conversation.isStarted(row) && !conversation.isStarted(receivingRow)) return;
    const link = { sending: credit, sendingRow: row, receiving: credit, receivingRow };
    if (spec.counts !== 'cumulative' || isSettled(link)) return;
    const { receiver } = credit;
    if (receiver.isRecalled(receivingRow) || receiver.waitsForRoom(receivingRow)) return;
    ailment = 'credit is not agreed upon';
  });
  if (ailment !== null) return ailment;
  const [lost] = lostCreditOf(engine, port);
  if (lost !== undefined) return `${lost.units} units of credit are lost`;
  const surplus = surplusOf(engine, port);
  return surplus === 0 ? null : `${surplus} units of credit were never granted`;
}
