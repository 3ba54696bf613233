/** PAUSE (802.3 Annex 31B). */

import { readU16, writeU16 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import { isGroupMac } from '../ethernet.js';
import {
  decodeMacControl,
  encodeMacControl,
  MAC_CONTROL_GROUP,
  MAC_CONTROL_PARAMETERS,
  type MacControlHeader,
} from './mac-control-header.js';
import { OPCODE_PAUSE } from './opcodes.js';

interface PauseFrame extends MacControlHeader {
  /** pause_time in quanta, 0..65535; zero releases. */
  quanta: number;
}

/** A frame to the group address; fill in source and quanta. */
export function blankPauseFrame(): PauseFrame {
  return { destination: MAC_CONTROL_GROUP, source: 0, opcode: OPCODE_PAUSE, quanta: 0 };
}

/** Returns the offset behind the frame. */
export function encodePause(octets: Uint8Array, at: number, frame: Readonly<PauseFrame>): number {
  const next = encodeMacControl(octets, at, frame);
  writeU16(octets, at + MAC_CONTROL_PARAMETERS, frame.quanta);
  return next;
}

/**
 * A station accepts PAUSE at the group address and at its own (31B.3.3); the port checks whether a
 * unicast address is its own.
 */
export function decodePause(octets: Uint8Array, at: number, into: PauseFrame): Decoded {
  const header = decodeMacControl(octets, at, into);
  if (header !== 'ok') return header;
  if (into.opcode !== OPCODE_PAUSE) return 'wrong-opcode';
  if (into.destination !== MAC_CONTROL_GROUP && isGroupMac(into.destination)) {
    return 'wrong-destination';
  }
  into.quanta = readU16(octets, at + MAC_CONTROL_PARAMETERS);
  return 'ok';
}
