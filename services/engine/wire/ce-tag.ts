/**
 * CE-Tag: 64 bits behind the addresses of a frame, with a request or a grant for one priority of
 * one channel. It is valid on one hop only.
 */

import { readU16, requireRoom, writeU16, writeU48 } from './big-endian.js';
import type { Decoded } from './decoded.js';
import { MAC_CONTROL_GROUP, MAC_CONTROL_OCTETS } from './mac-control/mac-control-header.js';
import { ETHERTYPE_AT } from './ethernet.js';

export const CE_TAG_OCTETS = 8;

/** The Local Experimental EtherTypes (802 9.2.4); none was assigned. */
export const CE_TAG_REQUEST = 0x88b5;
export const CE_TAG_GRANT = 0x88b6;

export interface CeTag {
  /** EtherType: of a request, or of a grant. */
  type: number;
  /** As in a CE frame. */
  flags: number;
  /** Exactly one bit. */
  tcSelectionVector: number;
  tcCredit: number;
  channel: number;
}

export function blankCeTag(): CeTag {
  return { type: CE_TAG_REQUEST, flags: 0, tcSelectionVector: 1, tcCredit: 0, channel: 0 };
}

/** Writes the tag at the place of a frame's EtherType; returns the offset behind it. */
export function encodeCeTag(octets: Uint8Array, at: number, tag: Readonly<CeTag>): number {
  requireRoom(octets, at, ETHERTYPE_AT + CE_TAG_OCTETS);
  const start = at + ETHERTYPE_AT;
  writeU16(octets, start, tag.type);
  octets[start + 2] = tag.flags;
  octets[start + 3] = tag.tcSelectionVector;
  writeU16(octets, start + 4, tag.tcCredit);
  writeU16(octets, start + 6, tag.channel);
  return start + CE_TAG_OCTETS;
}

/** Whether a frame so long has a tag behind its addresses. */
export function isCeTagged(octets: Uint8Array, length: number): boolean {
  if (length < ETHERTYPE_AT + CE_TAG_OCTETS) return false;
  const type = readU16(octets, ETHERTYPE_AT);
  return type === CE_TAG_REQUEST || type === CE_TAG_GRANT;
}

/** Reads the tag of a frame that starts at `at`. */
export function decodeCeTag(octets: Uint8Array, at: number, into: CeTag): Decoded {
  if (octets.length - at < ETHERTYPE_AT + CE_TAG_OCTETS) return 'too-short';
  const start = at + ETHERTYPE_AT;
  into.type = readU16(octets, start);
  if (into.type !== CE_TAG_REQUEST && into.type !== CE_TAG_GRANT) return 'wrong-type';
  into.flags = octets[start + 2];
  into.tcSelectionVector = octets[start + 3];
  into.tcCredit = readU16(octets, start + 4);
  into.channel = readU16(octets, start + 6);
  const selected = into.tcSelectionVector;
  return selected !== 0 && (selected & (selected - 1)) === 0 ? 'ok' : 'bad-length';
}

/** A frame with nothing but the tag: length zero and padding. Without FCS. */
export function encodeLoneCeTag(
  octets: Uint8Array,
  at: number,
  source: number,
  tag: Readonly<CeTag>,
): number {
  requireRoom(octets, at, MAC_CONTROL_OCTETS);
  const next = at + MAC_CONTROL_OCTETS;
  octets.fill(0, at, next);
  writeU48(octets, at, MAC_CONTROL_GROUP);
  writeU48(octets, at + 6, source);
  encodeCeTag(octets, at, tag);
  return next;
}
