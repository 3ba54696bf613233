import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { ciManagedValues } from '../../mechanisms/ci/managed.js';
import { ciPointOf } from '../../mechanisms/ci/slice.js';
import { sfcManagedValues } from '../../mechanisms/sfc/managed.js';
import type { SfcPoint } from '../../mechanisms/sfc/point.js';
import { sfcOf, sfcPointOf } from '../../mechanisms/sfc/slice.js';
import type { IsolationResult, SfcPathResult, SfcResult } from './results.js';

const PRIORITIES = [0, 1, 2, 3, 4, 5, 6, 7];

/** What every device did about source flow control. */
export function collectSfc(engine: Engine, nowPs: number): SfcResult[] {
  return engine.devices.flatMap(({ place, spec, firstPort }) => {
    const point = sfcPointOf(engine, place);
    if (point === null) return [];
    const sum = (of: (priority: number) => number): number =>
      PRIORITIES.reduce((total, priority) => total + of(priority), 0);
    const { station } = point;
    const ofFlows = [station?.flowPauses.count ?? 0, station?.flowPauses.pausedPs(nowPs) ?? 0];
    const result = {
      device: spec.name,
      ...pointResult(point),
      pauses: sum((priority) => sfcOf(engine).holdCount(firstPort, priority)) + ofFlows[0]!,
      pausedPs: sum((priority) => sfcOf(engine).heldPs(firstPort, priority, nowPs)) + ofFlows[1]!,
    };
    const isIdle = Object.values(result.counters).every((count) => count === 0);
    return isIdle ? [] : [result];
  });
}

/** What every switch did about congestion isolation. */
export function collectIsolations(engine: Engine): IsolationResult[] {
  return engine.devices.flatMap(({ place, spec }) => {
    const point = ciPointOf(engine, place);
    if (point === null) return [];
    const values = ciManagedValues(point.counters).map(({ name, value }) => [name, value] as const);
    if (values.every(([, value]) => value === 0)) return [];
    const { count, peak } = point.table.ages;
    const counters = Object.fromEntries(values);
    return [{ device: spec.name, counters, flows: count, flowsPeak: peak }];
  });
}

export function collectSfcPaths(fabric: Fabric, engine: Engine): SfcPathResult[] {
  const namesOf = (devices: readonly number[]): string[] =>
    devices.map((device) => fabric.topology.devices[device]!.name);
  const { discovery } = fabric.scenario;
  return fabric.sfcPaths.map(({ flow, reaction, telling, silent }) => ({
    flow: fabric.flows[flow]!.name,
    reaction: discovery.drives && discovery.enabled ? reactionNow(fabric, engine, flow) : reaction,
    telling: namesOf(telling),
    silent: namesOf(silent),
  }));
}

/** How a flow's source is stopped, as its edge knows from what the station told it. */
function reactionNow(fabric: Fabric, engine: Engine, flow: number): SfcPathResult['reaction'] {
  const { source, priority } = fabric.flows[flow]!;
  const [end] = fabric.linkEnds[source]!;
  if (end === undefined) return 'none';
  const edge = engine.devices[end.peerDevice]!.firstPort + end.peerPort;
  if (sfcPointOf(engine, engine.devices[source]!.place) !== null) return 'station';
  if (!sfcOf(engine).actsFor(edge)) return 'none';
  return engine.pfc.canStop(edge, priority) ? 'proxy' : 'none';
}

function pointResult(point: SfcPoint): Omit<SfcResult, 'device' | 'pauses' | 'pausedPs'> {
  const { counters, sender } = point;
  const { reactions, reactionMinPs, reactionMaxPs, reactionSumPs } = counters;
  const values = sfcManagedValues(counters).map(({ name, value }) => [name, value] as const);
  return {
    role: sender === null ? 'station' : 'bridge',
    counters: Object.fromEntries(values),
    sourcesPeak: sender?.table.ages.peak ?? 0,
    reactionMinPs: reactions === 0 ? null : reactionMinPs,
    reactionMeanPs: reactions === 0 ? null : reactionSumPs / reactions,
    reactionMaxPs: reactions === 0 ? null : reactionMaxPs,
  };
}
