/** Ports of a switch at most: their numbers fit an octet. */
export const SWITCH_PORTS_MAX = 256;
