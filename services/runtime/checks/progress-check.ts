import { EXCHANGE } from '../../mechanisms/registry.js';
import { findStandstill } from '../../engine/analysis/ledger/standstill.js';
import type { Engine } from '../../engine/device/engine.js';
import { formatPs } from '../../engine/units/time.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { CycleCheck } from './cycle-check.js';
import type { Breach } from './breach.js';

const REASONS = {
  grants: `frames wait for ${EXCHANGE}, and nothing is stored that it waits for`,
  cycle: 'queues wait for each other, and none of them moves',
} as const;

/**
 * A queue that has not moved for long although nothing blocks it by design, at the end of a run
 * (all of whose actors are in the engine, wherever they were executed), or null. A scenario that
 * expects deadlocks may have cycles.
 */
export function standstillOf(fabric: Fabric, engine: Engine, timePs: number): Breach | null {
  const found = findStandstill(engine, timePs);
  if (found === null || (found.why === 'cycle' && !CycleCheck.isWanted(fabric))) return null;
  const { port, priority, sincePs, why } = found;
  const { place, firstPort } = engine.devices[engine.shared.ports.owner(port)]!;
  const reason = `no progress since ${formatPs(sincePs)}: ${REASONS[why]}`;
  return { reason, timePs, device: place, port: port - firstPort, priority };
}
