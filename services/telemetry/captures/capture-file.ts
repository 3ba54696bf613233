import { PS_PER_NS } from '../../engine/units/time.js';
import type { CaptureLog } from '../../engine/analysis/capture/capture-log.js';
import { SEEN_IN, SEEN_INSIDE, SEEN_OUT } from '../../engine/analysis/capture/capture-log.js';
import type { CaptureSpec } from '../../engine/analysis/capture/capture-filter.js';
import { isOrderedSet } from '../../engine/analysis/capture/capture-filter.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import { FramePool } from '../../engine/frame/frame-pool.js';
import { LINKTYPE_USER0 } from '../../engine/wire/pcapng/blocks.js';
import type { CapturedPacket, CaptureInterface } from '../../engine/wire/pcapng/writer.js';
import {
  interfaceBlockOctets,
  PACKET_INBOUND,
  PACKET_OUTBOUND,
  packetBlockOctets,
  SECTION_BLOCK_OCTETS,
  writeInterfaceBlock,
  writePacketBlock,
  writeSectionBlock,
} from '../../engine/wire/pcapng/writer.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { EPOCH_S } from '../epoch.js';
import { FrameOctetsWriter } from './frame-octets.js';

/** Files are written in pieces of about so many octets. */
const PIECE_OCTETS = 1 << 20;

/** Logs of all devices of a fabric at their captured ports. */
export interface Captures {
  readonly spec: CaptureSpec;
  /** Most octets of a frame with payload; null: what Wireshark needs. */
  readonly snapOctets: number | null;
  /** By device. */
  readonly logs: readonly CaptureLog[];
  /** Of one device, between two times; absent: all. */
  readonly only?: { readonly device: number; readonly fromNs: number; readonly untilNs: number };
}

/**
 * One file for all ports, its packets in the order of time. A port has an interface for frames,
 * and behind those of all ports one for its ordered sets, if it has any.
 */
export function* captureFile(fabric: Fabric, captures: Captures): Generator<Uint8Array> {
  const { interfaces, head } = headOf(fabric, captures);
  yield head;
  let piece = new Uint8Array(PIECE_OCTETS);
  let at = 0;
  for (const packet of packetsOf(fabric, captures, interfaces)) {
    const octets = packetBlockOctets(packet);
    if (at + octets > piece.length) {
      yield piece.subarray(0, at);
      piece = new Uint8Array(Math.max(PIECE_OCTETS, octets));
      at = 0;
    }
    at = writePacketBlock(piece, at, packet);
  }
  if (at > 0) yield piece.subarray(0, at);
}

/** The same frames, one by one, without ordered sets. */
export function* capturedFrames(fabric: Fabric, captures: Captures): Generator<CapturedPacket> {
  const { interfaces } = headOf(fabric, captures);
  const sets = new Set(interfaces.ofSets.flat());
  for (const packet of packetsOf(fabric, captures, interfaces)) {
    if (!sets.has(packet.interfaceIndex)) yield packet;
  }
}

function* packetsOf(
  fabric: Fabric,
  captures: Captures,
  interfaces: Interfaces,
): Generator<CapturedPacket> {
  const packets = new Packets(fabric, captures, interfaces);
  const { only, logs } = captures;
  for (const { device, row } of inOrder(logs)) {
    if (only !== undefined && device !== only.device) continue;
    const packet = packets.read(device, row);
    const isIn =
      only === undefined || (packet.timeNs >= only.fromNs && packet.timeNs < only.untilNs);
    if (isIn) yield packet;
  }
}

/** Number of frames and ordered sets beyond the limit. */
export function framesOmitted({ logs }: Captures): number {
  return logs.reduce((sum, { omitted }) => sum + omitted, 0);
}

/** By device and port. */
type Numbers = readonly (readonly number[])[];

/** Numbers of interfaces: of frames, and of ordered sets. */
interface Interfaces {
  readonly ofFrames: Numbers;
  readonly ofSets: Numbers;
}

/** Section and interfaces, with the numbers of these. */
function headOf(
  { linkEnds, specs }: Fabric,
  { spec, snapOctets }: Captures,
): { interfaces: Interfaces; head: Uint8Array } {
  const descriptions: CaptureInterface[] = [];
  const numbered = (
    describe: (name: string, device: number, port: number) => CaptureInterface | null,
  ): number[][] =>
    spec.ports.map((ports, device) => {
      const numbers: number[] = [];
      for (const port of ports) {
        const own = describe(linkEnds[device]![port]!.name, device, port);
        if (own !== null) numbers[port] = descriptions.push(own) - 1;
      }
      return numbers;
    });
  const interfaces = {
    ofFrames: numbered((name) => ({ name, snapOctets: snapOctets ?? 0, epochSeconds: EPOCH_S })),
    ofSets: numbered((name, device, port) =>
      specs[device]!.ports[port]!.orderedSets === true
        ? {
            ...{ name: `${name} ordered sets`, snapOctets: 0, epochSeconds: EPOCH_S },
            linkType: LINKTYPE_USER0,
          }
        : null,
    ),
  };
  const length = descriptions.reduce((sum, own) => sum + interfaceBlockOctets(own), 0);
  const head = new Uint8Array(SECTION_BLOCK_OCTETS + length);
  let at = writeSectionBlock(head, 0);
  for (const own of descriptions) at = writeInterfaceBlock(head, at, own);
  return { interfaces, head };
}

interface Place {
  readonly device: number;
  readonly row: number;
}

/** Rows of all devices by time; at one time, by device. Each device has its own in order. */
function* inOrder(logs: readonly CaptureLog[]): Generator<Place> {
  const count = logs.reduce((sum, log) => sum + log.length, 0);
  const times = new Float64Array(count);
  const devices = new Uint32Array(count);
  const first: number[] = [];
  let at = 0;
  logs.forEach((log, device) => {
    first.push(at);
    for (let row = 0; row < log.length; row++) {
      devices[at] = device;
      times[at++] = log.timeOf(row);
    }
  });
  const order = devices.map((_, i) => i);
  const isInOrder = devices[0] === devices[count - 1];
  if (!isInOrder) order.sort((a, b) => times[a]! - times[b]! || a - b);
  for (const i of order) {
    const device = devices[i]!;
    yield { device, row: i - first[device]! };
  }
}

/** Composes packets from rows. */
class Packets {
  private readonly pool = new FramePool();
  private readonly writer: FrameOctetsWriter;

  constructor(
    private readonly fabric: Fabric,
    private readonly captures: Captures,
    private readonly interfaces: Interfaces,
  ) {
    this.writer = new FrameOctetsWriter(fabric, captures.snapOctets);
  }

  read(device: number, row: number): CapturedPacket {
    const log = this.captures.logs[device]!;
    const { timePs, port, seen, dropReason, isControl, octets, ...marks } = log.read(row);
    const { ofFrames, ofSets } = this.interfaces;
    const numbers = isControl && isOrderedSet(octets) ? ofSets : ofFrames;
    const shown = isControl
      ? controlOf(octets)
      : this.frameOf(log, row, octets, this.codePointsAt(device, port, seen));
    let comment = `${timePs} ps`;
    if (shown.flow !== undefined) comment += `; flow ${shown.flow.flow} ${shown.flow.name}`;
    if (marks.numberAgain >= 0) comment += `; sent again by the link, number ${marks.numberAgain}`;
    if (marks.isMarked) comment += '; marked here: congestion experienced';
    if (dropReason >= 0) comment += `; dropped here: ${DROP_REASONS[dropReason]!}`;
    if (seen === SEEN_INSIDE) comment += '; on no wire at this time';
    return {
      interfaceIndex: numbers[device]![port]!,
      timeNs: Math.round(timePs / PS_PER_NS),
      octets: shown.octets,
      originalOctets: shown.originalOctets,
      comment,
      direction: seen === SEEN_IN ? PACKET_INBOUND : seen === SEEN_OUT ? PACKET_OUTBOUND : 0,
    };
  }

  /** How the sender of a frame writes priorities into its tags. */
  private codePointsAt(device: number, port: number, seen: number): readonly number[] | undefined {
    const { linkEnds, specs } = this.fabric;
    if (seen !== SEEN_IN) return specs[device]!.ports[port]!.codePoints;
    const { peerDevice, peerPort } = linkEnds[device]![port]!;
    return specs[peerDevice]!.ports[peerPort]!.codePoints;
  }

  private frameOf(
    log: CaptureLog,
    row: number,
    known: Uint8Array,
    codePoints: readonly number[] | undefined,
  ): Shown {
    const frame = log.frameOf(row, this.pool);
    const shown = this.writer.write(this.pool, frame, known, codePoints);
    this.pool.release(frame);
    return shown;
  }
}

type Shown = ReturnType<FrameOctetsWriter['write']>;

function controlOf(octets: Uint8Array): Shown {
  return { octets, originalOctets: octets.length, flow: undefined };
}
