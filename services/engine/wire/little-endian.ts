/** Numbers with their least significant octet first, as captures have them on most machines. */

import { TWO_TO_32 } from '../units/words.js';

export function writeLe16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value;
  octets[at + 1] = value >>> 8;
}

export function writeLe32(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value;
  octets[at + 1] = value >>> 8;
  octets[at + 2] = value >>> 16;
  octets[at + 3] = value >>> 24;
}

/** Of an integer from -1 on that a double holds exactly. */
export function writeLe64(octets: Uint8Array, at: number, value: number): void {
  writeLe32(octets, at, value >>> 0);
  writeLe32(octets, at + 4, Math.floor(value / TWO_TO_32));
}
