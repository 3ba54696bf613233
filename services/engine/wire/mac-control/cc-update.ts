/**
 * CC_Update: a sender's credits consumed, as whole cyclic counters of 20 bits. Its exact layout is
 * a choice (README of mechanisms/cbfc): the extension of MAC control (802.3 Annex 31C) under an
 * identifier of its own, in which a least frame has room for sixteen counters.
 */

import { readU24, writeU24 } from '../big-endian.js';
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
import { assert } from '../../kernel/assert.js';

/** Virtual channels of one frame. */
export const CC_UPDATE_CHANNELS = 16;
/** A counter of consumed or freed credits has 20 bits, and is cyclic. */
export const CREDIT_COUNT_MASK = 0xfffff;

/** Offset of the octet that says which half of the channels it is: 1 for 0 to 15, 2 for others. */
export const CC_UPDATE_MESSAGE_AT = MAC_CONTROL_PARAMETERS + 3;
const COUNTERS = CC_UPDATE_MESSAGE_AT + 1;
const FIRST_MESSAGE = 1;
const LAST_MESSAGE = 2;

export interface CcUpdate extends MacControlHeader {
  /** Lowest of its virtual channels: 0 or 16. */
  firstChannel: number;
  readonly counters: Uint32Array;
}

/** To the group address; fill in what it says. */
export function blankCcUpdate(): CcUpdate {
  return {
    destination: MAC_CONTROL_GROUP,
    source: 0,
    opcode: OPCODE_EXTENSION,
    firstChannel: 0,
    counters: new Uint32Array(CC_UPDATE_CHANNELS),
  };
}

/** Whether octets of this length are an extension of MAC control of this identifier. */
export function isCcUpdate(octets: Uint8Array, length: number): boolean {
  return (
    macControlOpcode(octets, length) === OPCODE_EXTENSION &&
    readU24(octets, MAC_CONTROL_PARAMETERS) === OUI_SELVAGE
  );
}

/** Returns the offset behind the frame. */
export function encodeCcUpdate(octets: Uint8Array, at: number, frame: Readonly<CcUpdate>): number {
  const next = encodeMacControl(octets, at, frame);
  writeU24(octets, at + MAC_CONTROL_PARAMETERS, OUI_SELVAGE);
  octets[at + CC_UPDATE_MESSAGE_AT] = FIRST_MESSAGE + frame.firstChannel / CC_UPDATE_CHANNELS;
  for (let pair = 0; pair < CC_UPDATE_CHANNELS / 2; pair++) {
    const here = at + COUNTERS + 5 * pair;
    const [even, odd] = [frame.counters[2 * pair], frame.counters[2 * pair + 1]];
    assert(even <= CREDIT_COUNT_MASK && odd <= CREDIT_COUNT_MASK, 'cc-update.counter-of-20-bits');
    octets[here] = even >> 12;
    octets[here + 1] = (even >> 4) & 0xff;
    octets[here + 2] = ((even & 15) << 4) | (odd >> 16);
    octets[here + 3] = (odd >> 8) & 0xff;
    octets[here + 4] = odd & 0xff;
  }
  return next;
}

export function decodeCcUpdate(octets: Uint8Array, at: number, into: CcUpdate): Decoded {
  const header = decodeMacControl(octets, at, into);
  if (header !== 'ok') return header;
  if (into.opcode !== OPCODE_EXTENSION) return 'wrong-opcode';
  if (into.destination !== MAC_CONTROL_GROUP) return 'wrong-destination';
  if (readU24(octets, at + MAC_CONTROL_PARAMETERS) !== OUI_SELVAGE) return 'unsupported-opcode';
  const message = octets[at + CC_UPDATE_MESSAGE_AT];
  if (message < FIRST_MESSAGE || message > LAST_MESSAGE) return 'bad-value';
  into.firstChannel = (message - FIRST_MESSAGE) * CC_UPDATE_CHANNELS;
  for (let pair = 0; pair < CC_UPDATE_CHANNELS / 2; pair++) {
    const here = at + COUNTERS + 5 * pair;
    const [a, b, c, d, e] = octets.subarray(here, here + 5);
    into.counters[2 * pair] = (a << 12) | (b << 4) | (c >> 4);
    into.counters[2 * pair + 1] = ((c & 15) << 16) | (d << 8) | e;
  }
  return 'ok';
}
