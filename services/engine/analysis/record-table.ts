import { assert } from '../kernel/assert.js';

const FIRST_ROWS = 64;

/** Most records of a kind that are stored for a device; further ones are only counted. */
export const MOST_RECORDS = 100_000;

/**
 * Records of numbers, side by side in one array that grows: a busy port is paused and released many
 * thousand times, and as many objects would load the garbage collector.
 */
export class RecordTable {
  readonly #width: number;
  /** Most devices have no record of a kind, and take no memory for them. */
  values = new Float64Array(0);
  count = 0;
  /** Records beyond the limit. */
  omitted = 0;
  /** Rows that have not ended. */
  open: number[] = [];

  constructor(width: number) {
    this.#width = width;
  }

  /** A new row that has not ended: its offset among the values; -1 if there are too many. */
  begin(): number {
    if (this.count === MOST_RECORDS) {
      this.omitted++;
      return -1;
    }
    const at = this.count++ * this.#width;
    if (at === this.values.length) {
      const values = new Float64Array(Math.max(2 * at, FIRST_ROWS * this.#width));
      values.set(this.values);
      this.values = values;
    }
    assert(at < this.values.length, 'records.row-has-room');
    this.open.push(at);
    return at;
  }

  /** A row has ended. */
  close(at: number): void {
    const { open } = this;
    const place = open.indexOf(at);
    assert(place >= 0, 'records.row-is-open');
    open[place] = open[open.length - 1];
    open.pop();
  }

  /** Removes rows that have ended, except those to be kept. */
  forgetClosed(isKept: (at: number) => boolean = () => false): void {
    const width = this.#width;
    const { values } = this;
    const open = new Set(this.open);
    this.open = [];
    let to = 0;
    for (let at = 0; at < this.count * width; at += width) {
      if (!open.has(at) && !isKept(at)) continue;
      values.copyWithin(to, at, at + width);
      if (open.has(at)) this.open.push(to);
      to += width;
    }
    assert(open.size === this.open.length, 'records.open-rows-stay');
    this.count = to / width;
  }

  /** Small whole numbers are read as integers: an index that is a double is slower. */
  map<Item>(read: (at: number) => Item): Item[] {
    const items: Item[] = [];
    for (let row = 0; row < this.count; row++) items.push(read(row * this.#width));
    return items;
  }
}
