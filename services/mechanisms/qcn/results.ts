import { z } from 'zod';
import type { MessageCount, RunView, SliceResults } from '../mechanism-slice.js';
import { columnsOf, resultTable } from '../result-table.js';
import { QcnMechanism } from './mechanism.js';
import type { QcnPlan } from './plan.js';
import type { QcnSettings } from './settings.js';
import { QcnSwitch } from './switch.js';

/** A queue with a congestion point. */
interface CongestionPointResult {
  readonly port: string;
  readonly priority: number;
  readonly setPointOctets: number;
  readonly samples: number;
  readonly messages: number;
}

export interface QcnResults {
  /** Queues that were sampled at least once. */
  readonly congestionPoints: readonly CongestionPointResult[];
}

/** Types that its parts share. */
export interface QcnTypes {
  readonly settings: QcnSettings;
  readonly plan: QcnPlan;
  readonly results: QcnResults;
}

const point = columnsOf<CongestionPointResult>();

export const qcnResults: SliceResults<QcnTypes> = {
  collect: (run) => ({ congestionPoints: pointsOf(run) }),
  tables: [
    resultTable({
      name: 'congestion_points',
      about: 'a queue with a congestion point (802.1Q 30.2.1) that was sampled',
      rows: ({ congestionPoints }: QcnResults) => congestionPoints,
      columns: [
        point.text('port', 'Its name.', (p) => p.port),
        point.whole('priority', '0 to 7', 'The priority.', (p) => p.priority),
        point.whole('set_point_bytes', 'bytes', 'cpQSp, its set point.', (p) => p.setPointOctets),
        point.whole('samples', 'frames', 'Frames sampled.', (p) => p.samples),
        point.whole('messages', 'messages', 'CNMs sent.', (p) => p.messages),
      ],
    }),
  ],
  messageCounts: ({ congestionPoints }) => messagesOf(congestionPoints),
  published: {
    congestionPoints: z
      .array(
        z.strictObject({
          port: z.string(),
          priority: z.number(),
          setPointBytes: z.number().describe('cpQSp.'),
          samples: z.number(),
          messages: z.number().describe('CNMs sent.'),
        }),
      )
      .describe('Congestion points of QCN that were sampled, as table congestion_points.'),
  },
};

/** Of a switch: a CNM leaves by the port that the sampled frame came in by. */
function messagesOf(points: readonly CongestionPointResult[]): MessageCount[] {
  const sent = new Map<string, number>();
  for (const { port: name, messages } of points) {
    const device = name.slice(0, name.lastIndexOf(':'));
    sent.set(device, (sent.get(device) ?? 0) + messages);
  }
  return [...sent].map(([at, count]) => ({ at, way: 'sent', message: 'CNM', count }));
}

function pointsOf({ engine, context, plan }: RunView<QcnTypes>): CongestionPointResult[] {
  const { points } = engine.given.find((mechanism) => mechanism instanceof QcnMechanism)!;
  const ends = context.devices.flatMap(({ links }, device) =>
    links.map(({ name }, port) => ({ device, port, name })),
  );
  return plan.priorities.flatMap((priority) =>
    ends.flatMap(({ device, port: local, name }) => {
      const role = engine.rolesOf(device)['qcn'];
      if (!(role instanceof QcnSwitch)) return [];
      const port = engine.devices[device].firstPort + local;
      const trafficClass = engine.shared.ports.classOf(port, priority);
      const samples = points.samples(port, trafficClass);
      if (samples === 0) return [];
      const { setPointOctets } = role.spec.ports[local];
      const messages = points.messages(port, trafficClass);
      return [{ port: name, priority, setPointOctets, samples, messages }];
    }),
  );
}
