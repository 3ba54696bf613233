/** Congestion notification message (802.1Q clause 33). */

import { readU16, readU48, requireRoom, writeU16, writeU48 } from './big-endian.js';
import { CN_TAG_OCTETS, decodeCnTag, encodeCnTag, ETHERTYPE_CN_TAG } from './cn-tag.js';
import type { Decoded } from './decoded.js';
import {
  blankEthernetHeader,
  decodeEthernetHeader,
  encodeEthernetHeader,
  ethernetHeaderOctets,
  type EthernetHeader,
  ETHERTYPE_OCTETS,
} from './ethernet.js';
import { assert } from '../kernel/assert.js';

export const ETHERTYPE_CNM = 0x22e7;

/** A PDU without data of the sampled frame (33.4). */
export const CNM_OCTETS = 24;
export const CNM_MSDU_OCTETS_MAX = 64;

/** A frame without VLAN tags, with its CN-TAG and FCS, that encapsulates nothing. */
export const CNM_FRAME_OCTETS = 14 + CN_TAG_OCTETS + CNM_OCTETS + 4;

const FEEDBACK_MAX = 0x3f;

/** PDU of a message, what follows its EtherType. */
interface Cnm {
  /** Quantised feedback, 0..63. */
  feedback: number;
  /** CPID: the bridge's MAC address, then port and priority of the congestion point. */
  bridge: number;
  port: number;
  queuePriority: number;
  /** Signed, in units of 64 octets. */
  queueOffset: number;
  queueDelta: number;
  /** Of the sampled frame. */
  priority: number;
  destination: number;
  /** Its first octets behind tags, 0..64 of them: its EtherType begins its MSDU (9.1). */
  msduOctets: number;
  readonly msdu: Uint8Array;
}

export function blankCnm(): Cnm {
  return {
    feedback: 0,
    bridge: 0,
    port: 0,
    queuePriority: 0,
    queueOffset: 0,
    queueDelta: 0,
    priority: 0,
    destination: 0,
    msduOctets: 0,
    msdu: new Uint8Array(CNM_MSDU_OCTETS_MAX),
  };
}

/** Writes the PDU; returns the offset behind it. */
export function encodeCnm(octets: Uint8Array, at: number, cnm: Readonly<Cnm>): number {
  const next = at + CNM_OCTETS + cnm.msduOctets;
  requireRoom(octets, at, next - at);
  assert(cnm.feedback >= 0 && cnm.feedback < 64, 'cnm.feedback-of-6-bits');
  assert(cnm.priority < 8 && cnm.queuePriority < 256, 'cnm.priority-of-3-bits');
  writeU16(octets, at, cnm.feedback);
  writeU48(octets, at + 2, cnm.bridge);
  octets[at + 8] = cnm.port;
  octets[at + 9] = cnm.queuePriority;
  writeU16(octets, at + 10, cnm.queueOffset & 0xffff);
  writeU16(octets, at + 12, cnm.queueDelta & 0xffff);
  writeU16(octets, at + 14, cnm.priority << 13);
  writeU48(octets, at + 16, cnm.destination);
  writeU16(octets, at + 22, cnm.msduOctets);
  for (let i = 0; i < cnm.msduOctets; i++) octets[at + CNM_OCTETS + i] = cnm.msdu[i];
  return next;
}

/** Version 0 is the only one; reserved bits are ignored (33.4.1, 33.4.2). */
export function decodeCnm(octets: Uint8Array, at: number, into: Cnm): Decoded {
  if (octets.length - at < CNM_OCTETS) return 'too-short';
  if (octets[at] >> 4 !== 0) return 'wrong-version';
  const msduOctets = readU16(octets, at + 22);
  if (msduOctets > CNM_MSDU_OCTETS_MAX) return 'bad-length';
  if (octets.length - at < CNM_OCTETS + msduOctets) return 'too-short';
  into.feedback = octets[at + 1] & FEEDBACK_MAX;
  into.bridge = readU48(octets, at + 2);
  into.port = octets[at + 8];
  into.queuePriority = octets[at + 9];
  into.queueOffset = signed16(readU16(octets, at + 10));
  into.queueDelta = signed16(readU16(octets, at + 12));
  into.priority = octets[at + 14] >> 5;
  into.destination = readU48(octets, at + 16);
  into.msduOctets = msduOctets;
  for (let i = 0; i < msduOctets; i++) into.msdu[i] = octets[at + CNM_OCTETS + i];
  return 'ok';
}

function signed16(value: number): number {
  return value >= 0x8000 ? value - 0x10000 : value;
}

/** Headers of a message: Ethernet, and the CN-TAG of the frame that it is about (33.3). */
interface CnmEnvelope {
  readonly ethernet: EthernetHeader;
  /** 0: it has no CN-TAG. */
  flowId: number;
  /** Where the PDU begins. */
  pduAt: number;
}

export function blankCnmEnvelope(): CnmEnvelope {
  return { ethernet: blankEthernetHeader(), flowId: 0, pduAt: 0 };
}

/** Writes a whole frame without FCS; returns the offset behind it. */
export function encodeCnmFrame(
  octets: Uint8Array,
  at: number,
  around: CnmEnvelope,
  cnm: Readonly<Cnm>,
): number {
  const { ethernet, flowId } = around;
  ethernet.etherType = ETHERTYPE_CNM;
  let next = encodeEthernetHeader(octets, at, ethernet);
  if (flowId !== 0) {
    next = encodeCnTag(octets, next - ETHERTYPE_OCTETS, flowId) + ETHERTYPE_OCTETS;
    writeU16(octets, next - ETHERTYPE_OCTETS, ETHERTYPE_CNM);
  }
  around.pduAt = next;
  return encodeCnm(octets, next, cnm);
}

export function decodeCnmFrame(
  octets: Uint8Array,
  at: number,
  around: CnmEnvelope,
  into: Cnm,
): Decoded {
  const { ethernet } = around;
  const header = decodeEthernetHeader(octets, at, ethernet);
  if (header !== 'ok') return header;
  let next = at + ethernetHeaderOctets(ethernet);
  around.flowId = 0;
  if (ethernet.etherType === ETHERTYPE_CN_TAG) {
    if (decodeCnTag(octets, next - ETHERTYPE_OCTETS, around) !== 'ok') return 'too-short';
    next += CN_TAG_OCTETS;
    if (octets.length < next) return 'too-short';
    ethernet.etherType = readU16(octets, next - ETHERTYPE_OCTETS);
  }
  if (ethernet.etherType !== ETHERTYPE_CNM) return 'wrong-type';
  around.pduAt = next;
  return decodeCnm(octets, next, into);
}
