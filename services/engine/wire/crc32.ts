/** CRC-32 of Ethernet (802.3 3.2.9), also the invariant CRC of RoCE; reflected polynomial. */

import { requireRoom } from './big-endian.js';

const POLYNOMIAL = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, octet) => {
  let crc = octet;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc >>> 0;
});

/** State before the first octet. */
export const CRC32_START = 0xffffffff;

export const CRC32_OCTETS = 4;

/** State after octets `start` to `end`, exclusively. */
export function crc32Over(state: number, octets: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) state = table[(state ^ octets[at]) & 0xff] ^ (state >>> 8);
  return state >>> 0;
}

/** State after `count` times the same octet. */
export function crc32Repeated(state: number, octet: number, count: number): number {
  for (let left = count; left > 0; left--) {
    state = table[(state ^ octet) & 0xff] ^ (state >>> 8);
  }
  return state >>> 0;
}

/** By count of zeros: their effect on a state with one bit set, for each of its bits. */
const zeroRuns = new Map<number, Uint32Array>();

/** State after `count` zeros: the CRC is linear, so runs of a known length cost 32 steps. */
export function crc32Zeros(state: number, count: number): number {
  let run = zeroRuns.get(count);
  if (run === undefined) {
    run = Uint32Array.from({ length: 32 }, (_, bit) => crc32Repeated(1 << bit, 0, count));
    zeroRuns.set(count, run);
  }
  let after = 0;
  for (let bit = 0; bit < 32; bit++) if ((state & (1 << bit)) !== 0) after ^= run[bit];
  return after >>> 0;
}

/** The CRC of everything that led to this state. */
export function crc32Value(state: number): number {
  return ~state >>> 0;
}

/** Writes a CRC as it travels, least significant octet first; returns the offset behind it. */
export function encodeCrc32(octets: Uint8Array, at: number, crc: number): number {
  requireRoom(octets, at, CRC32_OCTETS);
  for (let i = 0; i < CRC32_OCTETS; i++) octets[at + i] = crc >>> (8 * i);
  return at + CRC32_OCTETS;
}

export function decodeCrc32(octets: Uint8Array, at: number): number {
  let crc = 0;
  for (let i = CRC32_OCTETS - 1; i >= 0; i--) crc = (crc << 8) | octets[at + i];
  return crc >>> 0;
}
