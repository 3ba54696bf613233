import type { Engine } from '../../engine/device/engine.js';
import { NOTIFIED } from '../../engine/device/host/receivers.js';
import { reactsToMarks } from '../../plugins/plugins.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { RateResult } from './results.js';

/** Results of every connection with a rate control. */
export function ratesOf(fabric: Fabric, engine: Engine): RateResult[] {
  return fabric.flows.flatMap(({ name, congestion }, flow) => {
    const { send, receives } = fabric.flowEnds[flow]!;
    const status = engine.rates.status(
      engine.devices[send.device]!.rows.send.first + send.connection,
    );
    if (status === null) return [];
    const notified = receives.reduce((total, { device, connection }) => {
      const row = engine.devices[device]!.rows.receive.first + connection;
      return total + engine.receivers.get(row, NOTIFIED);
    }, 0);
    const notificationsSent = reactsToMarks(congestion, fabric.scenario.plugins) ? notified : null;
    return [{ flow, name, control: congestion, ...status, notificationsSent }];
  });
}
