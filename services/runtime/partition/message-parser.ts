/** A control frame in a message. */
interface IncomingControl {
  readonly link: number;
  readonly atPs: number;
  readonly octets: Uint8Array;
}

const NOTHING: Uint8Array = new Uint8Array(0);
const NO_CONTROL: readonly IncomingControl[] = [];

/** The fields of a message that came; filled again by the next one. */
export class IncomingMessage {
  protocol = 0;
  epoch = 0;
  from = 0;
  to = 0;
  sequence = 0;
  acknowledged = 0;
  probe = false;
  promisePs = 0;
  bare = 0;
  /** Within the octets of the message. */
  frames: Uint8Array = NOTHING;
  control: readonly IncomingControl[] = NO_CONTROL;

  clear(): void {
    this.protocol = 0;
    this.epoch = 0;
    this.from = 0;
    this.to = 0;
    this.sequence = 0;
    this.acknowledged = 0;
    this.probe = false;
    this.promisePs = 0;
    this.bare = 0;
    this.frames = NOTHING;
    this.control = NO_CONTROL;
  }
}

/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const doubles = new Float64Array(1);
const doubleOctets = new Uint8Array(doubles.buffer);

/** Reads octets of protobuf from the front; `isWell` is false once they were none. */
class Cursor {
  octets: Uint8Array = NOTHING;
  at = 0;
  end = 0;
  isWell = true;

  begin(octets: Uint8Array, at: number, end: number): this {
    this.octets = octets;
    this.at = at;
    this.end = end;
    this.isWell = true;
    return this;
  }

  get hasMore(): boolean {
    return this.isWell && this.at < this.end;
  }

  /** The low 32 bits: all that a field of this contract has. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) break;
      const octet = this.octets[this.at++]!;
      if (shift < 32) value |= (octet & 0x7f) << shift;
      if (octet < 0x80) return value >>> 0;
    }
    this.isWell = false;
    return 0;
  }

  double(): number {
    const from = this.skip(8);
    if (!this.isWell) return 0;
    for (let i = 0; i < 8; i++) doubleOctets[i] = this.octets[from + i]!;
    return doubles[0]!;
  }

  /** Where so many octets begin, which are passed over. */
  skip(octets: number): number {
    const from = this.at;
    if (octets > this.end - from) this.isWell = false;
    else this.at = from + octets;
    return from;
  }

  /** A length, and where that many octets begin. */
  bytes(): Uint8Array {
    const length = this.varint();
    const from = this.skip(length);
    return this.isWell ? this.octets.subarray(from, from + length) : NOTHING;
  }

  /** A field that this version does not know. */
  pass(type: number): void {
    if (type === VARINT) this.varint();
    else if (type === FIXED64) this.skip(8);
    else if (type === FIXED32) this.skip(4);
    else if (type === LENGTH) this.skip(this.varint());
    else this.isWell = false;
  }
}

const message = new Cursor();
const inner = new Cursor();

/** Fills `into` with the fields before `end`; false if they are none. */
export function parseMessage(octets: Uint8Array, end: number, into: IncomingMessage): boolean {
  into.clear();
  const cursor = message.begin(octets, 0, end);
  let control: IncomingControl[] | null = null;
  while (cursor.hasMore) {
    const tag = cursor.varint();
    const [field, type] = [tag >>> 3, tag & 7];
    if (type === VARINT) takeNumber(into, field, cursor);
    else if (type === FIXED64 && field === PROMISE) into.promisePs = cursor.double();
    else if (type === LENGTH && field === FRAMES) into.frames = cursor.bytes();
    else if (type === LENGTH && field === CONTROL) {
      (control ??= []).push(controlIn(octets, cursor));
    } else cursor.pass(type);
  }
  if (control !== null) into.control = control;
  return cursor.isWell;
}

const PROMISE = 10;
const FRAMES = 11;
const CONTROL = 12;

function takeNumber(into: IncomingMessage, field: number, cursor: Cursor): void {
  const value = cursor.varint();
  switch (field) {
    case 1:
      into.protocol = value;
      return;
    case 4:
      into.epoch = value;
      return;
    case 5:
      into.from = value;
      return;
    case 6:
      into.to = value;
      return;
    case 7:
      into.sequence = value;
      return;
    case 8:
      into.acknowledged = value;
      return;
    case 9:
      into.probe = value !== 0;
      return;
    case 14:
      into.bare = value;
      return;
    default:
  }
}

function controlIn(octets: Uint8Array, outer: Cursor): IncomingControl {
  const length = outer.varint();
  const from = outer.skip(length);
  let queue = 0;
  let atPs = 0;
  let content: Uint8Array = NOTHING;
  const cursor = inner.begin(octets, from, outer.isWell ? from + length : from);
  while (cursor.hasMore) {
    const tag = cursor.varint();
    if (tag === 8) queue = cursor.varint();
    else if (tag === 17) atPs = cursor.double();
    else if (tag === 26) content = cursor.bytes();
    else cursor.pass(tag & 7);
  }
  if (!cursor.isWell) outer.isWell = false;
  return { link: queue, atPs, octets: content };
}
