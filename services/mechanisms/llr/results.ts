import { z } from 'zod';
import type { MessageCount, RunView, SliceMetric, SliceResults } from '../mechanism-slice.js';
import { columnName, columnsOf, resultTable } from '../result-table.js';
import type { LlrCounter } from './counters.js';
import { LLR_COUNTERS, LLR_MEANINGS } from './counters.js';
import { LlrMechanism } from './mechanism.js';
import type { LlrPlan } from './plan.js';
import type { LlrSettings } from './settings.js';

/** What a port did; only of those that numbered, or received, a frame. */
interface LlrPortResult {
  readonly device: string;
  readonly port: string;
  /** The most in its replay buffer. */
  readonly peakFrames: number;
  readonly peakBytes: number;
  readonly counters: Readonly<Record<LlrCounter, number>>;
}

export interface LlrResults {
  readonly llr: readonly LlrPortResult[];
}

/** What its parts share. */
export interface LlrTypes {
  readonly settings: LlrSettings;
  readonly plan: LlrPlan;
  readonly results: LlrResults;
  readonly metric: keyof typeof metrics;
}

function counting(counter: LlrCounter, meaning: string): SliceMetric<LlrResults> {
  return {
    unit: 'count',
    meaning,
    measure: ({ llr }, at) =>
      llr.reduce(
        (sum, row) =>
          sum + (at.device(row.device) && at.port(row.port) ? row.counters[counter] : 0),
        0,
      ),
  };
}

const metrics = {
  'llr.replays': {
    ...counting('LLR_TX_REPLAY', 'replays of link-level retry that were completed'),
    inSweeps: { column: 'link_replays', label: 'link replays' },
  },
  'llr.bad': counting('LLR_RX_BAD', 'bad frames at ports with link-level retry'),
  'llr.discards': counting(
    'LLR_TX_DISCARD',
    'frames that link-level retry gave up, as it flushed or did not run',
  ),
} as const satisfies Readonly<Record<string, SliceMetric<LlrResults>>>;

const port = columnsOf<LlrPortResult>();

export const llrResults: SliceResults<LlrTypes> = {
  collect: (run) => ({ llr: portsOf(run) }),
  tables: [
    resultTable({
      name: 'llr',
      about: 'a port with link-level retry, under the names of SAI',
      rows: ({ llr }: LlrResults) => llr,
      columns: [
        port.text('device', 'The device.', (p) => p.device),
        port.text('port', 'The port.', (p) => p.port),
        port.whole(
          'replay_peak_frames',
          'frames',
          'The most frames in its replay buffer.',
          (p) => p.peakFrames,
        ),
        port.whole(
          'replay_peak_bytes',
          'bytes',
          'The most bytes of frames in its replay buffer.',
          (p) => p.peakBytes,
        ),
        ...LLR_COUNTERS.map((name) =>
          port.whole(columnName(name), 'count', LLR_MEANINGS[name], (p) => p.counters[name]),
        ),
      ],
    }),
  ],
  published: {
    llr: z
      .array(
        z.strictObject({
          device: z.string(),
          port: z.string(),
          peakFrames: z.number().describe('The most frames in its replay buffer.'),
          peakBytes: z.number().describe('The most bytes of frames in it.'),
          counters: z.record(z.string(), z.number()).describe('Under the names of SAI.'),
        }),
      )
      .describe('Ports with link-level retry, as table llr.'),
  },
  metrics,
  messageCounts: ({ llr }) => llr.flatMap(messagesOf),
};

/** D1 of its ordered sets, as the link layer numbers them. */
const SETS = { ACK: 1, NACK: 2, INIT: 3, INIT_ECHO: 4 } as const;

function messagesOf({ port: at, counters }: LlrPortResult): MessageCount[] {
  return (Object.keys(SETS) as (keyof typeof SETS)[]).flatMap((name) => {
    const message = `set ${SETS[name]}` as const;
    return [
      { at, way: 'sent', message, count: counters[`LLR_TX_${name}_CTL_OS`] },
      { at, way: 'received', message, count: counters[`LLR_RX_${name}_CTL_OS`] },
    ] as const;
  });
}

function portsOf({ engine }: RunView<LlrTypes>): LlrPortResult[] {
  const mechanism = engine.given.find((one) => one instanceof LlrMechanism)!;
  return engine.devices.flatMap(({ spec, firstPort }) =>
    spec.ports.flatMap(({ name }, p): LlrPortResult[] => {
      if (mechanism.specAt(firstPort + p) === null) return [];
      const entries = LLR_COUNTERS.map(
        (counter) => [counter, mechanism.counted(firstPort + p, counter)] as const,
      );
      const counters = Object.fromEntries(entries) as Record<LlrCounter, number>;
      const isIdle = LLR_COUNTERS.every((name) => name.includes('_INIT_') || counters[name] === 0);
      const [peakFrames, peakBytes] = mechanism.mostReplayed(firstPort + p);
      const row = { device: spec.name, port: name, peakFrames, peakBytes, counters };
      return isIdle ? [] : [row];
    }),
  );
}
