/**
 * The earliest of a fixed set of event sources of one kind: the lanes of a device, or its
 * transmitters. A link never reorders, so a source needs no heap, only the time of its head; and
 * for the radices of real devices one scan when the earliest moves beats any tree.
 *
 * Sources due at one instant are drawn by lot, with a hash of time and slot: the order is total
 * and depends on nothing else, and no slot is always first.
 */
export class Slots {
  /** The slot to run next. */
  first = 0;

  static readonly wiring = ['at', 'base', 'end', 'least', 'owner'];

  /**
   * `at`: next time of each slot of all owners, Infinity where nothing is due; this owner's start
   * at `base`. `least`: the least of them, by owner.
   */
  constructor(
    private readonly at: Float64Array,
    private readonly base: number,
    count: number,
    private readonly least: Float64Array,
    private readonly owner: number,
  ) {
    this.end = base + count;
    at.fill(Infinity, base, this.end);
    least[owner] = Infinity;
  }

  private readonly end: number;

  /** Time of the slot to run next. */
  get time(): number {
    return this.least[this.owner];
  }

  get(slot: number): number {
    return this.at[this.base + slot];
  }

  set(slot: number, time: number): void {
    this.at[this.base + slot] = time;
    this.moved(slot);
  }

  /** The slot's time has been changed in the table. */
  moved(slot: number): void {
    if (slot === this.first) this.scan();
    else if (this.at[this.base + slot] <= this.least[this.owner]) this.challenge(slot);
  }

  private challenge(slot: number): void {
    const time = this.at[this.base + slot];
    if (time === this.least[this.owner] && !drawnBefore(slot, this.first, time)) return;
    this.first = slot;
    this.least[this.owner] = time;
  }

  private scan(): void {
    const { at, base, end } = this;
    let first = base;
    let time = at[base];
    for (let slot = base + 1; slot < end; slot++) {
      const t = at[slot];
      if (t > time || (t === time && !drawnBefore(slot - base, first - base, t))) continue;
      time = t;
      first = slot;
    }
    this.first = first - base;
    this.least[this.owner] = time;
  }
}

/** The lot: whether `a` goes before `b` when both are due at `time`. */
function drawnBefore(a: number, b: number, time: number): boolean {
  if (time === Infinity) return false;
  const lotA = lot(a, time);
  const lotB = lot(b, time);
  return lotA !== lotB ? lotA < lotB : a < b;
}

function lot(slot: number, time: number): number {
  let h = Math.imul(slot + 1, 0x9e3779b1) ^ (time | 0);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}
