import { selvage } from '#contracts';
import type { MacKey } from '../keys/mac.js';
import { MAC_OCTETS } from '../keys/mac.js';

/** Version of the contracts in proto/selvage. */
export const PROTOCOL = 3;

export type ChannelMessage = selvage.v1.ChannelMessage;
type Fields = selvage.v1.ChannelMessage.$Properties;

/** Key of the field `frames` (number 11, octets), and what its key and length take at most. */
const FRAMES_KEY = (11 << 3) | 2;
const FRAMES_HEAD_OCTETS = 6;
/** Key of the field `mac` (number 15, octets), its length, and octets of the whole field. */
const MAC_KEY = (15 << 3) | 2;
const MAC_FIELD_OCTETS = 2 + MAC_OCTETS;

/**
 * A message with its frames and its MAC behind it, which are fields like any other: so the
 * frames, which are most of it, are copied once, from where they lie to where they are sent from.
 */
export function encodeMessage({ frames, ...fields }: Fields, key: MacKey): Uint8Array {
  const head = selvage.v1.ChannelMessage.encode(fields).finish();
  const room = frames ? FRAMES_HEAD_OCTETS + frames.length : 0;
  const octets = Buffer.allocUnsafe(head.length + room + MAC_FIELD_OCTETS);
  octets.set(head);
  const end = frames ? putFrames(octets, head.length, frames) : head.length;
  octets[end] = MAC_KEY;
  octets[end + 1] = MAC_OCTETS;
  key.sign(octets, end, end + 2);
  return octets.subarray(0, end + MAC_FIELD_OCTETS);
}

/** The field `frames` at an offset; returns where it ends. */
function putFrames(octets: Buffer, offset: number, frames: Uint8Array): number {
  let at = offset;
  octets[at++] = FRAMES_KEY;
  let left = frames.length;
  for (; left > 0x7f; left >>>= 7) octets[at++] = (left & 0x7f) | 0x80;
  octets[at++] = left;
  octets.set(frames, at);
  return at + frames.length;
}

/** Null if the octets are no such message. Nothing in it is to be trusted yet. */
export function decodeMessage(octets: Uint8Array): ChannelMessage | null {
  const end = octets.length - MAC_FIELD_OCTETS;
  if (end < 0 || octets[end] !== MAC_KEY || octets[end + 1] !== MAC_OCTETS) return null;
  try {
    return selvage.v1.ChannelMessage.decode(octets);
  } catch {
    return null;
  }
}

/** Whether a message that was decoded is as its sender sent it. */
export function isAuthentic(octets: Uint8Array, key: MacKey): boolean {
  const end = octets.length - MAC_FIELD_OCTETS;
  return key.verify(octets, end, end + 2);
}
