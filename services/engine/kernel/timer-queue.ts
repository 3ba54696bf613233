const ID_BITS = 24;
const ID_MASK = (1 << ID_BITS) - 1;

/** Kinds are small (0..127); ids are indices of ports, priorities, connections, frames. */
export function timerQueueKey(kind: number, id: number): number {
  return (kind << ID_BITS) | id;
}

export function keyKind(key: number): number {
  return key >>> ID_BITS;
}

export function keyId(key: number): number {
  return key & ID_MASK;
}

/** Order of two values of a key: below 0, `a` is first; independent of how actors are grouped. */
export type ValueOrder = (key: number, a: number, b: number) => number;

/**
 * Timers and other rare events of one actor: a binary heap in typed arrays, ordered by (time, key,
 * value). A key names an event and its port, connection or frame, so the order is independent of
 * how actors are grouped; entries equal in all three are interchangeable. Nothing is cancelled: the
 * owner of a timer checks on expiry whether it is still valid.
 */
export class TimerQueue {
  private times = new Float64Array(8);
  private keys = new Int32Array(8);
  private values = new Int32Array(8);
  private size = 0;

  /** Time of the earliest entry, Infinity when empty. */
  time = Infinity;

  static readonly wiring = ['order'];

  constructor(private readonly order: ValueOrder = (_, a, b) => a - b) {}

  nextKey(): number {
    return this.keys[0];
  }

  nextValue(): number {
    return this.values[0];
  }

  get length(): number {
    return this.size;
  }

  push(time: number, key: number, value: number): void {
    if (this.size === this.times.length) this.grow();
    const { times, keys, values } = this;
    let i = this.size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.before(time, key, value, parent)) break;
      times[i] = times[parent];
      keys[i] = keys[parent];
      values[i] = values[parent];
      i = parent;
    }
    times[i] = time;
    keys[i] = key;
    values[i] = value;
    this.time = times[0];
  }

  /** Removes the earliest entry. */
  pop(): void {
    const { times, keys, values } = this;
    const last = --this.size;
    const time = times[last];
    const key = keys[last];
    const value = values[last];
    const half = last >> 1;
    let i = 0;
    while (i < half) {
      let child = 2 * i + 1;
      if (
        child + 1 < last &&
        this.before(times[child + 1], keys[child + 1], values[child + 1], child)
      )
        child++;
      if (this.before(time, key, value, child)) break;
      times[i] = times[child];
      keys[i] = keys[child];
      values[i] = values[child];
      i = child;
    }
    times[i] = time;
    keys[i] = key;
    values[i] = value;
    this.time = last === 0 ? Infinity : times[0];
  }

  /** Gives the entries of one kind new values. */
  replaceValues(kind: number, replace: (value: number) => number): void {
    for (let i = 0; i < this.size; i++) {
      if (keyKind(this.keys[i]) === kind) this.values[i] = replace(this.values[i]);
    }
  }

  /** Calls back for every entry, in no particular order. */
  forEach(visit: (time: number, key: number, value: number) => void): void {
    for (let i = 0; i < this.size; i++) visit(this.times[i], this.keys[i], this.values[i]);
  }

  private before(time: number, key: number, value: number, i: number): boolean {
    const t = this.times[i];
    if (time !== t) return time < t;
    const k = this.keys[i];
    return key !== k ? key < k : this.order(key, value, this.values[i]) < 0;
  }

  private grow(): void {
    const capacity = this.times.length * 2;
    const times = new Float64Array(capacity);
    const keys = new Int32Array(capacity);
    const values = new Int32Array(capacity);
    times.set(this.times);
    keys.set(this.keys);
    values.set(this.values);
    this.times = times;
    this.keys = keys;
    this.values = values;
  }
}
