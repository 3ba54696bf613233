import type { DeviceWaits } from '../../engine/analysis/waits/wait-records.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { findDeadlocks } from '../../telemetry/congestion/find-deadlocks.js';
import { isSeen } from './check-times.js';
import { deadlockFailure, placeNames, unbalanced } from '../results/outcome.js';
import type { Breach } from './breach.js';
import { standstillOf } from './progress-check.js';
import { disagreeingRecords } from './record-check.js';
import { RecoveryCheck } from './recovery-check.js';
import type { Failure } from '../results/results.js';
import { STALLED } from './stall.js';

interface WholeRun {
  readonly nowPs: number;
  readonly checkedPs: number;
  readonly jams: readonly Pick<DeviceWaits, 'jams'>[] | null;
  /** What partitions have found. */
  readonly known: Failure | null;
}

/**
 * Checks that need all actors, at the end of a run whose parts were executed in several partitions:
 * the ledgers, links that had to recover since `checkedPs`, and the wait-for graph. A standstill is
 * attributed to a cycle, if there is one; else the first violation counts.
 */
export function checkWhole(
  fabric: Fabric,
  engine: Engine,
  { nowPs, checkedPs, jams, known }: WholeRun,
): Failure | null {
  const cycle = jams && cycleOf(fabric, jams, nowPs);
  if (cycle !== null && (known === null || isLater(known, cycle))) return cycle;
  return (
    known ??
    unbalanced(fabric, engine, nowPs) ??
    unrecovered(fabric, engine, nowPs, checkedPs) ??
    failureOf(fabric, standstillOf(fabric, engine, nowPs))
  );
}

function isLater(known: Failure, { timePs }: Failure): boolean {
  return known.reason === STALLED || known.timePs > timePs;
}

/** The first cycle of waits that existed at a time when one process would have checked. */
function cycleOf(
  fabric: Fabric,
  jams: readonly Pick<DeviceWaits, 'jams'>[],
  nowPs: number,
): Failure | null {
  const cycle = findDeadlocks(fabric, jams, nowPs).find(({ closedPs, openedPs }) =>
    isSeen(closedPs, openedPs ?? Infinity),
  );
  return cycle === undefined ? null : deadlockFailure(cycle);
}

/** A link that was due since a time, and has not recovered by now. */
export function unrecovered(
  fabric: Fabric,
  engine: Engine,
  nowPs: number,
  checkedPs: number,
): Failure | null {
  return failureOf(fabric, new RecoveryCheck(fabric, engine, checkedPs).check(nowPs));
}

/** Records that contradict what devices counted. */
export function disagreement(
  fabric: Fabric,
  engine: Engine,
  seen: Parameters<typeof disagreeingRecords>[1],
  nowPs: number,
): Failure | null {
  return failureOf(fabric, disagreeingRecords(engine, seen, nowPs));
}

function failureOf(fabric: Fabric, breach: Breach | null): Failure | null {
  if (breach === null) return null;
  const { reason, timePs, device, port, priority } = breach;
  return { reason, timePs, ...placeNames(fabric, device, port), priority };
}
