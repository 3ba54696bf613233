import type { ManagedValue } from '../../engine/contract/flow-control.js';

/** Ranges and defaults of the managed objects (802.1Qcz 49.4.1). */
export const CI_TX_PRIORITY = 6;
export const CI_MAX_CIM = { least: 1, most: 255, default: 3 } as const;
export const CI_STREAMS = { least: 1, most: 65_536, default: 1_024 } as const;
/**
 * Least and most octets of a quoted frame: its flow is identified by EtherType, IPv4 and UDP source
 * port.
 */
export const CI_HEADER_OCTETS = { least: 24, most: 512, default: 48 } as const;
/** DSCP of a message on IP: CS6, network control (RFC 4594 3.1). */
export const CI_DSCP = 48;

/** Counters of one bridge. */
export class CiCounters {
  /** Flows found congesting here, and flows that a downstream CIM named. */
  ciFlowsFound = 0;
  ciFlowsByCim = 0;
  ciCimAddsTransmitted = 0;
  ciCimDelsTransmitted = 0;
  ciCimsReceived = 0;
  ciCimsMalformed = 0;
  /** From a port without a CI peer, or of a flow with another egress. */
  ciCimsRefused = 0;
  /** The stream table was full: the flow stayed in its queue. */
  ciTableFull = 0;
  /** Frames that were queued in a congesting queue. */
  ciFramesIsolated = 0;
  ciFlowsReturned = 0;
}

/** What each counter counts. */
export const CI_COUNTERS: Readonly<Record<keyof CiCounters, readonly [unit: string, string]>> = {
  ciFlowsFound: ['flows', 'Flows found congesting here.'],
  ciFlowsByCim: ['flows', 'Flows that a CIM from downstream named.'],
  ciCimAddsTransmitted: ['messages', 'CIMs sent that add a flow.'],
  ciCimDelsTransmitted: ['messages', 'CIMs sent that remove a flow.'],
  ciCimsReceived: ['messages', 'CIMs received.'],
  ciCimsMalformed: ['messages', 'Of those, discarded for their form.'],
  ciCimsRefused: ['messages', 'Of those, from no CI peer, or of a flow with another egress.'],
  ciTableFull: ['times', 'The stream table was full, and the flow stayed in its queue.'],
  ciFramesIsolated: ['frames', 'Frames queued in a congesting queue.'],
  ciFlowsReturned: ['flows', 'Flows that returned to their queue.'],
};

export function ciManagedValues(counters: CiCounters): ManagedValue[] {
  return Object.entries(counters).map(([name, value]) => ({
    name,
    priority: null,
    value: value as number,
  }));
}
