import type { ManagedValue } from '../../engine/contract/flow-control.js';

/** Ranges and defaults of the managed objects (802.1Qcz 49.4.1). */
export const CI_TX_PRIORITY = 6;
export const CI_MAX_FLOW_LIFE_PS = 1e12;
export const CI_MAX_CIM = { least: 1, most: 255, default: 3 } as const;
export const CI_STREAMS = { least: 1, most: 65_536, default: 1_024 } as const;
/** Up to here the identity of a flow ends: EtherType, IPv4 and UDP source port are needed. */
export const CI_HEADER_OCTETS = { least: 24, most: 512, default: 48 } as const;
/** An entry that no frame was seen of for so long is given up. */
export const CI_IDLE_PS = 10e9;
/** DSCP of a message on IP: CS6, network control (RFC 4594 3.1). */
export const CI_DSCP = 48;

/** What one bridge counts. */
export class CiCounters {
  /** Flows found congesting here, and flows that a downstream neighbour told of. */
  ciFlowsFound = 0;
  ciFlowsTold = 0;
  ciCimAddsTransmitted = 0;
  ciCimDelsTransmitted = 0;
  ciCimsReceived = 0;
  ciCimsMalformed = 0;
  /** From a port without a CI peer, or of a flow that goes elsewhere. */
  ciCimsRefused = 0;
  /** The stream table was full: the flow stayed where it was. */
  ciTableFull = 0;
  /** Frames that went to a congesting queue. */
  ciFramesIsolated = 0;
  ciFlowsReturned = 0;
}

export function ciManagedValues(counters: CiCounters): ManagedValue[] {
  return Object.entries(counters).map(([name, value]) => ({
    name,
    priority: null,
    value: value as number,
  }));
}
