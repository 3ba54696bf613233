import type { DeviceWaits } from '../engine/analysis/waits/wait-records.js';
import type { Engine } from '../engine/device/engine.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { findDeadlocks } from '../telemetry/congestion/find-deadlocks.js';
import { deadlockFailure, placeNames, unbalanced } from './outcome.js';
import { RecoveryCheck } from './recovery-check.js';
import type { Failure } from './results.js';
import { STALLED } from './stall.js';

/**
 * What only somebody who sees all actors can check, at the end of a run whose parts were executed
 * in several places: the books, links that have not recovered, and who waits for whom. Nobody gets
 * out of a circle of waits by himself, so one that ever closed is still there; and it is what a
 * standstill comes from.
 */
export function checkWhole(
  fabric: Fabric,
  engine: Engine,
  nowPs: number,
  jams: readonly Pick<DeviceWaits, 'jams'>[] | null,
  known: Failure | null,
): Failure | null {
  if (known !== null && known.reason !== STALLED) return known;
  const circle = jams && findDeadlocks(fabric, jams)[0];
  if (circle) return deadlockFailure(circle);
  return known ?? unbalanced(fabric, engine, nowPs) ?? unrecovered(fabric, engine, nowPs);
}

function unrecovered(fabric: Fabric, engine: Engine, nowPs: number): Failure | null {
  const breach = new RecoveryCheck(fabric, engine).look(nowPs);
  if (breach === null) return null;
  const { reason, timePs, device, port } = breach;
  return { reason, timePs, ...placeNames(fabric, device, port), priority: null };
}
