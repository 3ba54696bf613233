import type { ManagedValue } from '../../engine/contract/flow-control.js';
import { COUNTER } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PortRow } from '../../engine/units/indices.js';

/** The counters of 802.3 30.3.4, by port. */
export class PauseCounters {
  readonly sent: Float64Array;
  readonly received: Float64Array;

  constructor(tables: Tables) {
    this.sent = tables.float64('port', field('pauses sent', COUNTER));
    this.received = tables.float64('port', field('pauses received', COUNTER));
  }
}

export function pauseManagedValues(
  port: PortRow,
  counters: PauseCounters,
  responder: PauseResponder,
  now: number,
): ManagedValue[] {
  const show = (name: string, value: number): ManagedValue => ({ name, priority: null, value });
  return [
    show('aPAUSEMACCtrlFramesTransmitted', counters.sent[port]),
    show('aPAUSEMACCtrlFramesReceived', counters.received[port]),
    show('pausedTimePs', responder.blockedPs(port, 0, now)),
    show('pausedCount', responder.holdCount(port, 0)),
  ];
}
