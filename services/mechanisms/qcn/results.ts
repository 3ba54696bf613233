import type { RunView, SliceResults } from '../mechanism-slice.js';
import { QcnMechanism } from './mechanism.js';
import type { QcnPlan } from './plan.js';
import type { QcnSettings } from './settings.js';
import { QcnSwitch } from './switch.js';

/** A queue with a congestion point. */
export interface CongestionPointResult {
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

/** What its parts share. */
export interface QcnTypes {
  readonly settings: QcnSettings;
  readonly plan: QcnPlan;
  readonly results: QcnResults;
}

export const qcnResults: SliceResults<QcnTypes> = {
  collect: (run) => ({ congestionPoints: pointsOf(run) }),
  tables: ({ congestionPoints }) => {
    const columns = ['port', 'priority', 'set_point_octets', 'samples', 'messages'];
    const rows = congestionPoints.map((p) => [
      ...[p.port, p.priority, p.setPointOctets, p.samples, p.messages],
    ]);
    return [{ name: 'congestion-points', columns, rows }];
  },
};

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
