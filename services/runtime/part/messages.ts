import { selvage } from '#contracts';

/** Version of the contracts in proto/selvage. */
export const PROTOCOL = 1;

export type ChannelMessage = selvage.v1.ChannelMessage;
type Fields = selvage.v1.ChannelMessage.$Properties;

export function encodeMessage(fields: Fields): Uint8Array {
  return selvage.v1.ChannelMessage.encode(fields).finish();
}

/** Null if the octets are not such a message. */
export function decodeMessage(octets: Uint8Array): ChannelMessage | null {
  try {
    return selvage.v1.ChannelMessage.decode(octets);
  } catch {
    return null;
  }
}
