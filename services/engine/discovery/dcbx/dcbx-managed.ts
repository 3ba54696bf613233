import type { DcbxAdmin } from '../../contract/discovery.js';
import type { Application, Ets } from '../../wire/lldp/dcbx-ieee.js';

/** Operational state of a port, and whose configuration that is. */
export interface DcbxOperation {
  protocol: 'none' | 'ieee' | 'cee';
  ets: Ets;
  etsFrom: 'local' | 'peer';
  /** Priorities with PFC, one bit each. */
  pfc: number;
  pfcFrom: 'local' | 'peer';
  applications: readonly Application[];
  mismatches: number;
}

/** Bits of `mismatches`. */
export const MISMATCH = {
  ETS: 1,
  PFC: 2,
  APPLICATION: 4,
  SEVERAL_PEERS: 8,
  NO_COMMON_PROTOCOL: 16,
  CREDIT: 32,
  CREDIT_UNIT: 64,
} as const;

export const MISMATCH_NAMES: readonly (readonly [number, string])[] = [
  [MISMATCH.ETS, 'ets'],
  [MISMATCH.PFC, 'pfc'],
  [MISMATCH.APPLICATION, 'application'],
  [MISMATCH.SEVERAL_PEERS, 'several-peers'],
  [MISMATCH.NO_COMMON_PROTOCOL, 'no-common-protocol'],
  [MISMATCH.CREDIT, 'credit'],
  [MISMATCH.CREDIT_UNIT, 'credit-unit'],
];

/** Shares nothing with configurations or neighbors, so that it can be restored in place. */
export function copyOperation(operation: DcbxOperation): DcbxOperation {
  const { ets, applications } = operation;
  return {
    ...operation,
    ets: { ...ets },
    applications: applications.map((application) => ({ ...application })),
  };
}

export function localOperation(admin: DcbxAdmin): DcbxOperation {
  return {
    protocol: 'none',
    ets: admin.ets,
    etsFrom: 'local',
    pfc: admin.pfc.enabled,
    pfcFrom: 'local',
    applications: admin.applications,
    mismatches: 0,
  };
}
