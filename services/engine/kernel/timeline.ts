/**
 * The next event of an actor, among a fixed set of sources ("slots"): every lane, transmitter and
 * the agenda has one time each. A link never reorders, so a lane needs no heap, only its head.
 *
 * Slots are scanned in blocks of eight with the least time of each block kept, which for the
 * radices of real devices beats a heap: no sifting, and a source that becomes earlier costs two
 * stores.
 */
export class Timeline {
  /** Next time of each slot; Infinity where nothing is due. */
  readonly at: Float64Array;
  private readonly least: Float64Array;
  /** Where the search among simultaneous arrivals starts: whoever was served last waits longest. */
  private turn: number;

  /** Slots `tiedFrom <= slot < tiedTo` contend when due at one instant, and take turns. */
  constructor(
    slots: number,
    private readonly tiedFrom: number,
    private readonly tiedTo: number,
  ) {
    const blocks = (slots + 7) >> 3;
    this.at = new Float64Array(blocks << 3).fill(Infinity);
    this.least = new Float64Array(blocks).fill(Infinity);
    this.turn = tiedFrom;
  }

  set(slot: number, time: number): void {
    const before = this.at[slot];
    this.at[slot] = time;
    const block = slot >> 3;
    if (time <= this.least[block]) this.least[block] = time;
    else if (before === this.least[block]) this.rescan(block);
  }

  /** The slot to run next: the earliest; among equals the lowest, but tied slots take turns. */
  next(): number {
    const { at, least } = this;
    let time = Infinity;
    let block = 0;
    let tie = false;
    for (let b = 0; b < least.length; b++) {
      const t = least[b];
      if (t < time) {
        time = t;
        block = b;
        tie = false;
      } else if (t === time) tie = true;
    }
    const end = (block << 3) + 8;
    let slot = -1;
    for (let s = end - 8; s < end; s++) {
      if (at[s] === time) {
        if (slot < 0) slot = s;
        else tie = true;
      }
    }
    if (tie && slot < this.tiedTo && time < Infinity) return this.takeTurn(slot, time);
    return slot;
  }

  private takeTurn(lowest: number, time: number): number {
    if (lowest < this.tiedFrom) return lowest;
    const { at, tiedFrom, tiedTo } = this;
    let slot = this.turn;
    while (at[slot] !== time) slot = slot + 1 < tiedTo ? slot + 1 : tiedFrom;
    this.turn = slot + 1 < tiedTo ? slot + 1 : tiedFrom;
    return slot;
  }

  private rescan(block: number): void {
    const { at } = this;
    const end = (block << 3) + 8;
    let time = at[end - 8];
    for (let s = end - 7; s < end; s++) if (at[s] < time) time = at[s];
    this.least[block] = time;
  }
}
