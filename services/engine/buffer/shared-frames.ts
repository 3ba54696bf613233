import { SHAPE } from '../kernel/kinds.js';
import { assert } from '../kernel/assert.js';
import { assertFields } from '../kernel/fields.js';
// Words of a frame that is stored once and leaves by several ports.

/** Copies that have not left yet; in a free record, the next free one. */
export const COPIES = 0;
/** Ingress port, as its device counts it; NONE in a free record. */
export const INGRESS = 1;
export const GROUP = 2;
/** Octets of its ingress buffer. */
export const CHARGED = 3;
/** Priority and units of grants, as in the class of a frame. */
export const CHARGE = 4;
/** Its tags when it was charged: they choose the account of grants. */
export const TAGS = 5;
const STRIDE = 6;
assertFields(STRIDE, COPIES, INGRESS, GROUP, CHARGED, CHARGE, TAGS);

const NONE = -1;

/**
 * Multicast and flooded frames in the buffer of one switch. The buffer stores such a frame once;
 * every egress queue has a copy, and the copies have the number of the record here.
 */
export class SharedFrames {
  static readonly kinds = SHAPE;

  private readonly words: number[] = [];
  private free = NONE;

  /** Returns the number of a new record. */
  add(copies: number): number {
    let number = this.free;
    if (number === NONE) {
      number = this.words.length / STRIDE;
      for (let i = 0; i < STRIDE; i++) this.words.push(NONE);
    } else this.free = this.get(number, COPIES);
    assert(copies > 0 && this.get(number, INGRESS) === NONE, 'shared-frame.record-is-free');
    this.set(number, COPIES, copies);
    return number;
  }

  get(number: number, word: number): number {
    return this.words[number * STRIDE + word];
  }

  set(number: number, word: number, value: number): void {
    this.words[number * STRIDE + word] = value;
  }

  /** A copy has left or was dropped; true if it was the last. */
  left(number: number): boolean {
    assert(this.get(number, COPIES) > 0, 'shared-frame.copies-left');
    return --this.words[number * STRIDE + COPIES] === 0;
  }

  /** Frees the record with the number. */
  remove(number: number): void {
    assert(this.get(number, INGRESS) !== NONE, 'shared-frame.removed-once');
    this.set(number, COPIES, this.free);
    this.set(number, INGRESS, NONE);
    this.free = number;
  }

  /** Numbers of all frames that are stored. */
  forEach(visit: (number: number) => void): void {
    for (let number = 0; number * STRIDE < this.words.length; number++) {
      if (this.get(number, INGRESS) !== NONE) visit(number);
    }
  }
}
