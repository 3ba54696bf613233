/** Reads pcapng of either byte order: interfaces and enhanced packets, whatever else is skipped. */

import type { Decoded } from '../decoded.js';
import {
  BLOCK_ENHANCED_PACKET,
  BLOCK_FRAME_OCTETS,
  BLOCK_INTERFACE,
  BLOCK_SECTION_HEADER,
  BYTE_ORDER_MAGIC,
  INTERFACE_BODY_OCTETS,
  OPTION_COMMENT,
  OPTION_END,
  OPTION_HEADER_OCTETS,
  OPTION_INTERFACE_NAME,
  OPTION_INTERFACE_TIME_RESOLUTION,
  PACKET_BODY_OCTETS,
  padded,
  SECTION_BODY_OCTETS,
} from './blocks.js';
import type { CapturedPacket, CaptureInterface } from './writer.js';
import { TWO_TO_32 } from '../../units/words.js';
import { NS_PER_S } from '../../units/time.js';

/** Where an interface does not say otherwise. */
const MICROSECONDS = 6;

interface ReadInterface extends CaptureInterface {
  readonly linkType: number;
  readonly nsPerTick: number;
}

export interface ReadCapture {
  /** Not 'ok': the file is broken from some block on; packets before it were read. */
  readonly outcome: Decoded;
  /** Of all sections, in order; packets refer to them by index. */
  readonly interfaces: readonly ReadInterface[];
  readonly packets: readonly ReadPacket[];
}

interface ReadPacket extends CapturedPacket {
  /** Its time in units of its interface, exactly. */
  readonly ticks: number;
}

/** A block: its body lies at `start` to `end`, exclusively. */
interface Block {
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
  readonly littleEndian: boolean;
}

export function readCapture(octets: Uint8Array): ReadCapture {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  const interfaces: ReadInterface[] = [];
  const packets: ReadPacket[] = [];
  let littleEndian = true;
  let firstOfSection = 0;
  let outcome: Decoded = 'ok';
  for (let at = 0; at < octets.length && outcome === 'ok';) {
    if (octets.length - at < BLOCK_FRAME_OCTETS) {
      outcome = 'too-short';
      break;
    }
    // The type of a section header is the same in both orders, and its magic gives the order.
    const starts = view.getUint32(at, true) === BLOCK_SECTION_HEADER;
    if (starts) littleEndian = view.getUint32(at + 8, true) === BYTE_ORDER_MAGIC;
    const length = view.getUint32(at + 4, littleEndian);
    outcome = checkBlock(view, at, { length, littleEndian, first: at === 0 });
    if (outcome !== 'ok') break;
    const block = { view, start: at + 8, end: at + length - 4, littleEndian };
    const type = view.getUint32(at, littleEndian);
    if (starts) {
      outcome = readSection(block);
      firstOfSection = interfaces.length;
    } else if (type === BLOCK_INTERFACE) {
      outcome = readInterface(block, interfaces);
    } else if (type === BLOCK_ENHANCED_PACKET) {
      outcome = readPacket(block, octets, { interfaces, firstOfSection }, packets);
    }
    at += length;
  }
  return { outcome, interfaces, packets };
}

function checkBlock(
  view: DataView,
  at: number,
  { length, littleEndian, first }: { length: number; littleEndian: boolean; first: boolean },
): Decoded {
  if (first && view.getUint32(at, true) !== BLOCK_SECTION_HEADER) return 'wrong-type';
  if (length < BLOCK_FRAME_OCTETS || length % 4 !== 0) return 'bad-length';
  if (length > view.byteLength - at) return 'too-short';
  return view.getUint32(at + length - 4, littleEndian) === length ? 'ok' : 'bad-length';
}

function readSection({ view, start, end, littleEndian }: Block): Decoded {
  if (end - start < SECTION_BODY_OCTETS) return 'bad-length';
  if (view.getUint32(start, littleEndian) !== BYTE_ORDER_MAGIC) return 'wrong-type';
  return view.getUint16(start + 4, littleEndian) === 1 ? 'ok' : 'wrong-version';
}

function readInterface(block: Block, interfaces: ReadInterface[]): Decoded {
  const { view, start, end, littleEndian } = block;
  if (end - start < INTERFACE_BODY_OCTETS) return 'bad-length';
  let name = '';
  let resolution = MICROSECONDS;
  const outcome = readOptions(block, start + INTERFACE_BODY_OCTETS, (code, at, length) => {
    if (code === OPTION_INTERFACE_NAME) name = readText(view, at, length);
    if (code === OPTION_INTERFACE_TIME_RESOLUTION && length === 1) resolution = view.getUint8(at);
  });
  interfaces.push({
    name,
    snapOctets: view.getUint32(start + 4, littleEndian),
    linkType: view.getUint16(start, littleEndian),
    nsPerTick: nsPerTick(resolution),
  });
  return outcome;
}

/** The resolution is a negative power: of two if its high bit is set, otherwise of ten. */
function nsPerTick(resolution: number): number {
  const exponent = resolution & 0x7f;
  return resolution & 0x80 ? NS_PER_S / 2 ** exponent : Number(`1e${9 - exponent}`);
}

function readPacket(
  block: Block,
  octets: Uint8Array,
  section: { readonly interfaces: readonly ReadInterface[]; readonly firstOfSection: number },
  packets: ReadPacket[],
): Decoded {
  const { view, start, end, littleEndian } = block;
  if (end - start < PACKET_BODY_OCTETS) return 'bad-length';
  const word = (index: number): number => view.getUint32(start + 4 * index, littleEndian);
  const interfaceIndex = section.firstOfSection + word(0);
  if (interfaceIndex >= section.interfaces.length) return 'wrong-type';
  const captured = word(3);
  const data = start + PACKET_BODY_OCTETS;
  if (padded(captured) > end - data) return 'bad-length';
  let comment = '';
  const outcome = readOptions(block, data + padded(captured), (code, at, length) => {
    if (code === OPTION_COMMENT) comment = readText(view, at, length);
  });
  const ticks = word(1) * TWO_TO_32 + word(2);
  packets.push({
    interfaceIndex,
    ticks,
    timeNs: ticks * section.interfaces[interfaceIndex].nsPerTick,
    octets: octets.subarray(data, data + captured),
    originalOctets: word(4),
    comment,
  });
  return outcome;
}

/** The list of options may end with an end option, or simply with its block. */
function readOptions(
  { view, end, littleEndian }: Block,
  from: number,
  take: (code: number, at: number, length: number) => void,
): Decoded {
  let at = from;
  while (at < end) {
    const code = view.getUint16(at, littleEndian);
    const length = view.getUint16(at + 2, littleEndian);
    if (code === OPTION_END) return 'ok';
    at += OPTION_HEADER_OCTETS;
    if (padded(length) > end - at) return 'bad-length';
    take(code, at, length);
    at += padded(length);
  }
  return 'ok';
}

function readText(view: DataView, at: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += String.fromCharCode(view.getUint8(at + i));
  return text;
}
