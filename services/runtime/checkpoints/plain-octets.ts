/**
 * Plain values in octets: numbers, strings, booleans, null, undefined, arrays, objects and typed
 * arrays, and nothing else, so that reading octets of unknown origin creates data only.
 * Little-endian. A value is a tag and what that tag has; lengths come first, and are compared with
 * what is left before anything is allocated. What occurs more than once is written once: strings,
 * the names of an object's properties, and objects and arrays that are shared.
 */

/** Octets are not what this module writes; the message says where. */
export class MalformedOctets extends Error {}

/** "SVP" and the version of the format. */
const MAGIC = 0x0150_5653;
const MAGIC_OCTETS = 4;

const NULL = 0;
const UNDEFINED = 1;
const FALSE = 2;
const TRUE = 3;
const INT32 = 4;
const FLOAT64 = 5;
const STRING = 6;
const STRING_AGAIN = 7;
const ARRAY = 8;
const OBJECT = 9;
const TYPED = 10;
const SHARED = 11;

/** What is nested deeper was not written by a run. */
const DEEPEST = 100;
const FIRST_OCTETS = 1 << 16;

type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

interface TypedArrayKind {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): TypedArray;
}

/** By their code. */
const KINDS: readonly TypedArrayKind[] = [
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
];

/** Throws for a value that is not plain. */
export function packPlain(value: unknown): Uint8Array {
  const writer = new Writer();
  writer.uint32(MAGIC);
  writer.value(value, 0);
  return writer.octets();
}

/** Throws `MalformedOctets` for all that `packPlain` does not write. */
export function unpackPlain(octets: Uint8Array): unknown {
  const reader = new Reader(octets);
  const value = reader.whole();
  return value;
}

class Writer {
  private buffer = Buffer.allocUnsafe(FIRST_OCTETS);
  private at = 0;
  private readonly strings = new Map<string, number>();
  private readonly shapes = new Map<string, number>();
  private readonly objects = new Map<object, number>();

  octets(): Uint8Array {
    return new Uint8Array(this.buffer.subarray(0, this.at));
  }

  value(value: unknown, depth: number): void {
    switch (typeof value) {
      case 'number':
        this.number(value);
        return;
      case 'string':
        this.string(value);
        return;
      case 'boolean':
        this.tag(value ? TRUE : FALSE);
        return;
      case 'undefined':
        this.tag(UNDEFINED);
        return;
      case 'object':
        if (value === null) this.tag(NULL);
        else this.object(value, depth);
        return;
      default:
        throw new TypeError(`a ${typeof value} is not a plain value`);
    }
  }

  uint32(value: number): void {
    this.room(4);
    this.at = this.buffer.writeUInt32LE(value, this.at);
  }

  private number(value: number): void {
    if (Object.is(value | 0, value)) {
      this.tag(INT32);
      this.room(4);
      this.at = this.buffer.writeInt32LE(value, this.at);
    } else {
      this.tag(FLOAT64);
      this.room(8);
      this.at = this.buffer.writeDoubleLE(value, this.at);
    }
  }

  private string(text: string): void {
    const known = this.strings.get(text);
    if (known !== undefined) {
      this.tag(STRING_AGAIN);
      this.uint32(known);
      return;
    }
    this.strings.set(text, this.strings.size);
    this.tag(STRING);
    this.text(text);
  }

  /** UTF-16, as strings are: those that are not valid Unicode, too. */
  private text(text: string): void {
    this.uint32(text.length);
    this.room(2 * text.length);
    this.at += this.buffer.write(text, this.at, 'utf16le');
  }

  private object(value: object, depth: number): void {
    if (depth > DEEPEST) throw new TypeError('values are nested too deep, or in a cycle');
    if (ArrayBuffer.isView(value)) {
      this.typed(value as TypedArray);
      return;
    }
    const known = this.objects.get(value);
    if (known !== undefined) {
      this.tag(SHARED);
      this.uint32(known);
      return;
    }
    if (Array.isArray(value)) {
      this.tag(ARRAY);
      this.uint32(value.length);
      for (const item of value) this.value(item, depth + 1);
    } else {
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) {
        throw new TypeError(`a ${value.constructor.name} is not a plain value`);
      }
      this.tag(OBJECT);
      this.shape(Object.keys(value));
      for (const item of Object.values(value)) this.value(item, depth + 1);
    }
    this.objects.set(value, this.objects.size);
  }

  private shape(names: readonly string[]): void {
    const key = JSON.stringify(names);
    const known = this.shapes.get(key);
    this.uint32(known ?? this.shapes.size);
    if (known !== undefined) return;
    this.shapes.set(key, this.shapes.size);
    this.uint32(names.length);
    for (const name of names) this.text(name);
  }

  private typed(view: TypedArray): void {
    const kind = KINDS.findIndex((Kind) => view instanceof (Kind as unknown as () => void));
    if (kind < 0) throw new TypeError(`a ${view.constructor.name} is not a plain value`);
    this.tag(TYPED);
    this.room(1);
    this.buffer[this.at++] = kind;
    this.uint32(view.length);
    this.room(view.byteLength);
    this.buffer.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), this.at);
    this.at += view.byteLength;
  }

  private tag(tag: number): void {
    this.room(1);
    this.buffer[this.at++] = tag;
  }

  private room(octets: number): void {
    if (this.at + octets <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.at + octets));
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}

class Reader {
  private readonly buffer: Buffer;
  private at = 0;
  private readonly strings: string[] = [];
  private readonly shapes: (readonly string[])[] = [];
  private readonly objects: object[] = [];

  constructor(octets: Uint8Array) {
    this.buffer = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  }

  whole(): unknown {
    if (this.buffer.length < MAGIC_OCTETS || this.uint32() !== MAGIC) {
      throw new MalformedOctets('not plain values of this version');
    }
    const value = this.value(0);
    if (this.at < this.buffer.length) this.refuse('something follows the value');
    return value;
  }

  private value(depth: number): unknown {
    const tag = this.octet();
    switch (tag) {
      case NULL:
        return null;
      case UNDEFINED:
        return undefined;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case INT32:
        return this.buffer.readInt32LE(this.take(4));
      case FLOAT64:
        return this.buffer.readDoubleLE(this.take(8));
      case STRING: {
        const text = this.text();
        this.strings.push(text);
        return text;
      }
      case STRING_AGAIN:
        return this.known(this.strings);
      case SHARED:
        return this.known(this.objects);
      case TYPED:
        return this.typed();
      case ARRAY:
      case OBJECT:
        if (depth > DEEPEST) this.refuse('values are nested too deep');
        return tag === ARRAY ? this.array(depth) : this.object(depth);
      default:
        return this.refuse(`there is no tag ${tag}`);
    }
  }

  /** An item takes one octet at least, so no longer array is allocated than there are octets. */
  private array(depth: number): unknown[] {
    const items: unknown[] = [];
    const length = this.count(1);
    for (let i = 0; i < length; i++) items.push(this.value(depth + 1));
    this.objects.push(items);
    return items;
  }

  private object(depth: number): object {
    const names = this.shape();
    const object: Record<string, unknown> = {};
    for (const name of names) object[name] = this.value(depth + 1);
    this.objects.push(object);
    return object;
  }

  private shape(): readonly string[] {
    const number = this.uint32();
    if (number < this.shapes.length) return this.shapes[number]!;
    if (number > this.shapes.length) this.refuse('an object has names that were not given');
    const length = this.count(4);
    const names: string[] = [];
    for (let i = 0; i < length; i++) {
      const name = this.text();
      // It would set the prototype, and not a property.
      if (name === '__proto__') this.refuse('an object has a name that no value has');
      names.push(name);
    }
    if (new Set(names).size < names.length) this.refuse('an object has a name twice');
    this.shapes.push(names);
    return names;
  }

  private typed(): TypedArray {
    const Kind = KINDS[this.octet()] ?? this.refuse('there is no such kind of array');
    const length = this.count(Kind.BYTES_PER_ELEMENT);
    const octets = length * Kind.BYTES_PER_ELEMENT;
    const from = this.take(octets);
    const copy = new ArrayBuffer(octets);
    new Uint8Array(copy).set(this.buffer.subarray(from, from + octets));
    return new Kind(copy);
  }

  private text(): string {
    const octets = 2 * this.count(2);
    const from = this.take(octets);
    return this.buffer.toString('utf16le', from, from + octets);
  }

  private known<T>(values: readonly T[]): T {
    const number = this.uint32();
    return values[number] ?? this.refuse('a value is shared that was not given');
  }

  /** A number of things that take so many octets each, for which there is room. */
  private count(least: number): number {
    const count = this.uint32();
    if (count * least > this.buffer.length - this.at) this.refuse('it ends too early');
    return count;
  }

  private uint32(): number {
    return this.buffer.readUInt32LE(this.take(4));
  }

  private octet(): number {
    return this.buffer[this.take(1)]!;
  }

  /** Where so many octets begin, which are passed over. */
  private take(octets: number): number {
    const from = this.at;
    if (octets > this.buffer.length - from) this.refuse('it ends too early');
    this.at = from + octets;
    return from;
  }

  private refuse(what: string): never {
    throw new MalformedOctets(`${what}, at byte ${this.at}`);
  }
}
