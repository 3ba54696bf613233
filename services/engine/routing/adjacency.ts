/**
 * The link partner of every port. Ports of all devices are numbered through: those of device d are
 * the slots `firstSlot[d] .. firstSlot[d + 1] - 1`, in port order.
 */
export interface Adjacency {
  /** Devices below this number are hosts. */
  readonly hosts: number;
  readonly firstSlot: Int32Array;
  /** By slot: the device at the other end, its port, and the link between. */
  readonly peer: Int32Array;
  readonly peerPort: Int32Array;
  readonly link: Int32Array;
}

/** Links that carry nothing, one octet a slot; 1 at both ends of each. */
export type DownSlots = Uint8Array;

/** The slot at the other end of a link. */
export function peerSlot({ firstSlot, peer, peerPort }: Adjacency, slot: number): number {
  return firstSlot[peer[slot]] + peerPort[slot];
}
