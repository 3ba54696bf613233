/** Credits of all arbiters count 64 octets; a frame costs every unit it has begun. */

export const CREDIT_OCTETS = 64;

/** A KB of the data sheet. */
export const KB = 1024;

/** The deepest debt of a group strict class: 2,048 KB (Table 7-52). */
export const DEEPEST_DEBT = (2048 * KB) / CREDIT_OCTETS;

/** Cost of a frame: its octets from destination address to FCS, rounded up. */
export function creditsOf(octets: number): number {
  return (octets + CREDIT_OCTETS - 1) >> 6;
}
