/** Levels of topology recognition (802.1Qcz): how far a bridge is from the end stations. */

export const END_STATION_LEVEL = 0;
export const UNKNOWN_LEVEL = 255;
/** Bridges that raise each other's level, because no station is left, stop here. */
const HIGHEST_LEVEL = 16;

export const END_STATION = 0;
export const BRIDGE = 1;

const UPLINK = 0;
const DOWNLINK = 1;
const CROSSLINK = 2;
const UNKNOWN = 255;

/** The level of a bridge is one above its lowest neighbor. */
export function bridgeLevel(neighborLevels: readonly number[]): number {
  const lowest = Math.min(UNKNOWN_LEVEL, ...neighborLevels);
  return lowest >= HIGHEST_LEVEL ? UNKNOWN_LEVEL : lowest + 1;
}

export function orientationOf(own: number, neighbor: number): number {
  if (own === UNKNOWN_LEVEL || neighbor === UNKNOWN_LEVEL) return UNKNOWN;
  if (own === neighbor) return CROSSLINK;
  return neighbor < own ? DOWNLINK : UPLINK;
}
