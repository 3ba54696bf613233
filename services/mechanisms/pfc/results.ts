import { z } from 'zod';
import type { RunView, SliceMetric, SliceResults } from '../mechanism-slice.js';
import { type ColumnOf, columnsOf, type ResultTable, resultTable } from '../result-table.js';
import { PfcMechanism } from './mechanism.js';
import type { PfcPlan } from './plan.js';
import type { StormFrames } from './storm-frames.js';

/** Storms that the watchdog of a port detected for a priority. */
interface WatchdogResult {
  readonly port: string;
  /** Its link partner. */
  readonly peer: string;
  readonly priority: number;
  readonly action: 'drop' | 'forward' | 'alert';
  readonly storms: number;
  /** Of them, those that are over. */
  readonly restored: number;
  readonly stormPs: number;
  /** Of the queue, by the watchdog. */
  readonly droppedFrames: number;
  /** During all storms, and during the last one. */
  readonly frames: StormFrames;
  readonly lastFrames: StormFrames;
}

export interface PfcResults {
  /** Of every port and priority where a watchdog has stepped in. */
  readonly watchdogs: readonly WatchdogResult[];
}

export interface PfcTypes {
  readonly settings: unknown;
  readonly plan: PfcPlan;
  readonly results: PfcResults;
  readonly metric: keyof typeof metrics;
}

const metrics = {
  'watchdog.storms': {
    unit: 'count',
    meaning: 'storms that watchdogs detected',
    measure: ({ watchdogs }, at) =>
      watchdogs
        .filter(({ port, priority }) => {
          const device = port.slice(0, port.lastIndexOf(':'));
          return at.device(device) && at.port(port) && at.priority(priority);
        })
        .reduce((sum, { storms }) => sum + storms, 0),
  },
} as const satisfies Readonly<Record<string, SliceMetric<PfcResults>>>;

const stormFrames = z.strictObject({
  txOk: z.number(),
  txDropped: z.number(),
  rxOk: z.number(),
  rxDropped: z.number(),
});

export const pfcResults: SliceResults<PfcTypes> = {
  collect: (run) => ({ watchdogs: watchdogsOf(run) }),
  tables: [watchdogTable()],
  metrics,
  published: {
    watchdogs: z
      .array(
        z.strictObject({
          port: z.string(),
          peer: z.string().describe('Port of the link partner.'),
          priority: z.number(),
          action: z.enum(['drop', 'forward', 'alert']),
          storms: z.number(),
          restored: z.number().describe('Of them, those that are over.'),
          stormPs: z.number(),
          droppedFrames: z.number(),
          frames: stormFrames.describe('Of the queue (tx) and the priority group (rx) in storms.'),
          lastFrames: stormFrames.describe('The same in the last storm.'),
        }),
      )
      .describe('Ports at which a watchdog acted, as table watchdogs.'),
  },
};

function watchdogTable(): ResultTable<PfcResults> {
  const row = columnsOf<WatchdogResult>();
  const counted = (
    prefix: string,
    what: string,
    of: (own: WatchdogResult) => StormFrames,
  ): ColumnOf<WatchdogResult>[] => [
    row.whole(`${prefix}tx_ok`, 'frames', `${what}: sent.`, (w) => of(w).txOk),
    row.whole(`${prefix}tx_dropped`, 'frames', `${what}: dropped by it.`, (w) => of(w).txDropped),
    row.whole(`${prefix}rx_ok`, 'frames', `${what}: received and stored.`, (w) => of(w).rxOk),
    row.whole(`${prefix}rx_dropped`, 'frames', `${what}: received, lost.`, (w) => of(w).rxDropped),
  ];
  return resultTable({
    name: 'watchdogs',
    about: 'a port and priority where a watchdog detected storms',
    rows: ({ watchdogs }) => watchdogs,
    columns: [
      row.text('port', 'Its name.', (w) => w.port),
      row.text('peer', 'Port of the link partner, which paused it.', (w) => w.peer),
      row.whole('priority', '0 to 7', 'The priority.', (w) => w.priority),
      row.text('action', '`drop`, `forward` or `alert`.', (w) => w.action),
      row.whole('storms', 'times', 'Storms detected.', (w) => w.storms),
      row.whole('restored', 'times', 'Storms that are over.', (w) => w.restored),
      row.whole('storm_ps', 'ps', 'How long they lasted.', (w) => w.stormPs),
      ...counted('', 'Frames in storms', (w) => w.frames),
      ...counted('last_', 'Frames in the last storm', (w) => w.lastFrames),
    ],
  });
}

function watchdogsOf({ engine, nowPs, context }: RunView<PfcTypes>): WatchdogResult[] {
  const pfc = engine.mechanisms.find((own) => own instanceof PfcMechanism);
  if (pfc === undefined) return [];
  const { watchdog } = pfc;
  return engine.devices.flatMap(({ spec, firstPort, place }) =>
    spec.ports.flatMap(({ name, pausing }, p) =>
      (pausing?.watchdog ?? []).flatMap((own, priority) => {
        const storms = watchdog.stormsOf(firstPort + p, priority);
        if (own === null || storms === 0) return [];
        const { peerDevice, peerPort } = context.devices[place].links[p];
        const [frames, lastFrames] = watchdog.framesOf(firstPort + p, priority);
        return {
          port: name,
          peer: context.devices[peerDevice].links[peerPort].name,
          priority,
          action: own.action,
          storms,
          restored: storms - (watchdog.isDetected(firstPort + p, priority) ? 1 : 0),
          stormPs: watchdog.stormPs(firstPort + p, priority, nowPs),
          droppedFrames: watchdog.droppedOf(firstPort + p, priority),
          ...{ frames, lastFrames },
        };
      }),
    ),
  );
}
