/** What an agent of LLDP is told, and what it counts (802.1AB 9.2.5 and 10.5). */

import type { LldpStatus, LldpTimers } from '../../contract/discovery.js';

export const LLDP_RANGES = {
  msgTxInterval: { least: 1, most: 3600, default: 30 },
  msgTxHold: { least: 1, most: 100, default: 4 },
  msgFastTx: { least: 1, most: 3600, default: 1 },
  txFastInit: { least: 1, most: 8, default: 4 },
  txCreditMax: { least: 1, most: 10, default: 5 },
  reinitDelay: { least: 1, most: 10, default: 2 },
  /** So many that "more than one peer" can be seen. */
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
  /** What was to be said and did not fit into one LLDPDU. */
  lengthErrorsTotal: number;
  /** Organizational TLVs that were there twice; none of them counts. */
  duplicateTlvsTotal: number;
  /** LLDPDUs of neighbours for whom there was no room. */
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
    lengthErrorsTotal: 0,
    duplicateTlvsTotal: 0,
    refusedNeighborsTotal: 0,
  };
}
