/** Frames and messages as a reference describes them. */

import { blankCeTag, CE_TAG_GRANT, encodeLoneCeTag, type CeTag } from './ce-tag.js';
import { blankCfUpdate, CF_COUNT_MASK, encodeCfUpdate } from './cf-update.js';
import { blankCim, CIM_FIXED_OCTETS, encodeCim } from './cim.js';
import { CN_TAG_OCTETS, encodeCnTag } from './cn-tag.js';
import { blankCnm, CNM_OCTETS, encodeCnm } from './cnm.js';
import { blankCnp, CNP_OCTETS, encodeCnp } from './cnp.js';
import { UDP_PORT_CIM, UDP_PORT_SFCM } from './congestion-message.js';
import {
  blankLlrSet,
  encodeLlrSet,
  encodeNumberedPreamble,
  LLR_ACK,
  LLR_INIT,
  LLR_INIT_ECHO,
  LLR_NACK,
  LLR_NUMBERS,
} from './llr.js';
import {
  blankCcUpdate,
  CC_UPDATE_CHANNELS,
  CREDIT_COUNT_MASK,
  encodeCcUpdate,
} from './mac-control/cc-update.js';
import {
  blankCeFrame,
  CE_ACK,
  CE_EPOCH_MASK,
  CE_REPORT,
  CE_SYN,
  decodeAmount,
  encodeCe,
} from './mac-control/ce-frame.js';
import { MAC_CONTROL_OCTETS } from './mac-control/mac-control-header.js';
import { OPCODE_CE_GRANT } from './mac-control/opcodes.js';
import { blankPauseFrame, encodePause } from './mac-control/pause-frame.js';
import { blankPfcFrame, encodePfc } from './mac-control/pfc-frame.js';
import { ORDERED_SET_OCTETS } from './ordered-set.js';
import { ROCE_SELECTIVE_ACKNOWLEDGE } from './roce.js';
import { blankSelectiveAck, encodeSelectiveAck, SELECTIVE_ACK_OCTETS } from './selective-ack.js';
import {
  blankUetAck,
  blankUetCredit,
  blankUetCreditRequest,
  blankUetNack,
  blankUetRequest,
  encodeUetAck,
  encodeUetCredit,
  encodeUetCreditRequest,
  encodeUetNack,
  encodeUetRequest,
  UET_ACK_CC_OCTETS,
  UET_CONTROL_OCTETS,
  UET_CREDIT_REQUEST_OCTETS,
  UET_NACK_OCTETS,
  UET_REQUEST_OCTETS,
  UET_SEMANTIC_OCTETS,
  UET_UDP_PORT,
} from './uet.js';
import { blankSfcm, encodeSfcm, SFCM_FIXED_OCTETS } from './sfcm.js';
import {
  appendHop,
  blankHop,
  encodeBlankTelemetry,
  QUEUE_UNIT_OCTETS,
  SENT_UNIT_OCTETS,
  SENT_UNITS_MODULO,
  TELEMETRY_HOPS,
  TELEMETRY_OCTETS,
  type TelemetryHop,
  TIME_NS_MODULO,
} from './telemetry.js';
import { PREAMBLE_OCTETS, PRIORITIES } from '../units/ethernet.js';
import { TLV_FORMATS } from './lldp/formats.js';
import { type Described, format, type WireFormat } from './wire-format.js';

const ONES_48 = 2 ** 48 - 1;
const ONES_32 = 2 ** 32 - 1;
const ONES_16 = 2 ** 16 - 1;
const ALL = 2 ** PRIORITIES - 1;
const SOURCE = 0x02000000000a;

const MAC_SOURCE = [
  'source',
  'address of the sending port',
  { source: ONES_48 },
] satisfies Described<{ source: number }>;

function ofPriority<T extends Uint16Array | Uint32Array>(array: T, values: object): T {
  return Object.assign(array.slice(), values) as T;
}

/** Of frames to MAC control. */
const MAC_CONTROL: Pick<WireFormat, 'fixed'> = {
  fixed: [
    ['destination', 0, 6],
    ['EtherType', 12, 2],
    ['opcode', 14, 2],
  ],
};

const FLAGS =
  `SYN ${hex(CE_SYN)}, ACK ${hex(CE_ACK)}, report ${hex(CE_REPORT)}, ` +
  `epoch ${hex(CE_EPOCH_MASK)}; 0 with incremental counts`;

const CE_BLANK = { ...blankCeFrame(), tcSelectionVector: ALL };

export const WIRE_FORMATS: readonly WireFormat[] = [
  format(
    ['PAUSE', '802.3 Annex 31B: MAC control, opcode 00-01.'],
    {
      ...MAC_CONTROL,
      ...{ length: MAC_CONTROL_OCTETS, encode: encodePause, blank: blankPauseFrame() },
    },
    [MAC_SOURCE, ['pause_time', 'quanta of 512 bit times; 0 releases', { quanta: ONES_16 }]],
    { source: SOURCE, quanta: ONES_16 },
  ),
  format(
    ['PFC', '802.3 Annex 31D, 802.1Q clause 36: MAC control, opcode 01-01.'],
    {
      ...MAC_CONTROL,
      length: MAC_CONTROL_OCTETS,
      encode: encodePfc,
      blank: { ...blankPfcFrame(), enableVector: ALL },
    },
    [
      MAC_SOURCE,
      [
        'priority_enable_vector',
        'bit n: time n is valid',
        { enableVector: ALL },
        { enableVector: 0 },
      ],
      [
        'time[0..7]',
        'two octets each, quanta of 512 bit times; 0 releases',
        { quanta: new Uint16Array(PRIORITIES).fill(ONES_16) },
      ],
    ],
    {
      ...{ source: SOURCE, enableVector: 1 << 3 },
      quanta: ofPriority(new Uint16Array(PRIORITIES), { 3: ONES_16 }),
    },
  ),
  format(
    [
      'Credit exchange: CE frame',
      'MAC control, opcode 01-10 (request) or 01-11 (grant), as proposed to 802.1 in 2014.',
    ],
    { ...MAC_CONTROL, length: MAC_CONTROL_OCTETS, encode: encodeCe, blank: CE_BLANK },
    [
      MAC_SOURCE,
      ['flags', FLAGS, { flags: 0xff }],
      [
        'TC Selection Vector',
        'bit n: credit n is valid',
        { tcSelectionVector: ALL },
        { tcSelectionVector: 0 },
      ],
      [
        'TC Credit Vector[0..7], low',
        'two octets each: total of credits, low 16 bits, or amount with incremental counts',
        { tcCredits: new Uint32Array(PRIORITIES).fill(ONES_16) },
      ],
      ['channel', 'tenant of the link; 0 without channels', { channel: ONES_16 }],
      [
        'TC Credit Vector[0..7], high',
        'two octets each: upper bits of totals of more than 16 bits',
        { tcCredits: new Uint32Array(PRIORITIES).fill(ONES_32 - ONES_16) },
      ],
      [
        'amount[0..7]',
        'an octet each, in requests: credits requested, 5 bits of exponent (up to 29) and 3 of ' +
          'fraction; 0: all there is',
        { amounts: new Uint32Array(PRIORITIES).fill(decodeAmount(0xef)) },
      ],
    ],
    {
      ...{ source: SOURCE, opcode: OPCODE_CE_GRANT, tcSelectionVector: 1 << 3 },
      tcCredits: ofPriority(new Uint32Array(PRIORITIES), { 3: 384 }),
    },
  ),
  format(
    [
      'Credit exchange: CE-Tag',
      'Behind the addresses of a data frame, or in a frame of its own (here). Valid for one hop.',
    ],
    {
      length: MAC_CONTROL_OCTETS,
      fixed: [['destination', 0, 6]],
      encode: (octets, at, tag: CeTag & { source: number }) =>
        encodeLoneCeTag(octets, at, tag.source, tag),
      blank: { ...blankCeTag(), tcSelectionVector: 0, source: 0 },
    },
    [
      MAC_SOURCE,
      ['EtherType', '88-B5 request, 88-B6 grant', { type: ONES_16 }, { type: 0 }],
      ['flags', 'as in a CE frame', { flags: 0xff }],
      ['TC Selection Vector', 'exactly one bit', { tcSelectionVector: ALL }],
      ['TC Credit', 'as in a CE frame, low 16 bits', { tcCredit: ONES_16 }],
      ['channel', 'as in a CE frame', { channel: ONES_16 }],
    ],
    { source: SOURCE, type: CE_TAG_GRANT, tcSelectionVector: 1 << 3, tcCredit: 384 },
  ),
  format(
    [
      'CBFC: CC_Update',
      'Ultra Ethernet: credits consumed. MAC control extension (802.3 Annex 31C) under an OUI of ' +
        'its own.',
    ],
    {
      fixed: [...MAC_CONTROL.fixed, ['organization', 16, 3]],
      ...{ length: MAC_CONTROL_OCTETS, encode: encodeCcUpdate, blank: blankCcUpdate() },
    },
    [
      MAC_SOURCE,
      [
        'message',
        '1: channels 0 to 15, 2: channels 16 to 31',
        { firstChannel: (0xff - 1) * CC_UPDATE_CHANNELS },
        { firstChannel: -CC_UPDATE_CHANNELS },
      ],
      [
        'consumed[0..15]',
        '20 bits each: cyclic counters of credits consumed',
        { counters: new Uint32Array(CC_UPDATE_CHANNELS).fill(CREDIT_COUNT_MASK) },
      ],
    ],
    { source: SOURCE, counters: ofPriority(new Uint32Array(CC_UPDATE_CHANNELS), { 3: 384 }) },
  ),
  format(
    ['CBFC: CF_Update', 'Ultra Ethernet: credits freed. A control ordered set between frames.'],
    {
      ...{ length: ORDERED_SET_OCTETS, encode: encodeCfUpdate, blank: blankCfUpdate() },
      fixed: [
        ['block type', 0, 1],
        ['message', 1, 1],
      ],
    },
    [
      ['channel[0..1]', 'virtual channel, 0 to 31', { channels: new Uint8Array(2).fill(31) }],
      [
        'freed[0..1]',
        '15 bits each: cyclic counter of credits freed',
        { counts: new Uint16Array(2).fill(CF_COUNT_MASK) },
      ],
    ],
    { channels: new Uint8Array([3, 3]), counts: new Uint16Array([384, 384]) },
  ),
  format(
    ['Link-level retry', 'Ultra Ethernet: a control ordered set between frames.'],
    {
      ...{ length: ORDERED_SET_OCTETS, encode: encodeLlrSet, blank: blankLlrSet() },
      fixed: [['block type', 0, 1]],
    },
    [
      [
        'type',
        `LLR_ACK ${LLR_ACK}, LLR_NACK ${LLR_NACK}, LLR_INIT ${LLR_INIT}, ` +
          `LLR_INIT_ECHO ${LLR_INIT_ECHO}`,
        { type: 0xff },
      ],
      [
        'sequence number',
        'last good frame, or the first of what follows',
        { number: LLR_NUMBERS - 1 },
      ],
      ['data', 'of INIT and its echo, little-endian; not 0', { data: ONES_16 }],
    ],
    { type: LLR_ACK, number: 384 },
  ),
  format(
    [
      'Link-level retry: preamble',
      'Ultra Ethernet: the preamble of a frame with a number, as the MAC sends it. Captures ' +
        'begin behind it.',
    ],
    {
      ...{ length: PREAMBLE_OCTETS, encode: encodeNumberedPreamble, blank: { number: 0 } },
      fixed: [
        ['start', 0, 1],
        ['preamble', 4, 3],
        ['start of frame', 7, 1],
      ],
    },
    [['sequence number', 'of the frame, cyclic', { number: LLR_NUMBERS - 1 }]],
    { number: 384 },
  ),
  format(
    [
      'SFCM',
      'Source flow control message, P802.1Qdw 52.5.3. Behind EtherType 89-A2, or in UDP over ' +
        `IPv4 or IPv6 (port ${UDP_PORT_SFCM}); the PDU is shown.`,
    ],
    {
      ...{ length: SFCM_FIXED_OCTETS, encode: encodeSfcm, blank: { ...blankSfcm(), type: 0 } },
      fixed: [
        ['subtype', 0, 1],
        ['length of the value', 2, 2],
        ['octets quoted', 36, 2],
      ],
    },
    [
      ['type', '1 pause, 2 resume; the upper half is the version, 1', { type: 15 }],
      ['priority', 'to pause', { priority: 7 }],
      ['DSCP valid, DSCP', 'of the congesting flow', { dscp: 63 }],
      ['sequence', 'counts messages to a source', { sequence: ONES_16 }],
      ['pause time', 'in nanoseconds', { pauseNs: ONES_32 }],
      ['destination', 'of the congesting flow', { destination: ONES_48 }],
      ['source', 'of the congesting flow', { source: ONES_48 }],
      ['VID', 'of the congesting flow', { vlan: 0xfff }],
      ['congestion point', 'address of the port', { queueMac: ONES_48 }],
      ['queue', 'number of the port and priority', { queueNumber: ONES_16 }],
      ['queue length', 'in units of 64 octets', { queueUnits: ONES_16 }],
    ],
    { priority: 3, type: 1, sequence: 1, pauseNs: 50_000, destination: SOURCE, source: SOURCE + 1 },
  ),
  format(
    [
      'CIM',
      'Congestion isolation message, 802.1Qcz 49.4.3. Carried as an SFCM, with UDP port ' +
        `${UDP_PORT_CIM}; the PDU is shown.`,
    ],
    {
      ...{ length: CIM_FIXED_OCTETS, encode: encodeCim, blank: { ...blankCim(), add: false } },
      fixed: [
        ['subtype', 0, 1],
        ['octets quoted', 16, 2],
      ],
    },
    [
      ['add', '1: the flow goes to the congesting queue; 0: it comes back', { add: true }],
      ['destination', 'of the flow', { destination: ONES_48 }],
      ['source', 'of the flow', { source: ONES_48 }],
      ['VID', 'of the flow', { vlan: 0xfff }],
    ],
    { add: true, destination: SOURCE, source: SOURCE + 1 },
  ),
  format(
    ['CNM', 'Congestion notification message, 802.1Q 33.4. Behind EtherType 22-E7; PDU.'],
    {
      ...{ length: CNM_OCTETS, encode: encodeCnm, blank: blankCnm() },
      fixed: [['octets quoted', 22, 2]],
    },
    [
      ['quantized feedback', '0 to 63', { feedback: 63 }],
      ['CPID: bridge', 'address of the bridge', { bridge: ONES_48 }],
      ['CPID: port', 'of the congestion point', { port: 0xff }],
      ['CPID: priority', 'of the congestion point', { queuePriority: 0xff }],
      ['cnmQOffset', 'signed, units of 64 octets', { queueOffset: ONES_16 }],
      ['cnmQDelta', 'signed, units of 64 octets', { queueDelta: ONES_16 }],
      ['encapsulated priority', 'of the sampled frame', { priority: 7 }],
      ['encapsulated destination', 'of the sampled frame', { destination: ONES_48 }],
    ],
    { feedback: 40, bridge: SOURCE, port: 1, queuePriority: 3, priority: 3 },
  ),
  format(
    ['CN-TAG', '802.1Q 33.2: behind the tags of a frame, EtherType 22-E9.'],
    {
      length: CN_TAG_OCTETS,
      fixed: [['EtherType', 0, 2]],
      encode: (octets, at, { flowId }) => encodeCnTag(octets, at, flowId),
      blank: { flowId: 0 },
    },
    [['Flow ID', 'names the flow to its source', { flowId: ONES_16 }]],
    { flowId: 17 },
  ),
  format(
    [
      'CNP',
      'Congestion notification packet of RoCEv2, InfiniBand Annex A17.9: in UDP, port 4791; from ' +
        'the base transport header on, without the ICRC.',
    ],
    { length: CNP_OCTETS, encode: encodeCnp, blank: blankCnp() },
    [['destination queue pair', 'the sender to slow down', { destinationQueuePair: 0xffffff }]],
    { destinationQueuePair: 17 },
  ),
  format(
    [
      'Selective acknowledgement',
      "Selvage's own: behind the acknowledge header (AETH) of a RoCEv2 packet whose opcode, " +
        `0x${ROCE_SELECTIVE_ACKNOWLEDGE.toString(16)}, is one of those left to vendors. The ` +
        'packet number and the syndrome are those of a NAK of the packet that is missing.',
    ],
    { length: SELECTIVE_ACK_OCTETS, encode: encodeSelectiveAck, blank: blankSelectiveAck() },
    [
      ['base', 'packet that the lowest bit stands for', { base: 0xffffff }],
      ['bitmap', 'packets that have arrived, from the lowest bit on', { bitmap: ONES_32 }],
    ],
    { base: 258, bitmap: 0x8000000d },
  ),
  format(
    [
      'UET request',
      'Ultra Ethernet 1.0, packet delivery sublayer: a RUD request, with a standard header of ' +
        `the semantic sublayer (${UET_SEMANTIC_OCTETS} octets, here zeros) behind it. In UDP, ` +
        `port ${UET_UDP_PORT}.`,
    ],
    {
      length: UET_REQUEST_OCTETS,
      encode: encodeUetRequest,
      blank: blankUetRequest(),
      fixed: [['type 2, next header 3, flags', 0, 2]],
    },
    [
      ['retransmitted', 'flag', { retransmitted: true }],
      ['acknowledgement requested', 'flag', { ackRequested: true }],
      ['SYN', 'flag', { syn: true }],
      ['PSN', 'number of the packet', { psn: ONES_32 }],
      ['SPDCID', 'of the connection at its source', { sourcePdc: ONES_16 }],
      ['DPDCID', 'of the connection at its destination', { destinationPdc: ONES_16 }],
    ],
    { ackRequested: true, psn: 258, sourcePdc: 17, destinationPdc: 34 },
  ),
  format(
    [
      'UET ACK_CC',
      'Ultra Ethernet 1.0, packet delivery sublayer: an acknowledgement with the state of NSCC.',
    ],
    {
      length: UET_ACK_CC_OCTETS,
      encode: encodeUetAck,
      blank: blankUetAck(),
      fixed: [['type 8, next header 4, flags', 0, 2]],
    },
    [
      ['M', 'flag: the packet that it answers was marked', { marked: true }],
      ['ACK PSN offset', 'of that packet, signed, from the CACK PSN', { ackOffset: ONES_16 }],
      ['CACK PSN', 'all before it have arrived', { cumulativePsn: ONES_32 }],
      ['SPDCID', 'of the connection at its source', { sourcePdc: ONES_16 }],
      ['DPDCID', 'of the connection at its destination', { destinationPdc: ONES_16 }],
      ['SACK PSN offset', 'of the lowest bit, signed, from the CACK PSN', { sackOffset: ONES_16 }],
      ['SACK bitmap, upper', 'packets that have arrived', { sackHigh: ONES_32 }],
      ['SACK bitmap, lower', 'the same', { sackLow: ONES_32 }],
      ['service time', 'units of 128 ns; 0: not told', { serviceTime: ONES_16 }],
      ['restore', 'the window before a penalty returns', { restore: true }],
      ['penalty', 'RCV_CWND_PEND: 128ths', { penalty: 0x7f }],
      ['received', 'octets, in units of 256, cyclic', { receivedUnits: 0xffffff }],
      ['out of order', 'packets', { outOfOrder: ONES_16 }],
    ],
    {
      ...{ marked: true, ackOffset: 3, cumulativePsn: 256, sourcePdc: 34, destinationPdc: 17 },
      ...{ sackLow: 0xd, serviceTime: 8, penalty: 64, receivedUnits: 291, outOfOrder: 2 },
    },
  ),
  format(
    [
      'UET NACK',
      'Ultra Ethernet 1.0, packet delivery sublayer: a packet is refused that a switch trimmed.',
    ],
    {
      length: UET_NACK_OCTETS,
      encode: encodeUetNack,
      blank: blankUetNack(),
      fixed: [['type 10, next header 0, flags', 0, 2]],
    },
    [
      ['M', 'flag: the packet that it answers was marked', { marked: true }],
      ['code', '1: trimmed, 2: trimmed at the last hop', { code: 0xff }],
      ['PSN', 'number of the packet', { psn: ONES_32 }],
      ['SPDCID', 'of the connection at its source', { sourcePdc: ONES_16 }],
      ['DPDCID', 'of the connection at its destination', { destinationPdc: ONES_16 }],
    ],
    { code: 1, psn: 258, sourcePdc: 34, destinationPdc: 17 },
  ),
  format(
    [
      'UET request with credit',
      'Ultra Ethernet 1.0, packet delivery sublayer: a RUD_CC request, with what its sender ' +
        'wants to be granted. Of the target, frames here carry 16 bits.',
    ],
    {
      length: UET_CREDIT_REQUEST_OCTETS,
      encode: encodeUetCreditRequest,
      blank: blankUetCreditRequest(),
      fixed: [['type 13, next header 3, flags', 0, 2]],
    },
    [
      ['retransmitted', 'flag', { retransmitted: true }],
      ['acknowledgement requested', 'flag', { ackRequested: true }],
      ['SYN', 'flag', { syn: true }],
      ['PSN', 'number of the packet', { psn: ONES_32 }],
      ['SPDCID', 'of the connection at its source', { sourcePdc: ONES_16 }],
      ['DPDCID', 'of the connection at its destination', { destinationPdc: ONES_16 }],
      ['credit target', 'total, in units of 256 octets, cyclic', { creditTarget: 0xffffff }],
    ],
    { ackRequested: true, psn: 258, sourcePdc: 17, destinationPdc: 34, creditTarget: 879 },
  ),
  format(
    [
      'UET credit',
      'Ultra Ethernet 1.0, packet delivery sublayer: a control packet by which a receiver grants.',
    ],
    {
      length: UET_CONTROL_OCTETS,
      encode: encodeUetCredit,
      blank: blankUetCredit(),
      fixed: [['type 11, next 7, flags', 0, 2]],
    },
    [
      ['PSN', 'all before it have arrived', { psn: ONES_32 }],
      ['SPDCID', 'of the connection at its source', { sourcePdc: ONES_16 }],
      ['DPDCID', 'of the connection at its destination', { destinationPdc: ONES_16 }],
      ['credit', 'total, in units of 256 octets, cyclic', { credit: ONES_32 }],
    ],
    { psn: 256, sourcePdc: 34, destinationPdc: 17, credit: 64 },
  ),
  format(
    [
      'In-band telemetry of HPCC',
      'HPCC, SIGCOMM 2019, figure 7: between the addresses and the EtherType of a data frame, ' +
        `with room for ${TELEMETRY_HOPS} switches (${TELEMETRY_OCTETS} octets). EtherType 88-B7.`,
    ],
    {
      length: encodeBlankTelemetry().length,
      encode: (octets, _at, { node, ...hop }: TelemetryHop & { node: number }) => {
        octets.set(encodeBlankTelemetry());
        appendHop(octets, node, hop);
      },
      blank: { ...blankHop(), node: 0 },
    },
    [
      ['path', 'exclusive or of the numbers of the switches', { node: 0xfff }],
      ['rate', 'of the egress port of the first switch, as an index', { rate: 15 }],
      ['time', 'of the first switch, nanoseconds', { timeNs: TIME_NS_MODULO - 1 }],
      [
        'sent',
        `octets sent, in units of ${SENT_UNIT_OCTETS}`,
        { sentUnits: SENT_UNITS_MODULO - 1 },
      ],
      ['queue', `its length, in units of ${QUEUE_UNIT_OCTETS} octets`, { queueUnits: ONES_16 }],
    ],
    { node: 1, rate: 5, timeNs: 1000, sentUnits: 100, queueUnits: 20 },
  ),
  ...TLV_FORMATS,
];

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0');
}
