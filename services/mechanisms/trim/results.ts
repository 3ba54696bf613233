import { z } from 'zod';
import type { RunView, SliceMetric, SliceResults } from '../mechanism-slice.js';
import { columnName, columnsOf, resultTable } from '../result-table.js';
import { TrimMechanism } from './mechanism.js';
import type { TrimPlan } from './plan.js';
import type { TrimKey } from './settings.js';

/** Counters of a port, as SAI calls them. */
const COUNTERS = {
  SAI_PORT_STAT_TRIM_PACKETS: 'Frames trimmed that were to leave by this port.',
  SAI_PORT_STAT_DROPPED_TRIM_PACKETS:
    'Trimmed frames, here or before, for which there was no room.',
} as const;
type Counter = keyof typeof COUNTERS;
const NAMES = Object.keys(COUNTERS) as readonly Counter[];

/** What a port trimmed; only of those that did. */
interface TrimPortResult {
  readonly device: string;
  readonly port: string;
  readonly counters: Readonly<Record<Counter, number>>;
}

export interface TrimResults {
  readonly trims: readonly TrimPortResult[];
}

/** Types that its parts share. */
export interface TrimTypes {
  readonly settings: unknown;
  readonly key: TrimKey;
  readonly plan: TrimPlan;
  readonly results: TrimResults;
  readonly metric: keyof typeof metrics;
}

function counting(counter: Counter, meaning: string): SliceMetric<TrimResults> {
  return {
    unit: 'count',
    meaning,
    measure: ({ trims }, at) =>
      trims
        .filter((row) => at.device(row.device) && at.port(row.port))
        .reduce((sum, { counters }) => sum + counters[counter], 0),
  };
}

const metrics = {
  'trim.frames': {
    ...counting('SAI_PORT_STAT_TRIM_PACKETS', 'frames that switches trimmed'),
    inSweeps: { column: 'trimmed', label: 'frames trimmed' },
  },
  'trim.drops': counting(
    'SAI_PORT_STAT_DROPPED_TRIM_PACKETS',
    'trimmed frames that were dropped, as their queue was full',
  ),
} as const satisfies Readonly<Record<string, SliceMetric<TrimResults>>>;

const row = columnsOf<TrimPortResult>();

export const trimResults: SliceResults<TrimTypes> = {
  collect: (run) => ({ trims: portsOf(run) }),
  tables: [
    resultTable({
      name: 'trims',
      about: 'a port for which frames were trimmed, under the names of SAI',
      rows: ({ trims }: TrimResults) => trims,
      columns: [
        row.text('device', 'The switch.', (r) => r.device),
        row.text('port', 'The port.', (r) => r.port),
        ...NAMES.map((name) =>
          row.whole(columnName(name), 'frames', COUNTERS[name], (r) => r.counters[name]),
        ),
      ],
    }),
  ],
  published: {
    trims: z
      .array(
        z.strictObject({
          device: z.string(),
          port: z.string(),
          counters: z.record(z.string(), z.number()).describe('Under the names of SAI.'),
        }),
      )
      .describe('Ports for which frames were trimmed, as table trims.'),
  },
  metrics,
};

function portsOf({ engine, names }: RunView<TrimTypes>): TrimPortResult[] {
  const { counts } = engine.given.find((one) => one instanceof TrimMechanism)!;
  return engine.devices.flatMap(({ spec, firstPort }, device) =>
    spec.ports.flatMap(({ name: port }, p): TrimPortResult[] => {
      const counters = {
        SAI_PORT_STAT_TRIM_PACKETS: counts.trimmed[firstPort + p],
        SAI_PORT_STAT_DROPPED_TRIM_PACKETS: counts.dropped[firstPort + p],
      };
      if (counters.SAI_PORT_STAT_TRIM_PACKETS === 0) return [];
      return [{ device: names[device], port, counters }];
    }),
  );
}
