import { z } from 'zod';
import { columnName, columnsOf, resultTable } from '../result-table.js';
import type { ResultTable } from '../result-table.js';
import { SFC_COUNTERS } from './managed.js';
import type { SfcPathResult, SfcResult, SfcResults } from './result-rows.js';

const device = columnsOf<SfcResult>();
const path = columnsOf<SfcPathResult>();

export const sfcTables: readonly ResultTable<SfcResults>[] = [
  resultTable({
    name: 'sfc',
    about: 'a device that sends or receives SFCMs (P802.1Qdw)',
    rows: ({ sfc }: SfcResults) => sfc,
    columns: [
      device.text('device', 'Its name.', (s) => s.device),
      device.text('role', '`bridge` or `station`.', (s) => s.role),
      device.whole('sources_peak', 'entries', 'Most entries in use.', (s) => s.sourcesPeak),
      device.whole(
        'reaction_min_ps',
        'ps',
        'From detected congestion to the pause, at least.',
        (s) => s.reactionMinPs,
      ),
      device.real('reaction_mean_ps', 'ps', 'The mean of that.', (s) => s.reactionMeanPs),
      device.whole('reaction_max_ps', 'ps', 'The longest.', (s) => s.reactionMaxPs),
      device.whole('pauses', 'times', 'How often a station paused.', (s) => s.pauses),
      device.whole('paused_ps', 'ps', 'How long, over all priorities.', (s) => s.pausedPs),
      ...Object.entries(SFC_COUNTERS).map(([name, [unit, meaning]]) =>
        device.whole(columnName(name), unit, meaning, (s) => s.counters[name]),
      ),
    ],
  }),
  resultTable({
    name: 'sfc_paths',
    about: 'a flow, and whether SFCMs reach its source',
    rows: ({ sfcPaths }: SfcResults) => sfcPaths,
    columns: [
      path.text('flow', 'Name of the flow.', (p) => p.flow),
      path.text('reaction', '`station`, `proxy` or `none`.', (p) => p.reaction),
      path.text('sending_switches', 'Switches that send SFCMs for it.', (p) => p.sending.join(' ')),
      path.text('silent_switches', 'Switches on its path that do not.', (p) => p.silent.join(' ')),
    ],
  }),
];

const times = z.number().nullable();
const names = z.array(z.string());

export const sfcPublished: Readonly<Record<keyof SfcResults, z.ZodType>> = {
  sfc: z
    .array(
      z.strictObject({
        device: z.string(),
        role: z.enum(['bridge', 'station']),
        counters: z.record(z.string(), z.number()),
        sourcesPeak: z.number(),
        reactionMinPs: times,
        reactionMeanPs: times,
        reactionMaxPs: times,
        pauses: z.number(),
        pausedPs: z.number(),
      }),
    )
    .describe('Source flow control of each device with any, as table sfc.'),
  sfcPaths: z
    .array(
      z.strictObject({
        flow: z.string(),
        reaction: z.enum(['station', 'proxy', 'none']),
        sending: names.describe('Switches on its path that send SFCMs.'),
        silent: names.describe('Those that do not.'),
      }),
    )
    .describe('Flows with source flow control, as table sfc_paths.'),
};
