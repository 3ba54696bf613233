/** VXLAN (RFC 7348 5): eight octets before a frame, in the payload of a UDP datagram. */

import type { Refusal } from '../refusals.js';

const VXLAN_OCTETS = 8;
/** The I flag: the network identifier is valid. All other bits are reserved, and ignored. */
const VALID_VNI = 0x08;

/** A frame in a network, or why it is none. */
type ReadVxlan = { readonly vni: number; readonly frame: Uint8Array } | Refusal;

export function readVxlan(octets: Uint8Array): ReadVxlan {
  if (octets.length < VXLAN_OCTETS) return 'header';
  if ((octets[0]! & VALID_VNI) === 0) return 'header';
  const vni = (octets[4]! << 16) | (octets[5]! << 8) | octets[6]!;
  return { vni, frame: octets.subarray(VXLAN_OCTETS) };
}

/** The payload of a datagram; not a view, since sockets keep it until it is sent. */
export function writeVxlan(vni: number, frame: Uint8Array): Uint8Array {
  const octets = new Uint8Array(VXLAN_OCTETS + frame.length);
  octets[0] = VALID_VNI;
  octets[4] = vni >>> 16;
  octets[5] = vni >>> 8;
  octets[6] = vni;
  octets.set(frame, VXLAN_OCTETS);
  return octets;
}
