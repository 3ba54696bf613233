/** What a frame takes on the wire beside its own octets (802.3 3.1, 4.4.2). */

/** Preamble and start frame delimiter. */
export const PREAMBLE_OCTETS = 8;
/** Least gap between two frames: 96 bit times. */
export const GAP_OCTETS = 12;
export const FCS_OCTETS = 4;
/** Destination address to FCS; shorter payload is padded. */
export const FRAME_OCTETS_MIN = 64;
/** A jumbo frame, tags included. */
export const FRAME_OCTETS_MAX = 9216;

/** Octet times from the start of a frame to the earliest start of the next one. */
export function wireOctets(frameOctets: number): number {
  return PREAMBLE_OCTETS + frameOctets + GAP_OCTETS;
}
