import type { Engine } from '../../device/engine.js';
import { isControlUnderway } from '../ledger/control-underway.js';
import { forEachNotTaken } from '../ledger/frames-underway.js';

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
