/**
 * Credit-based flow control with cyclic counters, as Ultra Ethernet describes it: CC_Update says
 * what a sender has consumed, CF_Update what a receiver has freed. The octets are this emulator's
 * own: the extension of MAC control (802.3 Annex 31C) under an identifier of its own.
 */

import { readU16, readU24, readU32, writeU16, writeU24, writeU32 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import { OUI_SELVAGE } from '../lldp/tlv.js';
import {
  decodeMacControl,
  encodeMacControl,
  MAC_CONTROL_GROUP,
  MAC_CONTROL_PARAMETERS,
  macControlOpcode,
  type MacControlHeader,
} from './mac-control-header.js';
import { OPCODE_EXTENSION } from './opcodes.js';

const VIRTUAL_CHANNELS = 8;
const ORGANIZATION = MAC_CONTROL_PARAMETERS;
/** Offsets of the octets that tell the message, and for which virtual channels it is. */
export const CBFC_MESSAGE_AT = ORGANIZATION + 3;
export const CBFC_VECTOR_AT = CBFC_MESSAGE_AT + 2;
const FLAGS = CBFC_MESSAGE_AT + 1;
const COUNTERS = CBFC_VECTOR_AT + 1;
const BUFFERS = COUNTERS + 2 * VIRTUAL_CHANNELS;
const SLICE = BUFFERS + 2 * VIRTUAL_CHANNELS;

export const CBFC_CONSUMED = 1;
export const CBFC_FREED = 2;

/** Counters are 16 bits wide; a buffer is less than half of their cycle. */
export const CBFC_BUFFER_MOST = 0x7fff;

/**
 * With this bit in the message, counters and buffers have 32 bits, in the order of the vector: so
 * there is room for fewer virtual channels.
 */
const WIDE = 0x10;
export const CBFC_WIDE_CHANNELS = 4;
export const CBFC_WIDE_BUFFER_MOST = 0x3fffffff;

export interface CbfcFrame extends MacControlHeader {
  /** CC_Update or CF_Update. */
  message: number;
  /** As in credit exchange: what opens an account again, and its epoch. */
  flags: number;
  /** Bit n set: the counter of virtual channel n is valid. */
  virtualChannels: number;
  /** Counters and buffers have 32 bits; else 16. */
  isWide: boolean;
  /** Totals of units consumed or freed; zero where the vector has no bit. */
  readonly counters: Uint32Array;
  /** In CF_Update: units of the buffer behind a virtual channel. */
  readonly buffers: Uint32Array;
  /** The tenant's slice of them all. */
  slice: number;
}

/** A CC_Update to the group address; fill in what it says. */
export function blankCbfcFrame(): CbfcFrame {
  return {
    destination: MAC_CONTROL_GROUP,
    source: 0,
    opcode: OPCODE_EXTENSION,
    message: CBFC_CONSUMED,
    flags: 0,
    virtualChannels: 0,
    isWide: false,
    counters: new Uint32Array(VIRTUAL_CHANNELS),
    buffers: new Uint32Array(VIRTUAL_CHANNELS),
    slice: 0,
  };
}

/** Whether a frame so long is an extension of MAC control that belongs to CBFC. */
export function isCbfc(octets: Uint8Array, length: number): boolean {
  return (
    macControlOpcode(octets, length) === OPCODE_EXTENSION &&
    readU24(octets, ORGANIZATION) === OUI_SELVAGE
  );
}

/** Returns the offset behind the frame. */
export function encodeCbfc(octets: Uint8Array, at: number, frame: Readonly<CbfcFrame>): number {
  const next = encodeMacControl(octets, at, frame);
  writeU24(octets, at + ORGANIZATION, OUI_SELVAGE);
  octets[at + CBFC_MESSAGE_AT] = frame.isWide ? frame.message | WIDE : frame.message;
  octets[at + FLAGS] = frame.flags;
  octets[at + CBFC_VECTOR_AT] = frame.virtualChannels;
  const isFreed = frame.message === CBFC_FREED;
  let place = 0;
  for (let n = 0; n < VIRTUAL_CHANNELS; n++) {
    if ((frame.virtualChannels & (1 << n)) === 0) continue;
    if (frame.isWide) {
      writeU32(octets, at + COUNTERS + 4 * place, frame.counters[n]);
      if (isFreed) writeU32(octets, at + BUFFERS + 4 * place, frame.buffers[n]);
      place++;
    } else {
      writeU16(octets, at + COUNTERS + 2 * n, frame.counters[n]);
      if (isFreed) writeU16(octets, at + BUFFERS + 2 * n, frame.buffers[n]);
    }
  }
  writeU16(octets, at + SLICE, frame.slice);
  return next;
}

export function decodeCbfc(octets: Uint8Array, at: number, into: CbfcFrame): Decoded {
  const header = decodeMacControl(octets, at, into);
  if (header !== 'ok') return header;
  if (into.opcode !== OPCODE_EXTENSION) return 'wrong-opcode';
  if (into.destination !== MAC_CONTROL_GROUP) return 'wrong-destination';
  if (readU24(octets, at + ORGANIZATION) !== OUI_SELVAGE) return 'unsupported-opcode';
  into.isWide = (octets[at + CBFC_MESSAGE_AT] & WIDE) !== 0;
  into.message = octets[at + CBFC_MESSAGE_AT] & ~WIDE;
  const isFreed = into.message === CBFC_FREED;
  if (!isFreed && into.message !== CBFC_CONSUMED) return 'unsupported-opcode';
  into.flags = octets[at + FLAGS];
  into.virtualChannels = octets[at + CBFC_VECTOR_AT];
  into.slice = readU16(octets, at + SLICE);
  return into.isWide ? readWide(octets, at, into, isFreed) : readNarrow(octets, at, into, isFreed);
}

function readNarrow(octets: Uint8Array, at: number, into: CbfcFrame, isFreed: boolean): Decoded {
  for (let n = 0; n < VIRTUAL_CHANNELS; n++) {
    const valid = (into.virtualChannels & (1 << n)) !== 0;
    into.counters[n] = valid ? readU16(octets, at + COUNTERS + 2 * n) : 0;
    into.buffers[n] = valid && isFreed ? readU16(octets, at + BUFFERS + 2 * n) : 0;
    if (into.buffers[n] > CBFC_BUFFER_MOST) return 'bad-value';
  }
  return 'ok';
}

function readWide(octets: Uint8Array, at: number, into: CbfcFrame, isFreed: boolean): Decoded {
  let place = 0;
  for (let n = 0; n < VIRTUAL_CHANNELS; n++) {
    const valid = (into.virtualChannels & (1 << n)) !== 0;
    if (valid && place === CBFC_WIDE_CHANNELS) return 'bad-value';
    into.counters[n] = valid ? readU32(octets, at + COUNTERS + 4 * place) : 0;
    into.buffers[n] = valid && isFreed ? readU32(octets, at + BUFFERS + 4 * place) : 0;
    if (into.buffers[n] > CBFC_WIDE_BUFFER_MOST) return 'bad-value';
    if (valid) place++;
  }
  return 'ok';
}
