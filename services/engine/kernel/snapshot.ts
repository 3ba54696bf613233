/**
 * Saving and restoring whole actors. State is plain data, so one walk over an actor's own
 * properties copies all of it. What is not state (configuration, link partners, probes) is in
 * `#private` fields, which no walk sees; anything else that is not plain data is refused: a
 * forgotten property is an error, never a silent gap.
 */

export type Plain =
  | number
  | string
  | boolean
  | null
  | TypedArray
  | readonly Plain[]
  | { readonly [key: string]: Plain };

type TypedArray =
  | Float64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Uint8Array
  | Int8Array;

type Bag = Record<string, unknown>;

function isTyped(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value);
}

/** A deep copy of an object's state, free of references into it. */
export function save(object: object): Plain {
  return copy(object, new Map(), 'actor');
}

function copy(value: unknown, buffers: Map<ArrayBufferLike, ArrayBufferLike>, at: string): Plain {
  if (value === null) return null;
  switch (typeof value) {
    case 'number':
    case 'string':
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      throw new Error(`${at} is a ${typeof value}: no plain data, and in no #private field`);
  }
  if (isTyped(value)) return copyView(value, buffers);
  if (value instanceof Map || value instanceof Set) {
    throw new Error(`${at} is a Map or a Set: no plain data, and in no #private field`);
  }
  if (Array.isArray(value)) return value.map((item, i) => copy(item, buffers, `${at}[${i}]`));
  const result: Record<string, Plain> = {};
  for (const key of Object.keys(value)) {
    result[key] = copy((value as Bag)[key], buffers, `${at}.${key}`);
  }
  return result;
}

/** Two views of one buffer stay two views of one buffer. */
function copyView(view: TypedArray, buffers: Map<ArrayBufferLike, ArrayBufferLike>): TypedArray {
  let buffer = buffers.get(view.buffer);
  if (buffer === undefined) {
    buffer = view.buffer.slice(0);
    buffers.set(view.buffer, buffer);
  }
  const View = view.constructor as new (b: ArrayBufferLike, o: number, n: number) => TypedArray;
  return new View(buffer, view.byteOffset, view.length);
}

/** Puts a saved state into an object of the same shape, made from the same specification. */
export function restore(object: object, saved: Plain): void {
  assign(object as Bag, saved as Record<string, Plain>, new Map(), 'actor');
}

function assign(
  target: Bag,
  saved: Readonly<Record<string, Plain>>,
  buffers: Map<ArrayBufferLike, ArrayBufferLike>,
  at: string,
): void {
  for (const key of Object.keys(target)) {
    if (!(key in saved)) throw new Error(`the saved state has no ${at}.${key}`);
    target[key] = revive(target[key], saved[key], buffers, `${at}.${key}`);
  }
}

function revive(
  current: unknown,
  saved: Plain,
  buffers: Map<ArrayBufferLike, ArrayBufferLike>,
  at: string,
): unknown {
  if (isTyped(saved)) {
    if (isTyped(current) && current.length === saved.length) {
      current.set(saved);
      return current;
    }
    return copyView(saved, buffers);
  }
  if (Array.isArray(saved)) {
    const items = Array.isArray(current) ? (current as unknown[]) : [];
    return (saved as readonly Plain[]).map((item, i) =>
      revive(items[i], item, buffers, `${at}[${i}]`),
    );
  }
  if (typeof saved === 'object' && saved !== null) {
    if (typeof current !== 'object' || current === null) {
      return copy(saved, buffers, at);
    }
    const { kind } = current as Bag;
    // A branch may have another part in its place, which begins anew.
    if (kind !== undefined && kind !== (saved as Record<string, Plain>)['kind']) return current;
    assign(current as Bag, saved as Record<string, Plain>, buffers, at);
    return current;
  }
  return saved;
}
