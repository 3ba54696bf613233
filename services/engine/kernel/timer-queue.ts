import { assert } from './assert.js';
const ID_BITS = 24;
const ID_MASK = (1 << ID_BITS) - 1;
const KINDS = 128;

/** Kinds are small (0..127); ids are indices of ports, priorities, connections, frames. */
export function timerQueueKey(kind: number, id: number): number {
  assert(id >= 0 && id <= ID_MASK && kind < KINDS, 'timer.key');
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

export interface TimerEntry {
  readonly time: number;
  readonly key: number;
  readonly value: number;
}

const NO_TIMES = new Float64Array(0);
const NO_NUMBERS = new Int32Array(0);
const LEAST_ROOM = 16;

/**
 * Timers, messages and other events of one actor that are not frames, ordered by (time, key,
 * value). A key names an event and its port, connection or frame, so the order is independent of
 * how actors are grouped; entries equal in all three are interchangeable. A timer that will do
 * nothing is removed, so that it is neither an event nor part of the state.
 *
 * Timers are in a binary heap in typed arrays. Messages of link partners are frequent and never due
 * in the window in which they are sent, so they lie in no order until their window begins, which
 * sorts them at once, by place in the window: about as cheap for many as for few.
 */
export class TimerQueue {
  private times = new Float64Array(8);
  private keys = new Int32Array(8);
  private values = new Int32Array(8);
  private size = 0;

  /** Time of the earliest entry of those that are in order, Infinity without any. */
  time = Infinity;
  /** The earliest entry is the first of the window's, not of the heap. */
  private isOfWindow = false;

  // What was posted for this window, in order from `from` to `to`.

  private dueTimes = NO_TIMES;
  private dueKeys = NO_NUMBERS;
  private dueValues = NO_NUMBERS;
  private from = 0;
  private to = 0;

  // What is posted for later windows.

  private postedTimes = NO_TIMES;
  private postedKeys = NO_NUMBERS;
  private postedValues = NO_NUMBERS;
  private posted = 0;
  /** The earliest of it. */
  postedTime = Infinity;
  /** End of the latest window that has begun. */
  private until = -Infinity;
  /** Used while entries are sorted. */
  #places = NO_NUMBERS;

  readonly #order: ValueOrder;

  constructor(order: ValueOrder = (_, a, b) => a - b) {
    this.#order = order;
  }

  nextKey(): number {
    return this.isOfWindow ? this.dueKeys[this.from] : this.keys[0];
  }

  nextValue(): number {
    return this.isOfWindow ? this.dueValues[this.from] : this.values[0];
  }

  get length(): number {
    return this.size + this.to - this.from + this.posted;
  }

  push(time: number, key: number, value: number): void {
    if (this.size === this.times.length) this.grow();
    assert(time < Infinity, 'timer.has-a-time');
    if (this.rise(this.size++, time, key, value) === 0) this.chooseFirst();
  }

  /** Removes an entry that was pushed, and was not posted. */
  remove(time: number, key: number): void {
    const { times, keys, values } = this;
    let i = 0;
    while (i < this.size && (times[i] !== time || keys[i] !== key)) i++;
    assert(i < this.size, 'timer.removed-was-queued');
    const last = --this.size;
    if (i < last) {
      const place = this.rise(i, times[last], keys[last], values[last]);
      if (place === i) this.sink(i, times[i], keys[i], values[i]);
    }
    this.chooseFirst();
  }

  /** Adds an entry that is usually due in a later window: `begin` has to be called for that one. */
  post(time: number, key: number, value: number): void {
    if (time < this.until) {
      this.push(time, key, value);
      return;
    }
    assert(time < Infinity, 'timer.has-a-time');
    const place = this.posted++;
    if (place === this.postedTimes.length) this.growPosted();
    this.postedTimes[place] = time;
    this.postedKeys[place] = key;
    this.postedValues[place] = value;
    if (time < this.postedTime) this.postedTime = time;
  }

  /** A window begins, up to `bound`: what was posted for it is put in order. */
  begin(bound: number): void {
    if (bound > this.until) this.until = bound;
    if (this.postedTime < bound) this.sortPosted(bound);
  }

  /** Removes the earliest entry. */
  pop(): void {
    const popped = this.time;
    if (this.isOfWindow) this.from++;
    else this.popHeap();
    this.chooseFirst();
    assert(this.time >= popped, 'timer.order');
  }

  /** Gives the entries of one kind new values. */
  replaceValues(kind: number, replace: (value: number) => number): void {
    const change = (keys: Int32Array, values: Int32Array, from: number, to: number): void => {
      for (let i = from; i < to; i++) {
        if (keyKind(keys[i]) === kind) values[i] = replace(values[i]);
      }
    };
    change(this.keys, this.values, 0, this.size);
    change(this.dueKeys, this.dueValues, this.from, this.to);
    change(this.postedKeys, this.postedValues, 0, this.posted);
  }

  /** Replaces all entries. */
  refill(entries: readonly TimerEntry[]): void {
    this.size = this.from = this.to = this.posted = 0;
    this.postedTime = Infinity;
    this.chooseFirst();
    for (const { time, key, value } of entries) this.push(time, key, value);
  }

  /** Calls back for every entry, in no particular order. */
  forEach(visit: (time: number, key: number, value: number) => void): void {
    for (let i = 0; i < this.size; i++) visit(this.times[i], this.keys[i], this.values[i]);
    for (let i = this.from; i < this.to; i++) {
      visit(this.dueTimes[i], this.dueKeys[i], this.dueValues[i]);
    }
    for (let i = 0; i < this.posted; i++) {
      visit(this.postedTimes[i], this.postedKeys[i], this.postedValues[i]);
    }
  }

  private chooseFirst(): void {
    const time = this.size === 0 ? Infinity : this.times[0];
    if (this.from === this.to) {
      this.isOfWindow = false;
      this.time = time;
      return;
    }
    const { from } = this;
    const dueTime = this.dueTimes[from];
    this.isOfWindow =
      this.size === 0 || this.before(dueTime, this.dueKeys[from], this.dueValues[from], 0);
    this.time = this.isOfWindow ? dueTime : time;
  }

  private popHeap(): void {
    const last = --this.size;
    assert(last >= 0, 'timer.popped-was-queued');
    this.sink(0, this.times[last], this.keys[last], this.values[last]);
  }

  /** Puts an entry at a place of the heap, or above it; returns where. */
  private rise(from: number, time: number, key: number, value: number): number {
    const { times, keys, values } = this;
    let i = from;
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
    return i;
  }

  /** Puts an entry at a place of the heap, or below it. */
  private sink(from: number, time: number, key: number, value: number): void {
    const { times, keys, values, size } = this;
    const half = size >> 1;
    let i = from;
    while (i < half) {
      let child = 2 * i + 1;
      if (
        child + 1 < size &&
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
  }

  /** Moves what is due before `bound` to the window: by its place there, then by insertion. */
  private sortPosted(bound: number): void {
    while (this.from < this.to) {
      const { from } = this;
      this.push(this.dueTimes[from], this.dueKeys[from], this.dueValues[from]);
      this.from++;
    }
    const { postedTimes, postedKeys, postedValues, posted, postedTime: first } = this;
    let count = 0;
    let last = first;
    for (let i = 0; i < posted; i++) {
      const time = postedTimes[i];
      if (time >= bound) continue;
      count++;
      if (time > last) last = time;
    }
    if (count > this.dueTimes.length) this.growDue(count);
    // It is not state: a restored queue has none.
    if (count >= this.#places.length) this.#places = new Int32Array(2 * count);
    const places = this.#places;
    const { dueTimes, dueKeys, dueValues } = this;
    const scale = last > first ? (count - 1) / (last - first) : 0;
    places.fill(0, 0, count + 1);
    for (let i = 0; i < posted; i++) {
      const time = postedTimes[i];
      if (time < bound) places[1 + Math.floor((time - first) * scale)]++;
    }
    for (let i = 1; i < count; i++) places[i] += places[i - 1];
    let kept = 0;
    let next = Infinity;
    for (let i = 0; i < posted; i++) {
      const time = postedTimes[i];
      if (time < bound) {
        const place = places[Math.floor((time - first) * scale)]++;
        dueTimes[place] = time;
        dueKeys[place] = postedKeys[i];
        dueValues[place] = postedValues[i];
        continue;
      }
      postedTimes[kept] = time;
      postedKeys[kept] = postedKeys[i];
      postedValues[kept++] = postedValues[i];
      if (time < next) next = time;
    }
    assert(kept + count === posted && kept < posted, 'timer.posted-is-due-or-kept');
    assert(next >= bound, 'timer.kept-for-later');
    this.posted = kept;
    this.postedTime = next;
    this.from = 0;
    this.to = count;
    for (let i = 1; i < count; i++) {
      if (this.isBehind(i - 1, dueTimes[i], dueKeys[i], dueValues[i])) this.insert(i);
    }
    this.chooseFirst();
  }

  /** Moves an entry of the window forward, to its place among those before it. */
  private insert(place: number): void {
    const { dueTimes, dueKeys, dueValues } = this;
    const [time, key, value] = [dueTimes[place], dueKeys[place], dueValues[place]];
    let i = place;
    while (i > 0 && this.isBehind(i - 1, time, key, value)) {
      dueTimes[i] = dueTimes[i - 1];
      dueKeys[i] = dueKeys[i - 1];
      dueValues[i] = dueValues[i - 1];
      i--;
    }
    dueTimes[i] = time;
    dueKeys[i] = key;
    dueValues[i] = value;
  }

  private isBehind(i: number, time: number, key: number, value: number): boolean {
    const t = this.dueTimes[i];
    if (time !== t) return time < t;
    const k = this.dueKeys[i];
    return key !== k ? key < k : this.#order(key, value, this.dueValues[i]) < 0;
  }

  private before(time: number, key: number, value: number, i: number): boolean {
    const t = this.times[i];
    if (time !== t) return time < t;
    const k = this.keys[i];
    return key !== k ? key < k : this.#order(key, value, this.values[i]) < 0;
  }

  private grow(): void {
    const room = this.times.length * 2;
    this.times = wider(this.times, new Float64Array(room));
    this.keys = wider(this.keys, new Int32Array(room));
    this.values = wider(this.values, new Int32Array(room));
  }

  private growPosted(): void {
    const room = Math.max(LEAST_ROOM, this.postedTimes.length * 2);
    this.postedTimes = wider(this.postedTimes, new Float64Array(room));
    this.postedKeys = wider(this.postedKeys, new Int32Array(room));
    this.postedValues = wider(this.postedValues, new Int32Array(room));
  }

  /** Only while the window has no entries. */
  private growDue(count: number): void {
    const room = Math.max(LEAST_ROOM, 2 * count);
    this.dueTimes = new Float64Array(room);
    this.dueKeys = new Int32Array(room);
    this.dueValues = new Int32Array(room);
  }
}

function wider<Numbers extends Float64Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
