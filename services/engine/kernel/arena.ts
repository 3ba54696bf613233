import { assert } from './assert.js';
/** Size of a cache line. */
const LINE = 64;
/** A large block begins a page, behind so many octets of the allocator's. */
const HEADER = 16;
const FIRST = LINE - HEADER;
const LEAST_BLOCK = 1 << 20;

export interface Room {
  readonly buffer: SharedArrayBuffer;
  readonly offset: number;
}

/**
 * Memory for records of 32 and 64 octets, aligned to cache lines, so that a record never crosses
 * two. With another alignment of the allocator only speed is lost. Memory that is never touched
 * costs nothing. Other threads may be given it; and V8 does not count it as memory that collecting
 * garbage may return, so that it does not collect at each block.
 */
export class Arena {
  private block = new SharedArrayBuffer(0);
  private used = 0;

  /** `leastBlock`: octets that are taken from the system at once, at least. */
  constructor(private readonly leastBlock = LEAST_BLOCK) {}

  take(octets: number): Room {
    if (this.used + octets > this.block.byteLength) {
      this.block = new SharedArrayBuffer(Math.max(this.leastBlock, FIRST + octets));
      this.used = FIRST;
    }
    const offset = this.used;
    assert(offset + octets <= this.block.byteLength, 'arena.room-in-block');
    this.used += Math.ceil(octets / LINE) * LINE;
    return { buffer: this.block, offset };
  }
}
