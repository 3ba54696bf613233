import type { ManagedValue } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import type { PauseResponder } from '../../quanta/pause-responder.js';

/** Range and default of the pause time (802.3 31B.2). */
export const PAUSE_QUANTA = { least: 1, most: 65_535, default: 65_535 } as const;

/** The counters of 802.3 30.3.4, by port. */
export class PauseCounters {
  readonly sent: Float64Array;
  readonly received: Float64Array;

  constructor(tables: Tables) {
    this.sent = tables.float64('port', 1);
    this.received = tables.float64('port', 1);
  }
}

export function pauseManagedValues(
  port: number,
  spec: PortSpec,
  counters: PauseCounters,
  responder: PauseResponder,
  now: number,
): ManagedValue[] {
  if (spec.pause === null) return [];
  const show = (name: string, value: number): ManagedValue => ({ name, priority: null, value });
  return [
    show('aPAUSEMACCtrlFramesTransmitted', counters.sent[port]),
    show('aPAUSEMACCtrlFramesReceived', counters.received[port]),
    show('pausedTimePs', responder.heldPs(port, 0, now)),
    show('pausedCount', responder.holdCount(port, 0)),
  ];
}
