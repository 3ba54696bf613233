import type { FramePool } from '../../engine/frame/frame-pool.js';
import { NEXT, RECORD_WORDS } from '../../engine/frame/frame-pool.js';

const RECORD_OCTETS = RECORD_WORDS * Int32Array.BYTES_PER_ELEMENT;

/**
 * Frames in a batch: their records as they lie in the pool, 64 octets each, little-endian. The
 * word that links a frame into a list means nothing elsewhere, and says which lane it came by.
 */
export class FrameColumns {
  private words = new Int32Array(64 * RECORD_WORDS);
  private used = 0;

  get count(): number {
    return this.used / RECORD_WORDS;
  }

  get octets(): number {
    return this.used * Int32Array.BYTES_PER_ELEMENT;
  }

  add(lane: number, pool: FramePool, frame: number): void {
    if (this.used === this.words.length) this.grow();
    pool.readInto(frame, this.words, this.used);
    this.words[this.used + NEXT] = lane;
    this.used += RECORD_WORDS;
  }

  /** A view of some frames, valid until the next `add` or `clear`. */
  view(from: number, count: number): Uint8Array {
    return new Uint8Array(this.words.buffer, from * RECORD_OCTETS, count * RECORD_OCTETS);
  }

  clear(): void {
    this.used = 0;
  }

  private grow(): void {
    const words = new Int32Array(this.words.length * 2);
    words.set(this.words);
    this.words = words;
  }
}

/** Where the records of the batch that is being read lie: octets from a broker are not aligned. */
let records = new Int32Array(64 * RECORD_WORDS);

/**
 * The records of a batch, valid until the next batch is read; null if the octets are not whole
 * records of existing lanes.
 */
export function readColumns(octets: Uint8Array, lanes: number): Int32Array | null {
  if (octets.length % RECORD_OCTETS !== 0) return null;
  if (records.byteLength < octets.length) records = new Int32Array(octets.length / 2);
  new Uint8Array(records.buffer).set(octets);
  const words = octets.length / Int32Array.BYTES_PER_ELEMENT;
  for (let at = NEXT; at < words; at += RECORD_WORDS) {
    const lane = records[at]!;
    if (lane < 0 || lane >= lanes) return null;
  }
  return records.subarray(0, words);
}

export function laneOf(batch: Int32Array, at: number): number {
  return batch[at + NEXT]!;
}
