/** Answers of a forwarding decision that are not a port. */
export const NOWHERE = -1;
/** Copies go to every port of `copies`. */
export const SEVERAL = -2;
export const FILTERED = -3;

/** Where a frame goes: one port, several, or none. */
export interface Forwarding {
  /** Ports of the last decision that was SEVERAL; the first `copyCount` count. */
  readonly copies: Uint16Array;
  copyCount: number;
  /** By priority: octets of tags put on less octets of tags taken off, for the books. */
  readonly tagOctets: Float64Array;
  egress(port: number, frame: number): number;
  /** Last chance to change a frame's tags, before it is charged and queued at its egress. */
  rewrite(frame: number, egress: number): void;
}
