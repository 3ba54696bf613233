/**
 * The earliest of a fixed set of event sources of one kind: the lanes of a device, or its
 * transmitters. A link never reorders, so a source needs no heap, only the time of its head; and
 * for the radices of real devices one scan when the earliest moves beats any tree.
 *
 * Sources due at one instant are drawn by lot, with a hash of time and slot: the order is total
 * and depends on nothing else, and no slot is always first.
 */
export class Slots {
  /** Next time of each slot; Infinity where nothing is due. */
  readonly at: Float64Array;
  /** The slot to run next, and its time. */
  first = 0;
  time = Infinity;

  constructor(count: number) {
    this.at = new Float64Array(count).fill(Infinity);
  }

  set(slot: number, time: number): void {
    this.at[slot] = time;
    if (slot === this.first) this.scan();
    else if (time <= this.time) this.challenge(slot, time);
  }

  private challenge(slot: number, time: number): void {
    if (time === this.time && !drawnBefore(slot, this.first, time)) return;
    this.first = slot;
    this.time = time;
  }

  private scan(): void {
    const { at } = this;
    let first = 0;
    let time = at[0];
    for (let slot = 1; slot < at.length; slot++) {
      const t = at[slot];
      if (t > time || (t === time && !drawnBefore(slot, first, t))) continue;
      time = t;
      first = slot;
    }
    this.first = first;
    this.time = time;
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
