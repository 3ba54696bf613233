import {
  FCS_OCTETS,
  VID_MASK,
  VLAN_TAG_OCTETS,
  PADDED_OCTETS,
} from '../../engine/units/ethernet.js';
import { readNotice } from '../../engine/analysis/capture/notice-reader.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  DEI_FLAG,
  dscpOf,
  ECHO_FLAG,
  ECN_MASK,
  ECN_SHIFT,
  GROUP_FLAG,
  HASH,
  isAnswer,
  isCut,
  KIND_ACK,
  KIND_MASK,
  KIND_NAK,
  KIND_NOTICE,
  KIND_RAW,
  LENGTH,
  PRIORITY_MASK,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../engine/frame/frame-pool.js';
import { groupIpv4, groupMac, Stations } from '../../engine/notices/stations.js';
import { encodeCnTag } from '../../engine/wire/cn-tag.js';
import { crc32Value, crc32Zeros, encodeCrc32 } from '../../engine/wire/crc32.js';
import { CE_TAG_OCTETS, isCeTagged } from '../../engine/wire/ce-tag.js';
import { readU16, writeU16, writeU48 } from '../../engine/wire/big-endian.js';
import {
  ETHERTYPE_C_TAG,
  ETHERTYPE_IPV4,
  ETHERTYPE_S_TAG,
  tagControl,
} from '../../engine/wire/ethernet.js';
import { blankIpv4Header, encodeIpv4Header, IPV4_HEADER_OCTETS } from '../../engine/wire/ipv4.js';
import {
  AETH_OCTETS,
  blankBaseTransportHeader,
  BTH_OCTETS,
  encodeAcknowledgeHeader,
  encodeBaseTransportHeader,
  invariantCrc,
  queuePairOf,
  ROCE_ACKNOWLEDGE,
  ROCE_SELECTIVE_ACKNOWLEDGE,
  ROCE_SEND_FIRST,
  ROCE_SEND_LAST,
  ROCE_SEND_MIDDLE,
  ROCE_SEND_ONLY,
  ROCE_UDP_PORT,
  SYNDROME_ACK,
  SYNDROME_NAK_SEQUENCE_ERROR,
} from '../../engine/wire/roce.js';
import {
  BITMAP_SCALE,
  encodeSelectiveAck,
  SELECTIVE_ACK_BITS,
  SELECTIVE_ACK_OCTETS,
} from '../../engine/wire/selective-ack.js';
import {
  blankUdpHeader,
  encodeUdpHeader,
  IP_PROTOCOL_UDP,
  UDP_HEADER_OCTETS,
  flowSourcePort,
  DISCARD_UDP_PORT,
} from '../../engine/wire/udp.js';
import { macOfVm } from '../../fabric/address.js';
import { stationsOf } from '../../fabric/assembly/stations.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { FlowOfFrames } from '../../fabric/assembly/flows-by-frame.js';
import type { TransportWire } from '../../mechanisms/transport-slice.js';
import { FlowsByFrame } from '../../fabric/assembly/flows-by-frame.js';

const ICRC_OCTETS = 4;
const SEQUENCE_MASK = 0xff_ffff;
const TAG_TYPES = [ETHERTYPE_S_TAG, ETHERTYPE_C_TAG];
/** The longest frame of any scenario, and room for tags. */
const MOST_OCTETS = 1 << 16;

/**
 * A frame in a capture: all of its headers, and its length, both without FCS. The octets are valid
 * until the next frame is written.
 */
interface FrameOctets {
  readonly octets: Uint8Array;
  readonly originalOctets: number;
  /** Undefined for a frame of no flow. */
  readonly flow: FlowOfFrames | undefined;
}

/**
 * Composes the octets of frames from their fields. Payload is a length only, and is left out,
 * except behind the headers of RoCEv2: Wireshark reports such a packet as malformed when it is
 * truncated.
 */
export class FrameOctetsWriter {
  private readonly stations: Stations;
  private readonly flows: FlowsByFrame;
  private readonly octets = new Uint8Array(MOST_OCTETS);
  private readonly ip = { ...blankIpv4Header(), protocol: IP_PROTOCOL_UDP };
  private readonly udp = blankUdpHeader();
  private readonly bth = blankBaseTransportHeader();
  /** PCP and DEI of the tags of this frame. */
  private codePoint = 0;

  /** `snapOctets`: most octets of a frame with payload; null: RoCEv2 is shown whole. */
  constructor(
    fabric: Fabric,
    private readonly snapOctets: number | null,
  ) {
    this.stations = new Stations(stationsOf(fabric.addresses));
    this.flows = new FlowsByFrame(fabric);
  }

  /**
   * `known`: all octets of a notice (with its CE-Tag, if it has one), or the CE-Tag of a frame.
   * `codePoints`: how the sender of the link writes priorities into tags; absent: as they are.
   */
  write(
    pool: FramePool,
    frame: number,
    known: Uint8Array,
    codePoints?: readonly number[],
  ): FrameOctets {
    const { words } = pool;
    const length = words[frame + LENGTH]! - FCS_OCTETS;
    const codePoint = words[frame + CLASS]! & (PRIORITY_MASK | DEI_FLAG);
    this.codePoint = codePoints?.[codePoint] ?? codePoint;
    if ((words[frame + CLASS]! & KIND_MASK) === KIND_NOTICE) {
      const flow = this.flows.ofAnswer(words[frame + TARGET]!, readNotice(known).connection);
      const octets = this.withCodePoint(known);
      return { octets, originalOctets: Math.max(length, known.length), flow };
    }
    const flow = this.flowOf(pool, frame);
    const inner = this.writeBehindAddresses(pool, frame, known, flow);
    const end = this.writeBody(pool, frame, inner, length + known.length, flow);
    const originalOctets = length + known.length;
    return { octets: this.octets.subarray(0, Math.min(end, originalOctets)), originalOctets, flow };
  }

  /** A message has the priority with which its device made it: the tag has that of the frame. */
  private withCodePoint(message: Uint8Array): Uint8Array {
    let at = isCeTagged(message, message.length) ? 12 + CE_TAG_OCTETS : 12;
    this.octets.set(message);
    for (; TAG_TYPES.includes(readU16(message, at)); at += VLAN_TAG_OCTETS) {
      writeU16(this.octets, at + 2, this.tagControl(readU16(message, at + 2)));
    }
    return this.octets.subarray(0, message.length);
  }

  /** Addresses and tags; returns the offset of the EtherType. */
  private writeBehindAddresses(
    pool: FramePool,
    frame: number,
    ceTag: Uint8Array,
    flow: FlowOfFrames | undefined,
  ): number {
    const { words, ends } = pool;
    const frameClass = words[frame + CLASS]!;
    const target = words[frame + TARGET]!;
    const isGroup = (frameClass & GROUP_FLAG) !== 0;
    const isBack = isAnswer(frameClass);
    const { vm = 0, toVm = 0 } = flow ?? {};
    const [from, to] = isBack ? [toVm, vm] : [vm, toVm];
    const { stations } = this;
    writeU48(this.octets, 0, isGroup ? groupMac(target) : macOfVm(stations.mac(target), to));
    writeU48(this.octets, 6, macOfVm(stations.mac(ends[frame + SOURCE]!), from));
    this.octets.set(ceTag, 12);
    let at = 12 + ceTag.length;
    const tags = ends[frame + VLAN]!;
    const tag = (type: number, identifier: number): void => {
      writeU16(this.octets, at, type);
      writeU16(this.octets, at + 2, this.tagControl(identifier));
      at += VLAN_TAG_OCTETS;
    };
    if (tags >>> 16 !== 0) tag(ETHERTYPE_S_TAG, tags >>> 16);
    if ((tags & 0xffff) !== 0) tag(ETHERTYPE_C_TAG, tags);
    const flowId = pool.flowId(frame);
    return flowId === 0 ? at : encodeCnTag(this.octets, at, flowId);
  }

  private tagControl(identifier: number): number {
    const priority = this.codePoint & PRIORITY_MASK;
    const dropEligible = (this.codePoint & DEI_FLAG) !== 0;
    return tagControl({ priority, dropEligible, vlan: identifier & VID_MASK });
  }

  /** From the EtherType on; returns the end of the captured octets. */
  private writeBody(
    pool: FramePool,
    frame: number,
    at: number,
    frameEnd: number,
    flow: FlowOfFrames | undefined,
  ): number {
    const { octets } = this;
    writeU16(octets, at, ETHERTYPE_IPV4);
    const ipAt = at + 2;
    const body = this.bodyOctets(pool, frame, frameEnd - ipAt - IPV4_HEADER_OCTETS, flow);
    const wire = flow?.wire ?? null;
    const next = this.writeIp(pool, frame, ipAt, body, wire);
    const end = ipAt + IPV4_HEADER_OCTETS + body;
    switch (pool.words[frame + CLASS]! & KIND_MASK) {
      case KIND_RAW:
        return next;
      case KIND_ACK:
      case KIND_NAK:
        if (wire !== null) return this.pad(this.writeOwn(pool, frame, next, flow!, wire));
        return this.pad(this.writeIcrc(ipAt, this.writeAnswer(pool, frame, next, flow)));
      default:
        if (wire !== null) return this.pad(this.writeOwn(pool, frame, next, flow!, wire));
        if (isCut(pool.words[frame + CLASS]!)) return this.writeCut(pool, frame, next, flow, end);
        return this.writePayload(ipAt, this.writePacket(pool, frame, next, flow), end);
    }
  }

  /** The headers of a transport that has its own; payload is left out. */
  private writeOwn(
    pool: FramePool,
    frame: number,
    at: number,
    { connection: own, remote }: FlowOfFrames,
    wire: TransportWire,
  ): number {
    const { words, ends } = pool;
    const frameClass = words[frame + CLASS]!;
    const isBack = isAnswer(frameClass);
    const fields = {
      sequence: words[frame + SEQUENCE]!,
      connection: ends[frame + CONNECTION]!,
      remote: isBack ? remote : own,
      isFlagged: (frameClass & ECHO_FLAG) !== 0,
    };
    if (!isBack) {
      return wire.encodePacket(this.octets, at, { ...fields, wanted: pool.slot(frame) });
    }
    const answer = { ...fields, said: pool.said(frame), counts: ends[frame + REMAINING]! };
    return (frameClass & KIND_MASK) === KIND_NAK
      ? wire.encodeRefusal(this.octets, at, answer)
      : wire.encodeAnswer(this.octets, at, answer);
  }

  /** What is left of a packet: no ICRC. */
  private writeCut(
    pool: FramePool,
    frame: number,
    at: number,
    flow: FlowOfFrames | undefined,
    end: number,
  ): number {
    this.octets.fill(0, this.writePacket(pool, frame, at, flow), end);
    return end;
  }

  /** Zeros, and the ICRC over them; `end` is that of the packet. */
  private writePayload(ipAt: number, at: number, end: number): number {
    const isShort = this.snapOctets !== null && end > this.snapOctets;
    const shown = isShort ? Math.max(at, this.snapOctets) : end - ICRC_OCTETS;
    this.octets.fill(0, at, shown);
    if (isShort) return shown;
    const headers = crc32Value(invariantCrc(this.octets, ipAt, at));
    return this.pad(encodeCrc32(this.octets, shown, crc32Value(crc32Zeros(headers, shown - at))));
  }

  /** Octets of UDP header and payload; the rest of the frame is padding. */
  private bodyOctets(
    pool: FramePool,
    frame: number,
    room: number,
    flow: FlowOfFrames | undefined,
  ): number {
    const kind = pool.words[frame + CLASS]! & KIND_MASK;
    const wire = flow?.wire ?? null;
    const headers = wire?.packetOctets ?? BTH_OCTETS + ICRC_OCTETS;
    const transport = UDP_HEADER_OCTETS + headers;
    if (isAnswer(kind)) {
      if (wire !== null) {
        const own = kind === KIND_NAK ? wire.refusalOctets : wire.answerOctets;
        return UDP_HEADER_OCTETS + own;
      }
      const selectiveOctets = pool.said(frame) === 0 ? 0 : SELECTIVE_ACK_OCTETS;
      return transport + AETH_OCTETS + selectiveOctets;
    }
    if (flow === undefined) return room;
    const { fullFrameOctets, overheadOctets, lastPayloadOctets } = flow.framing;
    const isLast = pool.ends[frame + REMAINING] === 0;
    const payload = isLast ? lastPayloadOctets : fullFrameOctets - overheadOctets;
    return Math.min(room, payload + (kind === KIND_RAW ? UDP_HEADER_OCTETS : transport));
  }

  private writeIp(
    pool: FramePool,
    frame: number,
    at: number,
    body: number,
    wire: TransportWire | null,
  ): number {
    const { ip, udp, stations } = this;
    const { words, ends } = pool;
    const frameClass = words[frame + CLASS]!;
    const kind = frameClass & KIND_MASK;
    const target = words[frame + TARGET]!;
    ip.dscp = dscpOf(frameClass);
    ip.ecn = (frameClass & ECN_MASK) >> ECN_SHIFT;
    ip.totalOctets = IPV4_HEADER_OCTETS + body;
    ip.source = stations.ipv4(ends[frame + SOURCE]!);
    ip.destination = (frameClass & GROUP_FLAG) === 0 ? stations.ipv4(target) : groupIpv4(target);
    udp.sourcePort = flowSourcePort(words[frame + HASH]!);
    udp.destinationPort = kind === KIND_RAW ? DISCARD_UDP_PORT : (wire?.udpPort ?? ROCE_UDP_PORT);
    udp.totalOctets = body;
    return encodeUdpHeader(this.octets, encodeIpv4Header(this.octets, at, ip), udp);
  }

  private writePacket(
    pool: FramePool,
    frame: number,
    at: number,
    flow: FlowOfFrames | undefined,
  ): number {
    const { bth } = this;
    const remaining = pool.ends[frame + REMAINING]!;
    const packets = flow?.framing.packetsPerMessage ?? 1;
    const isFirst = remaining === packets - 1;
    const isLast = remaining === 0;
    const place = packets - remaining;
    bth.opcode = opcodeOf(isFirst, isLast);
    bth.becn = false;
    bth.acknowledgeRequest = isLast || (flow !== undefined && place % flow.ackEvery === 0);
    bth.destinationQueuePair = queuePairOf(pool.ends[frame + CONNECTION]!);
    bth.sequence = pool.words[frame + SEQUENCE]! & SEQUENCE_MASK;
    return encodeBaseTransportHeader(this.octets, at, bth);
  }

  /** An ACK has the number of the last packet received, a NAK of the one that is missing. */
  private writeAnswer(
    pool: FramePool,
    frame: number,
    at: number,
    flow: FlowOfFrames | undefined,
  ): number {
    const { bth } = this;
    const expected = pool.words[frame + SEQUENCE]!;
    const isAck = (pool.words[frame + CLASS]! & KIND_MASK) === KIND_ACK;
    const said = pool.said(frame);
    bth.opcode = said === 0 ? ROCE_ACKNOWLEDGE : ROCE_SELECTIVE_ACKNOWLEDGE;
    bth.becn = (pool.words[frame + CLASS]! & ECHO_FLAG) !== 0;
    bth.acknowledgeRequest = false;
    bth.destinationQueuePair = queuePairOf(pool.ends[frame + CONNECTION]!);
    bth.sequence = (isAck ? expected - 1 : expected) & SEQUENCE_MASK;
    const messages = flow === undefined ? 0 : Math.floor(expected / flow.framing.packetsPerMessage);
    const aeth = encodeBaseTransportHeader(this.octets, at, bth);
    const end = encodeAcknowledgeHeader(this.octets, aeth, {
      syndrome: isAck ? SYNDROME_ACK : SYNDROME_NAK_SEQUENCE_ERROR,
      messageSequence: messages & SEQUENCE_MASK,
    });
    if (said === 0) return end;
    const base = expected + 1 + Math.floor(said / BITMAP_SCALE) * SELECTIVE_ACK_BITS;
    const selective = { base: base & SEQUENCE_MASK, bitmap: said % BITMAP_SCALE };
    return encodeSelectiveAck(this.octets, end, selective);
  }

  private writeIcrc(ipAt: number, at: number): number {
    return encodeCrc32(this.octets, at, invariantCrc(this.octets, ipAt, at));
  }

  private pad(end: number): number {
    if (end >= PADDED_OCTETS) return end;
    this.octets.fill(0, end, PADDED_OCTETS);
    return PADDED_OCTETS;
  }

  private flowOf(pool: FramePool, frame: number): FlowOfFrames | undefined {
    const { words, ends } = pool;
    const target = words[frame + TARGET]!;
    switch (words[frame + CLASS]! & KIND_MASK) {
      case KIND_ACK:
      case KIND_NAK:
        return this.flows.ofAnswer(target, ends[frame + CONNECTION]!);
      default:
        return this.flows.ofData(ends[frame + SOURCE]!, target, ends[frame + CONNECTION]!);
    }
  }
}

function opcodeOf(isFirst: boolean, isLast: boolean): number {
  if (isFirst && isLast) return ROCE_SEND_ONLY;
  if (isFirst) return ROCE_SEND_FIRST;
  return isLast ? ROCE_SEND_LAST : ROCE_SEND_MIDDLE;
}
