import type { DcbxMode } from '../../contract/discovery.js';

/** What a neighbour was heard to speak. */
export interface SpokenDcbx {
  readonly ieee: boolean;
  readonly cee: boolean;
}

/**
 * Which DCBX a port sends, and so works by: IEEE, unless the neighbour has only CEE. A port that
 * went over to CEE stays there as long as that neighbour does, and never speaks both.
 */
export function chosenDcbx(mode: DcbxMode, peer: SpokenDcbx | null): 'none' | 'ieee' | 'cee' {
  if (mode === 'off') return 'none';
  if (mode !== 'auto') return mode;
  return peer !== null && peer.cee && !peer.ieee ? 'cee' : 'ieee';
}
