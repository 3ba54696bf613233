import { crc32 } from 'node:zlib';
import { selvage } from '#contracts';

/** Version of the contracts in proto/selvage. */
export const PROTOCOL = 1;

export type ChannelMessage = selvage.v1.ChannelMessage;
type Fields = selvage.v1.ChannelMessage.$Properties;

/** Key of the field `check` (number 13, fixed32), and octets of the whole field. */
const CHECK_KEY = (13 << 3) | 5;
const CHECK_OCTETS = 5;

/** A message with its check behind it, which is a field like any other. */
export function encodeMessage(fields: Fields): Uint8Array {
  const content = selvage.v1.ChannelMessage.encode(fields).finish();
  const octets = Buffer.allocUnsafe(content.length + CHECK_OCTETS);
  octets.set(content);
  octets[content.length] = CHECK_KEY;
  octets.writeUInt32LE(crc32(content), content.length + 1);
  return octets;
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
