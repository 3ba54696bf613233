import type { Engine } from '../../engine/device/engine.js';
import type { RunView, SliceResults, SummaryTools } from '../mechanism-slice.js';
import { ciManagedValues } from './managed.js';
import { CiMechanism } from './mechanism.js';
import type { CiPlan } from './plan.js';
import { CiPoint } from './point.js';
import type { CiSettings } from './settings.js';

/** What a switch did about congestion isolation; only of those that did anything. */
export interface IsolationResult {
  readonly device: string;
  /** Under the names of the managed objects. */
  readonly counters: Readonly<Record<string, number>>;
  /** Flows isolated at the end, and at most. */
  readonly flows: number;
  readonly flowsPeak: number;
}

export interface CiResults {
  readonly isolations: readonly IsolationResult[];
}

/** What a switch has of it; null where it does not run. */
export function ciPointOf(engine: Engine, place: number): CiPoint | null {
  const role = engine.rolesOf(place)['ci'];
  return role instanceof CiPoint ? role : null;
}

export function ciOf(engine: Engine): CiMechanism {
  return engine.given.find((mechanism) => mechanism instanceof CiMechanism)!;
}

/** What its parts share. */
export interface CiTypes {
  readonly settings: CiSettings;
  readonly plan: CiPlan;
  readonly results: CiResults;
}

export const ciResults: SliceResults<CiTypes> = {
  collect: (run) => ({ isolations: isolationsOf(run) }),
  summary: ({ isolations }, tools) => [tableText(isolations, tools)],
  tables: ({ isolations }) => {
    const names = Object.keys(isolations[0]?.counters ?? {});
    const rows = isolations.map((row) => [
      ...[row.device, row.flows, row.flowsPeak, ...names.map((name) => row.counters[name])],
    ]);
    return [{ name: 'isolation', columns: ['device', 'flows', 'flows_peak', ...names], rows }];
  },
};

function isolationsOf({ engine }: RunView<CiTypes>): IsolationResult[] {
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

function tableText(isolations: readonly IsolationResult[], tools: SummaryTools): string {
  if (isolations.length === 0) return '';
  const { count } = tools;
  const rows = isolations
    .slice(0, tools.rowsShown)
    .map(({ device, counters, flows, flowsPeak }) => [
      device,
      count(flows),
      count(flowsPeak),
      count(counters['ciFlowsFound']),
      count(counters['ciFlowsTold']),
      count(counters['ciFramesIsolated']),
      count(counters['ciCimAddsTransmitted'] + counters['ciCimDelsTransmitted']),
    ]);
  const head = ['switch', 'flows', 'most', 'found', 'by CIM', 'frames isolated', 'messages'];
  const title = tools.strong('Congestion isolation');
  return [title, tools.table(head, rows), tools.more(isolations.length)]
    .filter((part) => part !== '')
    .join('\n');
}
