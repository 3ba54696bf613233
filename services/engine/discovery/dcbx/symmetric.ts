/** One end of a link under the symmetric rule of 802.1Q 38.4.2. */
export interface SymmetricEnd {
  readonly willing: boolean;
  readonly mac: number;
}

/**
 * Whose configuration this end uses. Two willing ends would follow each other without end, so the
 * one with the greater address, compared as a number, keeps its own.
 */
export function followsPeer(local: SymmetricEnd, peer: SymmetricEnd): boolean {
  return local.willing && !(peer.willing && local.mac > peer.mac);
}
