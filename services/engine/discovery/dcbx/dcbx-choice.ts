import type { DcbxMode } from '../../contract/discovery.js';

/** Versions of DCBX that a neighbor has sent. */
interface SpokenDcbx {
  readonly ieee: boolean;
  readonly cee: boolean;
}

/**
 * Which DCBX a port sends and uses: IEEE, unless the neighbor has only CEE. A port that changed to
 * CEE keeps it as long as that neighbor is there, and never sends both.
 */
export function chosenDcbx(mode: DcbxMode, peer: SpokenDcbx | null): 'none' | 'ieee' | 'cee' {
  if (mode === 'off') return 'none';
  if (mode !== 'auto') return mode;
  return peer !== null && peer.cee && !peer.ieee ? 'cee' : 'ieee';
}
