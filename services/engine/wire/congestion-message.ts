/**
 * What congestion messages have in common (802.1Qcz 49.4.3, P802.1Qdw 52.5.3): a PDU that begins
 * with its subtype is carried behind EtherType 89-A2, or in a UDP datagram on IPv4 or IPv6.
 */

import type { Decoded } from './decoded.js';
import {
  blankEthernetHeader,
  decodeEthernetHeader,
  encodeEthernetHeader,
  ETHERTYPE_CONGESTION,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ethernetHeaderOctets,
  type EthernetHeader,
} from './ethernet.js';
import {
  blankIpv4Header,
  decodeIpv4Header,
  encodeIpv4Header,
  IPV4_HEADER_OCTETS,
  type Ipv4Header,
} from './ipv4.js';
import {
  blankIpv6Header,
  decodeIpv6Header,
  encodeIpv6Header,
  IPV6_HEADER_OCTETS,
  type Ipv6Header,
} from './ipv6.js';
import {
  blankUdpHeader,
  decodeUdpHeader,
  encodeUdpHeader,
  fillUdpChecksumIpv6,
  IP_PROTOCOL_UDP,
  UDP_HEADER_OCTETS,
  type UdpHeader,
} from './udp.js';

/** First octet of the PDU. */
export const SUBTYPE_CIM = 0;
export const SUBTYPE_SFCM = 1;

/** Dynamic ports (RFC 6335 6): none were assigned. */
export const UDP_PORT_CIM = 49_374;
export const UDP_PORT_SFCM = 49_375;

export const ENCAPSULATIONS = ['ethernet', 'ipv4', 'ipv6'] as const;
export type Encapsulation = (typeof ENCAPSULATIONS)[number];

/** All headers of a PDU. Those that the encapsulation does not have are left alone. */
export interface Envelope {
  encapsulation: Encapsulation;
  readonly ethernet: EthernetHeader;
  readonly ipv4: Ipv4Header;
  readonly ipv6: Ipv6Header;
  readonly udp: UdpHeader;
  /** Where the PDU begins, and where it ends at the latest. */
  pduAt: number;
  pduEnd: number;
}

export function blankEnvelope(): Envelope {
  return {
    encapsulation: 'ethernet',
    ethernet: blankEthernetHeader(),
    ipv4: { ...blankIpv4Header(), protocol: IP_PROTOCOL_UDP },
    ipv6: { ...blankIpv6Header(), nextHeader: IP_PROTOCOL_UDP },
    udp: blankUdpHeader(),
    pduAt: 0,
    pduEnd: 0,
  };
}

/** Octets in front of the PDU. */
export function envelopeOctets({ encapsulation, ethernet }: Readonly<Envelope>): number {
  const outer = ethernetHeaderOctets(ethernet);
  if (encapsulation === 'ethernet') return outer;
  const ip = encapsulation === 'ipv4' ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  return outer + ip + UDP_HEADER_OCTETS;
}

/**
 * Writes the headers of a PDU that is at `at + envelopeOctets(envelope)` already; fills in lengths
 * and checksums. Returns the offset behind the PDU.
 */
export function encodeEnvelope(
  octets: Uint8Array,
  at: number,
  envelope: Envelope,
  pduOctets: number,
): number {
  const { encapsulation, ethernet, ipv4, ipv6, udp } = envelope;
  const end = at + envelopeOctets(envelope) + pduOctets;
  udp.totalOctets = UDP_HEADER_OCTETS + pduOctets;
  udp.checksum = 0;
  if (encapsulation === 'ethernet') {
    ethernet.etherType = ETHERTYPE_CONGESTION;
    encodeEthernetHeader(octets, at, ethernet);
  } else if (encapsulation === 'ipv4') {
    ethernet.etherType = ETHERTYPE_IPV4;
    ipv4.totalOctets = IPV4_HEADER_OCTETS + udp.totalOctets;
    const next = encodeIpv4Header(octets, encodeEthernetHeader(octets, at, ethernet), ipv4);
    encodeUdpHeader(octets, next, udp);
  } else {
    ethernet.etherType = ETHERTYPE_IPV6;
    ipv6.payloadOctets = udp.totalOctets;
    const next = encodeIpv6Header(octets, encodeEthernetHeader(octets, at, ethernet), ipv6);
    encodeUdpHeader(octets, next, udp);
    fillUdpChecksumIpv6(octets, next, end, ipv6);
  }
  return end;
}

/** Finds the PDU of a whole frame without FCS; its subtype shows whether it is known. */
export function decodeEnvelope(octets: Uint8Array, at: number, into: Envelope): Decoded {
  const header = decodeEthernetHeader(octets, at, into.ethernet);
  if (header !== 'ok') return header;
  const next = at + ethernetHeaderOctets(into.ethernet);
  switch (into.ethernet.etherType) {
    case ETHERTYPE_CONGESTION:
      into.encapsulation = 'ethernet';
      into.pduAt = next;
      into.pduEnd = octets.length;
      return 'ok';
    case ETHERTYPE_IPV4:
      return decodeIpv4Envelope(octets, next, into);
    case ETHERTYPE_IPV6:
      return decodeIpv6Envelope(octets, next, into);
    default:
      return 'wrong-type';
  }
}

function decodeIpv4Envelope(octets: Uint8Array, at: number, into: Envelope): Decoded {
  const outcome = decodeIpv4Header(octets, at, into.ipv4);
  if (outcome !== 'ok') return outcome;
  if (into.ipv4.protocol !== IP_PROTOCOL_UDP) return 'wrong-type';
  into.encapsulation = 'ipv4';
  return decodeUdp(octets, at + into.ipv4.headerOctets, at + into.ipv4.totalOctets, into);
}

function decodeIpv6Envelope(octets: Uint8Array, at: number, into: Envelope): Decoded {
  const outcome = decodeIpv6Header(octets, at, into.ipv6);
  if (outcome !== 'ok') return outcome;
  if (into.ipv6.nextHeader !== IP_PROTOCOL_UDP) return 'wrong-type';
  into.encapsulation = 'ipv6';
  const next = at + IPV6_HEADER_OCTETS;
  return decodeUdp(octets, next, next + into.ipv6.payloadOctets, into);
}

function decodeUdp(octets: Uint8Array, at: number, end: number, into: Envelope): Decoded {
  if (end > octets.length) return 'too-short';
  const outcome = decodeUdpHeader(octets, at, into.udp);
  if (outcome !== 'ok') return outcome;
  into.pduAt = at + UDP_HEADER_OCTETS;
  into.pduEnd = at + into.udp.totalOctets;
  return into.pduEnd > end ? 'bad-length' : 'ok';
}
