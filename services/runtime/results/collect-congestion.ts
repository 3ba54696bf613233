import type { Engine } from '../../engine/device/engine.js';
import { NOTIFIED } from '../../engine/device/host/receivers.js';
import { reactsToMarks } from '../../plugins/plugins.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { CongestionPointResult, RateResult } from './results.js';

/** What became of every connection whose rate is controlled. */
export function ratesOf(fabric: Fabric, engine: Engine): RateResult[] {
  return fabric.flows.flatMap(({ name, congestion }, flow) => {
    const { send, receives } = fabric.flowEnds[flow]!;
    const status = engine.rates.status(
      engine.devices[send.device]!.rows.send.first + send.connection,
    );
    if (status === null) return [];
    const told = receives.reduce((total, { device, connection }) => {
      const row = engine.devices[device]!.rows.receive.first + connection;
      return total + engine.receivers.get(row, NOTIFIED);
    }, 0);
    const notificationsSent = reactsToMarks(congestion, fabric.scenario.plugins) ? told : null;
    return [{ flow, name, control: congestion, ...status, notificationsSent }];
  });
}

/** Queues that were sampled at least once. */
export function congestionPointsOf(fabric: Fabric, engine: Engine): CongestionPointResult[] {
  const { ports } = engine.shared;
  const { points } = engine.switching;
  return fabric.scenario.rateControls.qcn.priorities.flatMap((priority) =>
    fabric.linkEnds.flat().flatMap((end) => {
      const { spec, firstPort } = engine.devices[end.device]!;
      if (spec.kind !== 'switch' || spec.qcn === null) return [];
      const port = firstPort + end.port;
      const trafficClass = ports.classOf(port, priority);
      const samples = points.samples(port, trafficClass);
      if (samples === 0) return [];
      const { setPointOctets } = spec.qcn.ports[end.port]!;
      const messages = points.messages(port, trafficClass);
      return [{ port: end.name, priority, setPointOctets, samples, messages }];
    }),
  );
}
