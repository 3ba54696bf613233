/** Settings and counters of an LLDP agent (802.1AB 9.2.5 and 10.5). */

import type { LldpStatus, LldpTimers } from '../../contract/discovery.js';

export const LLDP_RANGES = {
  msgTxInterval: { least: 1, most: 3600, default: 30 },
  msgTxHold: { least: 1, most: 100, default: 4 },
  msgFastTx: { least: 1, most: 3600, default: 1 },
  txFastInit: { least: 1, most: 8, default: 4 },
  txCreditMax: { least: 1, most: 10, default: 5 },
  reinitDelay: { least: 1, most: 10, default: 2 },
  /** Enough that "more than one peer" can be observed. */
  neighbors: { least: 1, most: 16, default: 4 },
} as const;

export function maySend(status: LldpStatus): boolean {
  return status === 'send' || status === 'both';
}

export function mayReceive(status: LldpStatus): boolean {
  return status === 'receive' || status === 'both';
}

/** Time to live that an LLDPDU states (802.1AB 9.2.5.22). */
export function txTtl({ msgTxInterval, msgTxHold }: LldpTimers): number {
  return Math.min(0xffff, msgTxInterval * msgTxHold + 1);
}

/** Under the names of 802.1AB 9.2.6; what is not there has a comment. */
export interface LldpStatistics {
  statsFramesOutTotal: number;
  statsFramesInTotal: number;
  statsFramesInErrorsTotal: number;
  statsFramesDiscardedTotal: number;
  statsTLVsUnrecognizedTotal: number;
  statsTLVsDiscardedTotal: number;
  statsAgeoutsTotal: number;
  statsRemTablesInserts: number;
  statsRemTablesDeletes: number;
  /** Why LLDPDUs were discarded: they end too early, */
  truncatedTotal: number;
  /** a mandatory TLV is not in its place, */
  misorderedTotal: number;
  /** or is there again, */
  repeatedMandatoryTotal: number;
  /** or has a length that it cannot have. */
  mandatoryLengthErrorsTotal: number;
  /** Why TLVs were: their length, shares that are not 100 percent, another value. */
  tlvLengthErrorsTotal: number;
  etsSumErrorsTotal: number;
  tlvValueErrorsTotal: number;
  /** LLDPDUs with a time to live of zero. */
  shutdownsInTotal: number;
  /** LLDPDUs with both IEEE DCBX and CEE. */
  dcbxConflictsTotal: number;
  /** How often more than one neighbor appeared. */
  severalPeersTotal: number;
  /** TLVs that did not fit into one LLDPDU. */
  lengthErrorsTotal: number;
  /** Organizational TLVs that were there twice; none of them counts. */
  duplicateTlvsTotal: number;
  /** LLDPDUs of neighbors for which there was no room. */
  refusedNeighborsTotal: number;
}

export function blankStatistics(): LldpStatistics {
  return {
    statsFramesOutTotal: 0,
    statsFramesInTotal: 0,
    statsFramesInErrorsTotal: 0,
    statsFramesDiscardedTotal: 0,
    statsTLVsUnrecognizedTotal: 0,
    statsTLVsDiscardedTotal: 0,
    statsAgeoutsTotal: 0,
    statsRemTablesInserts: 0,
    statsRemTablesDeletes: 0,
    truncatedTotal: 0,
    misorderedTotal: 0,
    repeatedMandatoryTotal: 0,
    mandatoryLengthErrorsTotal: 0,
    tlvLengthErrorsTotal: 0,
    etsSumErrorsTotal: 0,
    tlvValueErrorsTotal: 0,
    shutdownsInTotal: 0,
    dcbxConflictsTotal: 0,
    severalPeersTotal: 0,
    lengthErrorsTotal: 0,
    duplicateTlvsTotal: 0,
    refusedNeighborsTotal: 0,
  };
}
