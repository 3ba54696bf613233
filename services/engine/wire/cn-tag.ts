/** CN-TAG: the flow that a frame belongs to, as its source names it (802.1Q 33.2). */

import { readU16, requireRoom, writeU16 } from './big-endian.js';
import type { Decoded } from './decoded.js';

export const ETHERTYPE_CN_TAG = 0x22e9;

/** EtherType and Flow ID. */
export const CN_TAG_OCTETS = 4;

/** Returns the offset behind the tag. */
export function encodeCnTag(octets: Uint8Array, at: number, flowId: number): number {
  requireRoom(octets, at, CN_TAG_OCTETS);
  writeU16(octets, at, ETHERTYPE_CN_TAG);
  writeU16(octets, at + 2, flowId);
  return at + CN_TAG_OCTETS;
}

/** Where a tag says which flow a frame belongs to. */
interface CnTag {
  flowId: number;
}

export function decodeCnTag(octets: Uint8Array, at: number, into: CnTag): Decoded {
  if (octets.length - at < CN_TAG_OCTETS) return 'too-short';
  if (readU16(octets, at) !== ETHERTYPE_CN_TAG) return 'wrong-type';
  into.flowId = readU16(octets, at + 2);
  return 'ok';
}
