import type { selvage } from '#contracts';
import type { MacKey } from '../keys/mac.js';
import { MAC_OCTETS } from '../keys/mac.js';
import { IncomingMessage, parseMessage } from './message-parser.js';

/** Version of the contracts in proto/selvage. */
export const PROTOCOL = 6;

/** What a message says; the fields that it lacks are 0, false or empty. */
type MessageFields = selvage.v1.ChannelMessage.$Properties;
type ControlFields = selvage.v1.ControlOctets.$Properties;

/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

const key = (field: number, type: number): number => (field << 3) | type;

const PROTOCOL_KEY = key(1, VARINT);
const EPOCH_KEY = key(4, VARINT);
const FROM_KEY = key(5, VARINT);
const TO_KEY = key(6, VARINT);
const SEQUENCE_KEY = key(7, VARINT);
const ACKNOWLEDGED_KEY = key(8, VARINT);
const PROBE_KEY = key(9, VARINT);
const PROMISE_KEY = key(10, FIXED64);
const FRAMES_KEY = key(11, LENGTH);
const CONTROL_KEY = key(12, LENGTH);
const BARE_KEY = key(14, VARINT);
const MAC_KEY = key(15, LENGTH);
const LINK_KEY = key(1, VARINT);
const AT_KEY = key(2, FIXED64);
const OCTETS_KEY = key(3, LENGTH);

/** At most: a key of one octet and a value of 32 bits; the same with a length; a double. */
const NUMBER_OCTETS = 6;
const DOUBLE_OCTETS = 9;
/** Of all fields that are numbers: eight of them, and a promise. */
const NUMBERS_OCTETS = 8 * NUMBER_OCTETS + DOUBLE_OCTETS;
const CONTROL_OCTETS = 3 * NUMBER_OCTETS + DOUBLE_OCTETS;
const MAC_FIELD_OCTETS = 2 + MAC_OCTETS;

const NOTHING = new Uint8Array(0);

/**
 * A message with its MAC at the end, as protobuf has it. Written by hand: there are some hundred
 * thousand a second, and an encoder of protobuf costs more than hashing them.
 */
export function encodeMessage(fields: MessageFields, macKey: MacKey): Uint8Array {
  const frames = fields.frames ?? NOTHING;
  const control = fields.control ?? [];
  let most = NUMBERS_OCTETS + NUMBER_OCTETS + frames.length + MAC_FIELD_OCTETS;
  for (const { octets } of control) most += CONTROL_OCTETS + (octets?.length ?? 0);
  const into = Buffer.allocUnsafe(most);
  let at = putNumber(into, 0, PROTOCOL_KEY, fields.protocol ?? 0);
  at = putNumber(into, at, EPOCH_KEY, fields.epoch ?? 0);
  at = putNumber(into, at, FROM_KEY, fields.from ?? 0);
  at = putNumber(into, at, TO_KEY, fields.to ?? 0);
  at = putNumber(into, at, SEQUENCE_KEY, fields.sequence ?? 0);
  at = putNumber(into, at, ACKNOWLEDGED_KEY, fields.acknowledged ?? 0);
  at = putNumber(into, at, PROBE_KEY, fields.probe === true ? 1 : 0);
  at = putDouble(into, at, PROMISE_KEY, fields.promisePs ?? 0);
  at = putOctets(into, at, FRAMES_KEY, frames);
  for (const frame of control) at = putControl(into, at, frame);
  at = putNumber(into, at, BARE_KEY, fields.bare ?? 0);
  into[at] = MAC_KEY;
  into[at + 1] = MAC_OCTETS;
  macKey.sign(into, at, at + 2);
  return into.subarray(0, at + MAC_FIELD_OCTETS);
}

const incoming = new IncomingMessage();

/**
 * Null if the octets are no such message. Nothing in it is to be trusted yet. What is returned
 * lasts until the next call.
 */
export function decodeMessage(octets: Uint8Array): IncomingMessage | null {
  const end = octets.length - MAC_FIELD_OCTETS;
  if (end < 0 || octets[end] !== MAC_KEY || octets[end + 1] !== MAC_OCTETS) return null;
  return parseMessage(octets, end, incoming) ? incoming : null;
}

/** Whether a message that was decoded is as its sender sent it. */
export function isAuthentic(octets: Uint8Array, macKey: MacKey): boolean {
  const end = octets.length - MAC_FIELD_OCTETS;
  return macKey.verify(octets, end, end + 2);
}

/** Returns where the field ends; 0 is left out, as in protobuf. */
function putNumber(into: Buffer, at: number, fieldKey: number, value: number): number {
  if (value === 0) return at;
  into[at] = fieldKey;
  return putVarint(into, at + 1, value);
}

function putVarint(into: Buffer, at: number, value: number): number {
  let end = at;
  let left = value >>> 0;
  for (; left > 0x7f; left >>>= 7) into[end++] = (left & 0x7f) | 0x80;
  into[end++] = left;
  return end;
}

function putDouble(into: Buffer, at: number, fieldKey: number, value: number): number {
  if (value === 0) return at;
  into[at] = fieldKey;
  return into.writeDoubleLE(value, at + 1);
}

function putOctets(into: Buffer, at: number, fieldKey: number, octets: Uint8Array): number {
  if (octets.length === 0) return at;
  into[at] = fieldKey;
  const from = putVarint(into, at + 1, octets.length);
  into.set(octets, from);
  return from + octets.length;
}

/** A message in a message: its length, which is known when it is written, comes before it. */
function putControl(into: Buffer, at: number, fields: ControlFields): number {
  const { link: queue, atPs, octets } = fields;
  const content = octets ?? NOTHING;
  const length = lengthOfControl(queue ?? 0, atPs ?? 0, content.length);
  into[at] = CONTROL_KEY;
  let end = putVarint(into, at + 1, length);
  end = putNumber(into, end, LINK_KEY, queue ?? 0);
  end = putDouble(into, end, AT_KEY, atPs ?? 0);
  return putOctets(into, end, OCTETS_KEY, content);
}

function lengthOfControl(queue: number, atPs: number, octets: number): number {
  const queueOctets = queue === 0 ? 0 : 1 + varintOctets(queue);
  const atOctets = atPs === 0 ? 0 : DOUBLE_OCTETS;
  return queueOctets + atOctets + (octets === 0 ? 0 : 1 + varintOctets(octets) + octets);
}

function varintOctets(value: number): number {
  let octets = 1;
  for (let left = value >>> 7; left > 0; left >>>= 7) octets++;
  return octets;
}
