/** Totals of a whole run: what runs are compared by, what a sweep and a duel have of each. */

import {
  columnOf,
  having,
  type Measure,
  measures,
  totalOf,
  type Unit,
} from '../mechanisms/measure.js';
import { FLOW_MEASURES, type FlowValues } from './flow-measures.js';
import { PORT_MEASURES, type PortValues } from './port-measures.js';

/** What totals are of. */
interface TotalledRun {
  readonly ports: readonly { readonly priorities: readonly PortValues[] }[];
  readonly flows: readonly FlowValues[];
  readonly priorities: readonly { readonly drops: Readonly<Record<string, number>> }[];
  readonly stalls: readonly unknown[];
}

const RUN_MEASURES = measures<TotalledRun>()({
  stalledFlows: {
    unit: 'number',
    meaning: 'Flows that stopped progressing.',
    read: ({ stalls }) => stalls.length,
    total: 'sum',
    compared: { label: 'stalled flows', at: 1 },
    swept: { label: 'stalled flows', at: 3 },
    duelled: 'run',
  },
  droppedFrames: {
    unit: 'frames',
    meaning: 'Frames dropped, for whatever reason.',
    read: ({ priorities }) =>
      totalOf(
        'sum',
        priorities.flatMap(({ drops }) => Object.values(drops)),
      ),
    total: 'sum',
    compared: { label: 'drops', at: 2 },
    swept: { label: 'dropped frames', at: 1 },
    duelled: 'run',
  },
});

/** By key, of each measure that has one here. */
export type RunTotals = Readonly<Record<string, number>>;

/** A measure, and its total. */
interface Totalled {
  readonly key: string;
  readonly measure: Measure<never>;
  readonly of: (run: TotalledRun) => number;
}

const TOTALLED: readonly Totalled[] = [
  ...having(RUN_MEASURES, 'total').map(([key, measure]) => ({
    ...{ key, measure, of: (run: TotalledRun) => measure.read(run) },
  })),
  ...having(FLOW_MEASURES, 'total').map(([key, measure]) => ({
    ...{ key, measure },
    of: ({ flows }: TotalledRun) =>
      totalOf(
        measure.total,
        flows.flatMap((flow) => flow[key] ?? []),
      ),
  })),
  ...having(PORT_MEASURES, 'total').map(([key, measure]) => ({
    ...{ key, measure },
    of: ({ ports }: TotalledRun) =>
      totalOf(
        measure.total,
        ports.flatMap(({ priorities }) => priorities.map((row) => row[key])),
      ),
  })),
];

/** What a table names a total by. */
interface NamedTotal {
  readonly key: string;
  readonly column: string;
  readonly label: string;
  readonly unit: Unit;
}

function named(place: (measure: Measure<never>) => Named | undefined): NamedTotal[] {
  return TOTALLED.flatMap(({ key, measure }) => {
    const { label, at } = place(measure) ?? { label: '', at: -1 };
    return at < 0 ? [] : [{ key, column: columnOf(key, measure), label, unit: measure.unit, at }];
  }).sort((a, b) => a.at - b.at);
}

interface Named {
  readonly label: string;
  readonly at: number;
}

/** What runs are compared by; those before decide between equals first. */
export const COMPARED: readonly NamedTotal[] = named(({ compared }) => compared);
/** What the table of a sweep has of each run. */
export const SWEPT: readonly NamedTotal[] = named(({ swept }) => swept);

export function totalsOf(run: TotalledRun): RunTotals {
  const wanted = new Set([...COMPARED, ...SWEPT].map(({ key }) => key));
  return Object.fromEntries(
    TOTALLED.flatMap(({ key, of }) => (wanted.has(key) ? [[key, of(run)]] : [])),
  );
}

/** Of a duel, but for those that it has by tier of the device. */
export function duelTotals(run: TotalledRun): Readonly<Record<DuelledInRun, number>> {
  const totals = TOTALLED.filter(({ measure }) => measure.duelled === 'run');
  return Object.fromEntries(totals.map(({ key, of }) => [key, of(run)])) as never;
}

type Duelled<Of, Where> = {
  [Key in keyof Of]: Of[Key] extends { readonly duelled: Where } ? Key : never;
}[keyof Of];
export type DuelledInRun =
  | Duelled<typeof RUN_MEASURES, 'run'>
  | Duelled<typeof FLOW_MEASURES, 'run'>
  | Duelled<typeof PORT_MEASURES, 'run'>;
export type DuelledByTier = Duelled<typeof PORT_MEASURES, 'tier'>;

/** Each measure that a duel has by tier: the sum of the ports of a tier. */
export function tierTotals(
  { ports }: { readonly ports: readonly (TotalledRun['ports'][number] & OfDevice)[] },
  tierOf: ReadonlyMap<string, string>,
): Readonly<Record<DuelledByTier, Readonly<Record<string, number>>>> {
  const byTier = having(PORT_MEASURES, 'duelled').flatMap(([key, { duelled }]) => {
    if (duelled !== 'tier') return [];
    const totals: Record<string, number> = {};
    for (const { device, priorities } of ports) {
      const tier = tierOf.get(device)!;
      for (const row of priorities) totals[tier] = (totals[tier] ?? 0) + row[key];
    }
    return [[key, totals]];
  });
  return Object.fromEntries(byTier) as never;
}

interface OfDevice {
  readonly device: string;
}
