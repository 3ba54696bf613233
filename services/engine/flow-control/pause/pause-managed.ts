import type { ManagedValue } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { StopObeyer } from '../../quanta/stop-obeyer.js';

/** Range and default of the time asked for (802.3 31B.2). */
export const PAUSE_QUANTA = { least: 1, most: 65_535, default: 65_535 } as const;

/** The counters of 802.3 30.3.4: MAC control PAUSE frames. */
export class PauseCounters {
  readonly sent: Float64Array;
  readonly received: Float64Array;

  constructor(ports: number) {
    this.sent = new Float64Array(ports);
    this.received = new Float64Array(ports);
  }
}

export function pauseManagedValues(
  ports: readonly PortSpec[],
  counters: PauseCounters,
  obeyer: StopObeyer,
  now: number,
): ManagedValue[] {
  return ports.flatMap((spec, port) =>
    spec.pause === null
      ? []
      : [
          { name: 'aPAUSEMACCtrlFramesTransmitted', port, priority: null, value: counters.sent[port] },
          { name: 'aPAUSEMACCtrlFramesReceived', port, priority: null, value: counters.received[port] },
          { name: 'pausedTimePs', port, priority: null, value: obeyer.heldPs(port, 0, now) },
          { name: 'pausedCount', port, priority: null, value: obeyer.holdCount(port, 0) },
        ],
  );
}
