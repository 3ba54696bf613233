import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { proxyPauserAmong } from '../../engine/contract/flow-control.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Chosen, RunView, SliceMetric, SliceResults } from '../mechanism-slice.js';
import { sfcManagedValues } from './managed.js';
import { SfcMechanism } from './mechanism.js';
import type { SfcPath, SfcPlan, SfcReaction } from './plan.js';
import type { SfcPathResult, SfcResult, SfcResults } from './result-rows.js';
import type { SfcPoint } from './point.js';
import { SfcBridgePoint, SfcStationPoint } from './roles.js';
import type { SfcSettings } from './settings.js';
import { sfcPublished, sfcTables } from './tables.js';

export type { SfcPathResult, SfcResult, SfcResults };

/** The SFC point of a device; null where it does not run. */
export function sfcPointOf(engine: Engine, place: number): SfcPoint | null {
  const role = engine.rolesOf(place)['sfc'];
  return role instanceof SfcBridgePoint || role instanceof SfcStationPoint ? role : null;
}

export function sfcOf(engine: Engine): SfcMechanism {
  return engine.given.find((mechanism) => mechanism instanceof SfcMechanism)!;
}

const metrics = {
  'sfc.messages': {
    unit: 'count',
    meaning: 'messages of source flow control sent',
    measure: ({ sfc }, at) => sumOf(sfc, 'sfcSfcmsTransmitted', at),
  },
  'sfc.forged': {
    unit: 'count',
    meaning: 'SFCMs received for a source that is not there',
    measure: ({ sfc }, at) => sumOf(sfc, 'sfcSfcmsForged', at),
  },
  'sfc.reaction': {
    unit: 'time',
    meaning: 'longest time from congestion to the pause of a source by SFCM',
    measure: ({ sfc }, at) => {
      const worst = sfc.flatMap((row) => (at.device(row.device) ? (row.reactionMaxPs ?? []) : []));
      return worst.length === 0 ? null : Math.max(...worst);
    },
  },
  'sfc.covered': {
    unit: 'share',
    meaning: 'share of the flows with source flow control whose source can be paused',
    measure: ({ sfcPaths }) => {
      const covered = sfcPaths.filter(({ reaction }) => reaction !== 'none');
      return sfcPaths.length === 0 ? null : covered.length / sfcPaths.length;
    },
  },
} as const satisfies Readonly<Record<string, SliceMetric<SfcResults>>>;

/** Types that its parts share. */
export interface SfcTypes {
  readonly settings: SfcSettings;
  readonly plan: SfcPlan;
  readonly results: SfcResults;
  readonly metric: keyof typeof metrics;
}

export const sfcResults: SliceResults<SfcTypes> = {
  collect: (run) => ({ sfc: devicesOf(run), sfcPaths: pathsOf(run) }),
  tables: sfcTables,
  published: sfcPublished,
  metrics,
  messageCounts: ({ sfc }) =>
    sfc.flatMap(({ device: at, counters }) => [
      { at, way: 'sent', message: 'SFCM', count: counters['sfcSfcmsTransmitted'] },
      { at, way: 'sent', message: 'SFCM resume', count: counters['sfcResumesTransmitted'] },
    ]),
};

function devicesOf({ engine, nowPs }: RunView<SfcTypes>): SfcResult[] {
  const mechanism = sfcOf(engine);
  return engine.devices.flatMap(({ place, spec, firstPort }) => {
    const point = sfcPointOf(engine, place);
    if (point === null) return [];
    const sum = (of: (priority: number) => number): number =>
      PRIORITY_NUMBERS.reduce((total, priority) => total + of(priority), 0);
    const flows = point.station?.flowPauses ?? null;
    const pauses = sum((priority) => mechanism.holdCount(firstPort, priority));
    const pausedPs = sum((priority) => mechanism.blockedPs(firstPort, priority, nowPs));
    const result = {
      device: spec.name,
      ...pointResult(point),
      pauses: pauses + (flows?.count ?? 0),
      pausedPs: pausedPs + (flows?.pausedPs(nowPs) ?? 0),
    };
    const isIdle = Object.values(result.counters).every((count) => count === 0);
    return isIdle ? [] : [result];
  });
}

function pathsOf(run: RunView<SfcTypes>): SfcPathResult[] {
  const { plan, names, context } = run;
  const namesOf = (devices: readonly number[]): string[] => devices.map((d) => names[d]);
  return plan.paths.map((path) => ({
    flow: context.flows[path.flow].name,
    reaction: context.negotiates ? reactionNow(run, path) : path.reaction,
    sending: namesOf(path.sending),
    silent: namesOf(path.silent),
  }));
}

/** How a flow's source is paused, as its edge knows from what the station advertised. */
function reactionNow({ context, engine }: RunView<SfcTypes>, { flow }: SfcPath): SfcReaction {
  const { source, priority } = context.flows[flow];
  const [link] = context.devices[source].links;
  if (link === undefined) return 'none';
  const edge = engine.devices[link.peerDevice].firstPort + link.peerPort;
  if (sfcPointOf(engine, engine.devices[source].place) !== null) return 'station';
  if (!sfcOf(engine).actsFor(edge)) return 'none';
  const isPausable = proxyPauserAmong(engine.mechanisms)?.canStop(edge, priority) === true;
  return isPausable ? 'proxy' : 'none';
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

function sumOf(rows: readonly SfcResult[], counter: string, at: Chosen): number {
  return rows.reduce((sum, row) => (at.device(row.device) ? sum + row.counters[counter] : sum), 0);
}
