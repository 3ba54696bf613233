/** Frames of every kind that the codecs know, each with what a stranger should read in it. */

import { encodeCrc32 } from '../../services/engine/wire/crc32.js';
import {
  blankEthernetHeader,
  encodeEthernetHeader,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  type EthernetHeader,
  tagControl,
} from '../../services/engine/wire/ethernet.js';
import {
  blankIpv4Header,
  encodeIpv4Header,
  IPV4_HEADER_OCTETS,
} from '../../services/engine/wire/ipv4.js';
import {
  blankIpv6Header,
  encodeIpv6Header,
  type Ipv6Header,
} from '../../services/engine/wire/ipv6.js';
import { MAC_CONTROL_OCTETS } from '../../services/engine/wire/mac-control/mac-control-header.js';
import {
  blankPauseFrame,
  encodePause,
} from '../../services/engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, encodePfc } from '../../services/engine/wire/mac-control/pfc-frame.js';
import {
  AETH_OCTETS,
  blankBaseTransportHeader,
  BTH_OCTETS,
  encodeAcknowledgeHeader,
  encodeBaseTransportHeader,
  invariantCrc,
  ROCE_ACKNOWLEDGE,
  ROCE_CNP,
  ROCE_SEND_FIRST,
  ROCE_SEND_LAST,
  ROCE_SEND_MIDDLE,
  ROCE_SEND_ONLY,
  ROCE_UDP_PORT,
  SYNDROME_ACK,
  SYNDROME_NAK_SEQUENCE_ERROR,
} from '../../services/engine/wire/roce.js';
import {
  encodeUdpHeader,
  fillUdpChecksumIpv6,
  IP_PROTOCOL_UDP,
  UDP_HEADER_OCTETS,
} from '../../services/engine/wire/udp.js';

export interface KnownFrame {
  readonly name: string;
  readonly octets: Uint8Array;
  /** tshark's name of a field, and its value as tshark writes it. */
  readonly fields: Readonly<Record<string, string>>;
}

const SOURCE = 0x02000000000a;
const DESTINATION = 0x02000000000b;
const ICRC_OCTETS = 4;
const QUEUE_PAIR = 0x11;

export function knownFrames(): KnownFrame[] {
  const inner = tagControl({ priority: 3, dropEligible: true, vlan: 100 });
  const outer = tagControl({ priority: 5, dropEligible: false, vlan: 4000 });
  const tagged = { 'vlan.id': '100', 'vlan.priority': '3', 'vlan.dei': '1' };
  const doubleTagged = {
    ...tagged,
    'ieee8021ad.id': '4000',
    'ieee8021ad.priority': '5',
    'ieee8021ad.dei': '0',
  };
  return [
    pause(),
    pfc(),
    roce('SEND first, IPv4', { opcode: ROCE_SEND_FIRST, sequence: 0xfffffe, payload: 1024 }),
    roce('SEND middle, IPv6', {
      opcode: ROCE_SEND_MIDDLE,
      sequence: 0xffffff,
      payload: 1024,
      ipv6: true,
    }),
    roce('SEND last, C-TAG', {
      opcode: ROCE_SEND_LAST,
      sequence: 0x000000,
      payload: 101,
      tags: { cTag: inner },
      fields: tagged,
    }),
    roce('SEND only, S-TAG and C-TAG, IPv6', {
      opcode: ROCE_SEND_ONLY,
      sequence: 0x000001,
      payload: 100,
      ipv6: true,
      tags: { sTag: outer, cTag: inner },
      fields: doubleTagged,
    }),
    roce('ACK, IPv4', {
      opcode: ROCE_ACKNOWLEDGE,
      sequence: 0x000002,
      syndrome: SYNDROME_ACK,
      fields: ACK_FIELDS,
    }),
    roce('NAK, IPv6', {
      opcode: ROCE_ACKNOWLEDGE,
      sequence: 0x000003,
      syndrome: SYNDROME_NAK_SEQUENCE_ERROR,
      ipv6: true,
      fields: NAK_FIELDS,
    }),
    roce('CNP, IPv4', { opcode: ROCE_CNP, sequence: 0x000004, payload: 16 }),
  ];
}

const ACK_FIELDS = {
  'infiniband.aeth.syndrome.opcode': '0',
  'infiniband.aeth.syndrome.credit_count': '31',
  'infiniband.aeth.msn': '77',
};

const NAK_FIELDS = {
  'infiniband.aeth.syndrome.opcode': '3',
  'infiniband.aeth.syndrome.error_code': '0',
  'infiniband.aeth.msn': '77',
};

function pause(): KnownFrame {
  const octets = new Uint8Array(MAC_CONTROL_OCTETS);
  encodePause(octets, 0, { ...blankPauseFrame(), source: SOURCE, quanta: 0xabcd });
  const fields = { 'macc.opcode': '0x0001', 'macc.pause_time': '43981' };
  return { name: 'PAUSE', octets, fields };
}

function pfc(): KnownFrame {
  const octets = new Uint8Array(MAC_CONTROL_OCTETS);
  const frame = { ...blankPfcFrame(), source: SOURCE, enableVector: 0b1000_1001 };
  frame.quanta.set([0xffff, 0, 0, 256, 0, 0, 0, 0]);
  encodePfc(octets, 0, frame);
  const fields = {
    'macc.opcode': '0x0101',
    'macc.cbfc.enbv': '0x0089',
    'macc.cbfc.pause_time.c0': '65535',
    'macc.cbfc.pause_time.c1': '0',
    'macc.cbfc.pause_time.c3': '256',
    'macc.cbfc.pause_time.c7': '0',
  };
  return { name: 'PFC', octets, fields };
}

interface RoceFrame {
  readonly opcode: number;
  readonly sequence: number;
  /** Octets of payload, before padding. */
  readonly payload?: number;
  readonly syndrome?: number;
  readonly ipv6?: boolean;
  readonly tags?: Partial<EthernetHeader>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A whole packet, its payload zeros. */
function roce(name: string, frame: RoceFrame): KnownFrame {
  const { sequence, payload = 0, ipv6 = false } = frame;
  const padOctets = -payload & 3;
  const aethOctets = frame.syndrome === undefined ? 0 : AETH_OCTETS;
  const body = BTH_OCTETS + aethOctets + payload + padOctets + ICRC_OCTETS;
  const octets = new Uint8Array(9216);
  const ip = encodeEthernetHeader(octets, 0, {
    ...blankEthernetHeader(),
    destination: DESTINATION,
    source: SOURCE,
    etherType: ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4,
    ...frame.tags,
  });
  const udp = ipv6 ? ipv6Over(octets, ip, body) : ipv4Over(octets, ip, body);
  const bth = encodeUdpHeader(octets, udp, {
    sourcePort: 0xc001,
    destinationPort: ROCE_UDP_PORT,
    totalOctets: UDP_HEADER_OCTETS + body,
    checksum: 0,
  });
  const next = encodeBaseTransportHeader(octets, bth, {
    ...blankBaseTransportHeader(),
    opcode: frame.opcode,
    padOctets,
    becn: frame.opcode === ROCE_CNP,
    destinationQueuePair: QUEUE_PAIR,
    acknowledgeRequest: frame.opcode === ROCE_SEND_LAST,
    sequence,
  });
  if (frame.syndrome !== undefined) {
    encodeAcknowledgeHeader(octets, next, { syndrome: frame.syndrome, messageSequence: 77 });
  }
  const icrc = bth + body - ICRC_OCTETS;
  const end = encodeCrc32(octets, icrc, invariantCrc(octets, ip, icrc));
  if (ipv6) fillUdpChecksumIpv6(octets, udp, end, ipv6Header(body));
  const fields = {
    'infiniband.bth.opcode': String(frame.opcode),
    'infiniband.bth.psn': String(sequence),
    'infiniband.bth.padcnt': String(padOctets),
    'infiniband.bth.a': frame.opcode === ROCE_SEND_LAST ? '1' : '0',
    'infiniband.bth.destqp': '0x000011',
    'udp.dstport': String(ROCE_UDP_PORT),
    [ipv6 ? 'ipv6.tclass.dscp' : 'ip.dsfield.dscp']: '26',
    [ipv6 ? 'ipv6.tclass.ecn' : 'ip.dsfield.ecn']: '2',
    ...frame.fields,
  };
  return { name, octets: octets.slice(0, end), fields };
}

function ipv4Over(octets: Uint8Array, at: number, body: number): number {
  return encodeIpv4Header(octets, at, {
    ...blankIpv4Header(),
    dscp: 26,
    ecn: 2,
    totalOctets: IPV4_HEADER_OCTETS + UDP_HEADER_OCTETS + body,
    protocol: IP_PROTOCOL_UDP,
    source: 0x0a000001,
    destination: 0x0a000002,
  });
}

/** Of a host, by its number: `fd00::1`. */
function ipv6Of(host: number): Uint8Array {
  const octets = new Uint8Array(16);
  octets[0] = 0xfd;
  octets[15] = host;
  return octets;
}

function ipv6Header(body: number): Ipv6Header {
  return {
    ...blankIpv6Header(),
    dscp: 26,
    ecn: 2,
    payloadOctets: UDP_HEADER_OCTETS + body,
    nextHeader: IP_PROTOCOL_UDP,
    source: ipv6Of(1),
    destination: ipv6Of(2),
  };
}

function ipv6Over(octets: Uint8Array, at: number, body: number): number {
  return encodeIpv6Header(octets, at, ipv6Header(body));
}
