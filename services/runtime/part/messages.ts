import { crc32 } from 'node:zlib';
import { selvage } from '#contracts';

/** Version of the contracts in proto/selvage. */
export const PROTOCOL = 2;

export type ChannelMessage = selvage.v1.ChannelMessage;
type Fields = selvage.v1.ChannelMessage.$Properties;

/** Key of the field `frames` (number 11, octets), and what its key and length take at most. */
const FRAMES_KEY = (11 << 3) | 2;
const FRAMES_HEAD_OCTETS = 6;
/** Key of the field `check` (number 13, fixed32), and octets of the whole field. */
const CHECK_KEY = (13 << 3) | 5;
const CHECK_OCTETS = 5;

/**
 * A message with its frames and its check behind it, which are fields like any other: so the
 * frames, which are most of it, are copied once, from where they lie to where they are sent from.
 */
export function encodeMessage({ frames, ...fields }: Fields): Uint8Array {
  const head = selvage.v1.ChannelMessage.encode(fields).finish();
  const room = frames ? FRAMES_HEAD_OCTETS + frames.length : 0;
  const octets = Buffer.allocUnsafe(head.length + room + CHECK_OCTETS);
  octets.set(head);
  const end = frames ? putFrames(octets, head.length, frames) : head.length;
  octets[end] = CHECK_KEY;
  octets.writeUInt32LE(crc32(octets.subarray(0, end)), end + 1);
  return octets.subarray(0, end + CHECK_OCTETS);
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

/** Null if the octets are not such a message, or not as they were sent. */
export function decodeMessage(octets: Uint8Array): ChannelMessage | null {
  const end = octets.length - CHECK_OCTETS;
  if (end < 0 || octets[end] !== CHECK_KEY) return null;
  const check = Buffer.from(octets.buffer, octets.byteOffset + end + 1, 4).readUInt32LE();
  if (check !== crc32(octets.subarray(0, end))) return null;
  try {
    return selvage.v1.ChannelMessage.decode(octets);
  } catch {
    return null;
  }
}
