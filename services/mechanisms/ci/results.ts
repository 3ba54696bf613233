import type { Engine } from '../../engine/device/engine.js';
import { z } from 'zod';
import type { RunView, SliceResults } from '../mechanism-slice.js';
import { columnName, columnsOf, resultTable } from '../result-table.js';
import type { ResultTable } from '../result-table.js';
import { CI_COUNTERS, ciManagedValues } from './managed.js';
import { CiMechanism } from './mechanism.js';
import type { CiPlan } from './plan.js';
import { CiPoint } from './point.js';
import type { CiSettings } from './settings.js';

/** Congestion isolation of a switch; only of those with any activity. */
interface IsolationResult {
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

/** The CI point of a switch; null where it does not run. */
export function ciPointOf(engine: Engine, place: number): CiPoint | null {
  const role = engine.rolesOf(place)['ci'];
  return role instanceof CiPoint ? role : null;
}

export function ciOf(engine: Engine): CiMechanism {
  return engine.given.find((mechanism) => mechanism instanceof CiMechanism)!;
}

/** Types that its parts share. */
export interface CiTypes {
  readonly settings: CiSettings;
  readonly plan: CiPlan;
  readonly results: CiResults;
}

export const ciResults: SliceResults<CiTypes> = {
  collect: (run) => ({ isolations: isolationsOf(run) }),
  tables: [isolationTable()],
  messageCounts: ({ isolations }) =>
    isolations.flatMap(({ device: at, counters }) => [
      { at, way: 'sent', message: 'CIM add', count: counters['ciCimAddsTransmitted'] },
      { at, way: 'sent', message: 'CIM delete', count: counters['ciCimDelsTransmitted'] },
    ]),
  published: {
    isolations: z
      .array(
        z.strictObject({
          device: z.string(),
          counters: z.record(z.string(), z.number()),
          flows: z.number().describe('Isolated at the end.'),
          flowsPeak: z.number(),
        }),
      )
      .describe('Congestion isolation (802.1Qcz) of each switch with any, as table isolation.'),
  },
};

function isolationTable(): ResultTable<CiResults> {
  const row = columnsOf<IsolationResult>();
  return resultTable({
    name: 'isolation',
    about: 'a switch with congestion isolation (802.1Qcz)',
    rows: ({ isolations }) => isolations,
    columns: [
      row.text('device', 'The switch.', (r) => r.device),
      row.whole('flows', 'flows', 'Flows isolated at the end.', (r) => r.flows),
      row.whole('flows_peak', 'flows', 'Most flows isolated at a time.', (r) => r.flowsPeak),
      ...Object.entries(CI_COUNTERS).map(([name, [unit, meaning]]) =>
        row.whole(columnName(name), unit, meaning, (r) => r.counters[name]),
      ),
    ],
  });
}

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
