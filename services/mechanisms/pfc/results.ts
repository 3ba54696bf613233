import { z } from 'zod';
import type { RunView, SliceMetric, SliceResults } from '../mechanism-slice.js';
import { PfcMechanism } from './mechanism.js';
import type { PfcPlan } from './plan.js';

/** Storms that the watchdog of a port detected for a priority. */
interface WatchdogResult {
  readonly port: string;
  /** Its link partner. */
  readonly peer: string;
  readonly priority: number;
  readonly action: 'drop' | 'forward';
  readonly storms: number;
  readonly stormPs: number;
  readonly droppedFrames: number;
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

export const pfcResults: SliceResults<PfcTypes> = {
  collect: (run) => ({ watchdogs: watchdogsOf(run) }),
  metrics,
  published: {
    watchdogs: z
      .array(
        z.strictObject({
          port: z.string(),
          peer: z.string().describe('Port of the link partner.'),
          priority: z.number(),
          action: z.enum(['drop', 'forward']),
          storms: z.number(),
          stormPs: z.number(),
          droppedFrames: z.number(),
        }),
      )
      .describe('Ports at which a watchdog acted.'),
  },
};

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
        return {
          port: name,
          peer: context.devices[peerDevice].links[peerPort].name,
          priority,
          action: own.action,
          storms,
          stormPs: watchdog.stormPs(firstPort + p, priority, nowPs),
          droppedFrames: watchdog.droppedOf(firstPort + p, priority),
        };
      }),
    ),
  );
}
