/** What the fabric must know of a frame of a real host, whatever its octets are. */

import type { LiveFrame } from '../../engine/contract/live.js';
import { hashOctets } from '../../engine/frame/octet-store.js';
import { PRIORITY_TAGGED, VID_MASK, VLAN_TAG_OCTETS } from '../../engine/units/ethernet.js';
import { readU16 } from '../../engine/wire/big-endian.js';
import {
  ETHERTYPE_AT,
  ETHERTYPE_C_TAG,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_S_TAG,
} from '../../engine/wire/ethernet.js';

/** Destination, source and EtherType. */
export const HEADER_OCTETS = 14;
/** Without FCS (802.3 3.2.8). */
const LEAST_OCTETS = 60;

const IPV4_LEAST = 20;
const IPV6_HEADER = 40;
const FRAGMENT_MASK = 0x3fff;
const TCP = 6;
const UDP = 17;

/** Where headers begin; -1: there is none. */
export interface Layers {
  readonly etherType: number;
  readonly vlan: number;
  /** Of the C-TAG; -1: untagged. */
  readonly tagPriority: number;
  /** Of an IPv4 or IPv6 header that is whole. */
  readonly ipAt: number;
  /** Of TCP or UDP behind it, not of a fragment. */
  readonly transportAt: number;
  readonly protocol: number;
  /** End of the IP packet: padding follows. */
  readonly endAt: number;
}

export function layersOf(octets: Uint8Array): Layers {
  let at = ETHERTYPE_AT;
  let vlan = 0;
  let tagPriority = -1;
  let etherType = readU16(octets, at);
  const isTag = (): boolean => etherType === ETHERTYPE_C_TAG || etherType === ETHERTYPE_S_TAG;
  while (isTag() && at + 2 * VLAN_TAG_OCTETS <= octets.length) {
    const control = readU16(octets, at + 2);
    const vid = control & VID_MASK;
    if (etherType === ETHERTYPE_S_TAG) vlan = (vlan & 0xffff) | (vid << 16);
    else {
      vlan = (vlan & ~0xffff) | (vid === 0 ? PRIORITY_TAGGED : vid);
      tagPriority = control >>> 13;
    }
    at += VLAN_TAG_OCTETS;
    etherType = readU16(octets, at);
  }
  const shared = { etherType, vlan, tagPriority };
  const ipAt = at + 2;
  if (etherType === ETHERTYPE_IPV4) return { ...shared, ...ipv4At(octets, ipAt) };
  if (etherType === ETHERTYPE_IPV6) return { ...shared, ...ipv6At(octets, ipAt) };
  return { ...shared, ...NO_IP };
}

type IpLayers = Pick<Layers, 'ipAt' | 'transportAt' | 'protocol' | 'endAt'>;

const NO_IP: IpLayers = { ipAt: -1, transportAt: -1, protocol: -1, endAt: -1 };

function ipv4At(octets: Uint8Array, ipAt: number): IpLayers {
  if (octets.length < ipAt + IPV4_LEAST || octets[ipAt]! >> 4 !== 4) return NO_IP;
  const header = (octets[ipAt]! & 0xf) * 4;
  const endAt = ipAt + readU16(octets, ipAt + 2);
  if (header < IPV4_LEAST || ipAt + header > endAt || endAt > octets.length) return NO_IP;
  const isFragment = (readU16(octets, ipAt + 6) & FRAGMENT_MASK) !== 0;
  return { ipAt, endAt, ...transport(octets[ipAt + 9]!, isFragment, ipAt + header, endAt) };
}

function ipv6At(octets: Uint8Array, ipAt: number): IpLayers {
  if (octets.length < ipAt + IPV6_HEADER || octets[ipAt]! >> 4 !== 6) return NO_IP;
  const endAt = ipAt + IPV6_HEADER + readU16(octets, ipAt + 4);
  if (endAt > octets.length) return NO_IP;
  return { ipAt, endAt, ...transport(octets[ipAt + 6]!, false, ipAt + IPV6_HEADER, endAt) };
}

function transport(
  protocol: number,
  isFragment: boolean,
  at: number,
  endAt: number,
): Pick<Layers, 'transportAt' | 'protocol'> {
  const least = protocol === TCP ? 20 : protocol === UDP ? 8 : Infinity;
  return { protocol, transportAt: isFragment || at + least > endAt ? -1 : at };
}

/** DSCP and the two bits of congestion (RFC 3168), of either version; -1: no IP. */
export function trafficClass(octets: Uint8Array, { ipAt, etherType }: Layers): number {
  if (ipAt < 0) return -1;
  if (etherType === ETHERTYPE_IPV4) return octets[ipAt + 1]!;
  return ((octets[ipAt]! & 0xf) << 4) | (octets[ipAt + 1]! >> 4);
}

/** All of a frame but where it goes; `priority`: of untagged frames, null for that of the DSCP. */
export function classOf(
  octets: Uint8Array,
  priority: number | null,
): Omit<LiveFrame, 'target' | 'isGroup'> {
  const layers = layersOf(octets);
  const traffic = trafficClass(octets, layers);
  const ofDscp = traffic < 0 ? 0 : traffic >> 5;
  const capability = traffic < 0 ? 0 : traffic & 3;
  return {
    priority: layers.tagPriority >= 0 ? layers.tagPriority : (priority ?? ofDscp),
    hash: flowHashOf(octets, layers),
    vlan: layers.vlan,
    isCapable: capability === 1 || capability === 2,
  };
}

/** Frames of one flow take one path: addresses and ports, or the addresses of the frame. */
function flowHashOf(octets: Uint8Array, { ipAt, transportAt, etherType }: Layers): number {
  if (ipAt < 0) return hashOctets(octets, ETHERTYPE_AT);
  const [from, length] = etherType === ETHERTYPE_IPV4 ? [ipAt + 12, 8] : [ipAt + 8, 32];
  const addresses = hashOctets(octets.subarray(from), length);
  if (transportAt < 0) return addresses;
  return Math.imul(addresses, 31) ^ hashOctets(octets.subarray(transportAt), 4);
}

/** The frame as a MAC sends it: short ones are padded. */
export function padded(octets: Uint8Array): Uint8Array {
  const frame = new Uint8Array(Math.max(LEAST_OCTETS, octets.length));
  frame.set(octets);
  return frame;
}
