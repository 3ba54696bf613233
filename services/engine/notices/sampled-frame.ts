import { FCS_OCTETS, VID_MASK, VLAN_TAG_OCTETS } from '../units/ethernet.js';
import type { FramePool } from '../frame/frame-pool.js';
import {
  CLASS,
  dscpOf,
  GROUP_FLAG,
  HASH,
  KIND_MASK,
  KIND_RAW,
  LENGTH,
  SOURCE,
  TARGET,
  VLAN,
} from '../frame/frame-pool.js';
import { writeU16 } from '../wire/big-endian.js';
import { CN_TAG_OCTETS } from '../wire/cn-tag.js';
import { ETHERTYPE_IPV4, ETHERNET_HEADER_OCTETS } from '../wire/ethernet.js';
import { blankIpv4Header, encodeIpv4Header } from '../wire/ipv4.js';
import {
  blankUdpHeader,
  encodeUdpHeader,
  IP_PROTOCOL_UDP,
  flowSourcePort,
  DISCARD_UDP_PORT,
} from '../wire/udp.js';
import { groupIpv4, groupMac, type Stations } from './stations.js';
import type { FrameRef } from '../units/indices.js';
import { ROCE_UDP_PORT } from '../wire/roce.js';
import { assert } from '../kernel/assert.js';

const IPV4_OCTETS = 20;

/** The part of a frame that a message about it contains. */
export interface SampledFrame {
  /** MAC addresses are 48-bit numbers. */
  destination: number;
  source: number;
  vlan: number;
  msduOctets: number;
}

const ip = { ...blankIpv4Header(), protocol: IP_PROTOCOL_UDP };
const udp = blankUdpHeader();
const headers = new Uint8Array(2 + IPV4_OCTETS + 8);

/**
 * Reads addresses and VID of a frame, and writes its first octets from the EtherType on: headers as
 * they are, and zeros for payload, of which frames have the length only.
 */
export function sampleFrame(
  pool: FramePool,
  frame: FrameRef,
  stations: Stations,
  most: number,
  msdu: Uint8Array,
  into: SampledFrame,
): void {
  const { words, ends } = pool;
  const group = (words[frame + CLASS] & GROUP_FLAG) !== 0;
  const target = words[frame + TARGET];
  const source = ends[frame + SOURCE];
  const tags = ends[frame + VLAN];
  into.destination = group ? groupMac(target) : stations.mac(target);
  into.source = stations.mac(source);
  into.vlan = tags & VID_MASK;
  const outer = ETHERNET_HEADER_OCTETS + tagCount(tags) * VLAN_TAG_OCTETS + FCS_OCTETS;
  const cnTag = pool.flowId(frame) === 0 ? 0 : CN_TAG_OCTETS;
  const packet = words[frame + LENGTH] - outer - cnTag;
  assert(packet >= IPV4_OCTETS && most >= 0, 'sample.packet-of-frame');
  writeU16(headers, 0, ETHERTYPE_IPV4);
  ip.dscp = dscpOf(words[frame + CLASS]);
  ip.totalOctets = packet;
  ip.source = stations.ipv4(source);
  ip.destination = group ? groupIpv4(target) : stations.ipv4(target);
  encodeIpv4Header(headers, 2, ip);
  udp.sourcePort = flowSourcePort(words[frame + HASH]);
  const raw = (words[frame + CLASS] & KIND_MASK) === KIND_RAW;
  udp.destinationPort = raw ? DISCARD_UDP_PORT : ROCE_UDP_PORT;
  udp.totalOctets = packet - IPV4_OCTETS;
  encodeUdpHeader(headers, 2 + IPV4_OCTETS, udp);
  into.msduOctets = Math.min(most, 2 + packet);
  for (let i = 0; i < into.msduOctets; i++) msdu[i] = i < headers.length ? headers[i] : 0;
}

function tagCount(tags: number): number {
  return ((tags & 0xffff) === 0 ? 0 : 1) + (tags >>> 16 === 0 ? 0 : 1);
}
