/** Priority-based flow control (802.3 Annex 31D, 802.1Q clause 36). */

import { PRIORITIES } from '../../units/ethernet.js';
import { readU16, writeU16 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  decodeMacControl,
  encodeMacControl,
  MAC_CONTROL_GROUP,
  MAC_CONTROL_PARAMETERS,
  type MacControlHeader,
} from './mac-control-header.js';
import { OPCODE_PFC } from './opcodes.js';
import { assert } from '../../kernel/assert.js';

const TIMES = MAC_CONTROL_PARAMETERS + 2;

export interface PfcFrame extends MacControlHeader {
  /** Bit n set: quanta[n] is valid. */
  enableVector: number;
  /** Per priority, 0..65535; zero releases. Zero as well where the vector has no bit. */
  readonly quanta: Uint16Array;
}

/** A frame to the group address; fill in source, vector and quanta. */
export function blankPfcFrame(): PfcFrame {
  return {
    destination: MAC_CONTROL_GROUP,
    source: 0,
    opcode: OPCODE_PFC,
    enableVector: 0,
    quanta: new Uint16Array(PRIORITIES),
  };
}

/** Returns the offset behind the frame. */
export function encodePfc(octets: Uint8Array, at: number, frame: Readonly<PfcFrame>): number {
  const next = encodeMacControl(octets, at, frame);
  assert((frame.enableVector & ~0xff) === 0, 'pfc.vector-of-8-priorities');
  writeU16(octets, at + MAC_CONTROL_PARAMETERS, frame.enableVector);
  for (let n = 0; n < PRIORITIES; n++) {
    if (frame.enableVector & (1 << n)) writeU16(octets, at + TIMES + 2 * n, frame.quanta[n]);
  }
  return next;
}

/** PFC is sent to the group address only. The high octet of the vector is reserved, and ignored. */
export function decodePfc(octets: Uint8Array, at: number, into: PfcFrame): Decoded {
  const header = decodeMacControl(octets, at, into);
  if (header !== 'ok') return header;
  if (into.opcode !== OPCODE_PFC) return 'wrong-opcode';
  if (into.destination !== MAC_CONTROL_GROUP) return 'wrong-destination';
  into.enableVector = readU16(octets, at + MAC_CONTROL_PARAMETERS) & 0xff;
  for (let n = 0; n < PRIORITIES; n++) {
    into.quanta[n] = into.enableVector & (1 << n) ? readU16(octets, at + TIMES + 2 * n) : 0;
  }
  return 'ok';
}
