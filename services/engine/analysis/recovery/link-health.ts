import type { Engine } from '../../device/engine.js';
import { isSettled } from '../../flow-control/credit/credit-invariants.js';
import { lostCreditOf, surplusOf } from '../credit/lost-credit.js';
import { isControlUnderway } from '../credit/underway.js';
import { forEachNotTaken } from '../ledger/frames-underway.js';

/**
 * What is still wrong with one direction of a link, at a moment when every actor has executed the
 * same time; null when nothing is. `port` is the sender's, numbered through the service.
 */
export function ailmentOf(engine: Engine, port: number): string | null {
  return (
    creditAilmentOf(engine, port) ??
    mechanismAilmentOf(engine, port) ??
    pauseAilmentOf(engine, port)
  );
}

/** Of mechanisms that keep count of a link at both of its ends. */
export function mechanismAilmentOf(engine: Engine, port: number): string | null {
  const peer = engine.shared.ports.peer(port);
  if (peer < 0) return null;
  const isQuiet = !isControlUnderway(engine, port);
  for (const mechanism of engine.mechanisms) {
    const ailment = mechanism.ailmentOnLink?.(peer, isQuiet, (visit) => {
      forEachNotTaken(engine, peer, visit);
    });
    if (ailment !== undefined && ailment !== null) return ailment;
  }
  return null;
}

/** Of credit only. */
export function creditAilmentOf(engine: Engine, port: number): string | null {
  const peer = engine.shared.ports.peer(port);
  if (peer < 0) return null;
  const { credit } = engine;
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
    if (!credit.receiver.isRecalled(receivingRow)) ailment = 'credit is not agreed upon';
  });
  if (ailment !== null) return ailment;
  const [lost] = lostCreditOf(engine, port);
  if (lost !== undefined) return `${lost.units} units of credit are lost`;
  const surplus = surplusOf(engine, port);
  return surplus === 0 ? null : `${surplus} units of credit were never granted`;
}

/** A priority that is paused though the link partner asserts no pause any more. */
export function pauseAilmentOf(engine: Engine, port: number): string | null {
  const peer = engine.shared.ports.peer(port);
  if (peer < 0 || isControlUnderway(engine, port)) return null;
  for (const mechanism of engine.mechanisms) {
    if (mechanism.isStopping?.(peer) !== false) continue;
    for (let priority = 0; priority < 8; priority++) {
      if ((mechanism.holdReason?.(port, priority) ?? null) === null) continue;
      return `priority ${priority} is paused although its link partner sent XON`;
    }
  }
  return null;
}
