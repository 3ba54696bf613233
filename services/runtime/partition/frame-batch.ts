/**
 * Frames in a message: a time that all others count from, then a record for each frame. Little of a
 * frame differs from the one before it of its flow, so both ends of a channel remember, by flow,
 * what was last sent whole; messages come in order and once, so they remember the same.
 *
 *   whole  ~slot                          the words of the pool, NEXT being the link    68 octets
 *   brief  slot | flags | link << 14      sequence   arrival   age on arrival           16 octets
 *
 * Flags: the packet's place in its message counts down as its sequence counts up (else it is as
 * remembered); it was born when the one remembered was, whatever its age. Words are little-endian,
 * times in ps, of arrival after that of the first frame.
 *
 * It would break if a message were decoded twice or left out, or if one end alone forgot what it
 * remembers, as after a return to a checkpoint: a brief record would be of another frame.
 */

import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  HASH,
  LENGTH,
  NEXT,
  RECORD_ARRIVAL,
  RECORD_BORN,
  RECORD_REMAINING,
  RECORD_WORDS,
  REMAINING,
  SEQUENCE,
} from '../../engine/frame/frame-pool.js';

const SLOT_BITS = 12;
const SLOTS = 1 << SLOT_BITS;
const COUNTS_FLAG = 1 << SLOT_BITS;
const BORN_FLAG = 2 << SLOT_BITS;
const LINK_SHIFT = SLOT_BITS + 2;
const MOST_LINKS = 1 << (31 - LINK_SHIFT);
const BASE_WORDS = 2;
const WHOLE_WORDS = 1 + RECORD_WORDS;
const BRIEF_WORDS = 4;
const WORD_OCTETS = Int32Array.BYTES_PER_ELEMENT;

/** A double as two words that may lie anywhere. */
const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

/** Collects frames for a channel, in pieces that fit into a message. */
export class FrameSender {
  private readonly known = new Int32Array(SLOTS * RECORD_WORDS);
  private readonly times = new Float64Array(this.known.buffer);
  private words = new Int32Array(64 * WHOLE_WORDS);
  private used = 0;
  private readonly pieceEnds: number[] = [];
  private pieceStart = 0;
  private basePs = 0;
  private readonly mostWords: number;

  constructor(mostOctets: number) {
    this.mostWords = Math.floor(mostOctets / WORD_OCTETS);
  }

  get isEmpty(): boolean {
    return this.used === 0;
  }

  add(link: number, pool: FramePool, frame: number): void {
    if (this.used + BASE_WORDS + WHOLE_WORDS > this.words.length) this.grow();
    if (this.used + WHOLE_WORDS - this.pieceStart > this.mostWords) this.endPiece();
    const arrival = pool.arrival(frame);
    if (this.used === this.pieceStart) this.beginPiece(arrival);
    const slot = slotOf(pool, frame);
    const after = (arrival - this.basePs) | 0;
    const flags = this.flagsOf(pool, frame, slot);
    if (flags < 0 || this.basePs + after !== arrival || link >= MOST_LINKS) {
      this.addWhole(link, slot, pool, frame);
      return;
    }
    const { words, used } = this;
    words[used] = slot | flags | (link << LINK_SHIFT);
    words[used + 1] = pool.words[frame + SEQUENCE]!;
    words[used + 2] = after;
    words[used + 3] = arrival - pool.born(frame);
    this.used = used + BRIEF_WORDS;
  }

  /** Flags of a brief record; -1 if the frame needs a whole one. */
  private flagsOf(pool: FramePool, frame: number, slot: number): number {
    const { known } = this;
    const at = slot * RECORD_WORDS;
    if (!pool.isLike(frame, known, at)) return -1;
    const born = pool.born(frame);
    const arrival = pool.arrival(frame);
    const isBornAlike = born === this.times[(at >> 1) + RECORD_BORN];
    if (!isBornAlike && arrival - ((arrival - born) | 0) !== born) return -1;
    const flags = isBornAlike ? BORN_FLAG : 0;
    const fewer = (known[at + RECORD_REMAINING]! - pool.ends[frame + REMAINING]!) | 0;
    if (fewer === 0) return flags;
    const further = (pool.words[frame + SEQUENCE]! - known[at + SEQUENCE]!) | 0;
    return fewer === further ? flags | COUNTS_FLAG : -1;
  }

  private addWhole(link: number, slot: number, pool: FramePool, frame: number): void {
    const { known, words, used } = this;
    pool.readInto(frame, known, slot * RECORD_WORDS);
    pool.readInto(frame, words, used + 1);
    words[used] = ~slot;
    words[used + 1 + NEXT] = link;
    this.used = used + WHOLE_WORDS;
  }

  /** Views that are valid until the next `add`; removes what was added. */
  takePieces(): Uint8Array[] {
    this.endPiece();
    let from = 0;
    const pieces = this.pieceEnds.map((to) => {
      const { buffer } = this.words;
      const piece = new Uint8Array(buffer, from * WORD_OCTETS, (to - from) * WORD_OCTETS);
      from = to;
      return piece;
    });
    this.pieceEnds.length = 0;
    this.used = 0;
    this.pieceStart = 0;
    return pieces;
  }

  private beginPiece(basePs: number): void {
    this.basePs = basePs;
    double[0] = basePs;
    this.words[this.used] = halves[0]!;
    this.words[this.used + 1] = halves[1]!;
    this.used += BASE_WORDS;
  }

  private endPiece(): void {
    if (this.used === this.pieceStart) return;
    this.pieceEnds.push(this.used);
    this.pieceStart = this.used;
  }

  private grow(): void {
    const words = new Int32Array(this.words.length * 2);
    words.set(this.words);
    this.words = words;
  }
}

/** The message that is being read: octets from a broker are not aligned. */
let received = new Int32Array(64 * WHOLE_WORDS);

/** Reads a message of a channel: first `accepts`, then `next` until there is no more. */
export class FrameReceiver {
  private readonly known = new Int32Array(SLOTS * RECORD_WORDS);
  /** The frame that `next` has read, as in a pool. */
  readonly record = new Int32Array(RECORD_WORDS);
  private readonly times = new Float64Array(this.record.buffer);
  private basePs = 0;
  private at = 0;
  private end = 0;

  constructor(private readonly links: number) {}

  /** Whether octets are whole records of existing links. The state of flows is unchanged. */
  accepts(octets: Uint8Array): boolean {
    this.end = 0;
    this.at = 0;
    if (octets.length === 0) return true;
    if (octets.length % WORD_OCTETS !== 0) return false;
    const end = octets.length / WORD_OCTETS;
    if (received.length < end) received = new Int32Array(end * 2);
    new Uint8Array(received.buffer).set(octets);
    let at = BASE_WORDS;
    while (at < end) {
      const head = received[at]!;
      const link = head < 0 ? received[at + 1 + NEXT]! : head >> LINK_SHIFT;
      if (~head >= SLOTS || link < 0 || link >= this.links) return false;
      at += head < 0 ? WHOLE_WORDS : BRIEF_WORDS;
    }
    if (at !== end) return false;
    halves[0] = received[0]!;
    halves[1] = received[1]!;
    this.basePs = double[0]!;
    this.at = BASE_WORDS;
    this.end = end;
    return true;
  }

  /** Reads the next frame of the message into `record`; its link, -1 if there is none. */
  next(): number {
    if (this.at === this.end) return -1;
    const head = received[this.at]!;
    return head < 0 ? this.nextWhole(~head) : this.nextBrief(head);
  }

  private nextWhole(slot: number): number {
    const { known, record } = this;
    const from = this.at + 1;
    for (let i = 0; i < RECORD_WORDS; i++) {
      record[i] = known[slot * RECORD_WORDS + i] = received[from + i]!;
    }
    this.at += WHOLE_WORDS;
    return record[NEXT]!;
  }

  private nextBrief(head: number): number {
    const { known, record, times } = this;
    const from = (head & (SLOTS - 1)) * RECORD_WORDS;
    for (let i = 0; i < RECORD_WORDS; i++) record[i] = known[from + i]!;
    const sequence = received[this.at + 1]!;
    if ((head & COUNTS_FLAG) !== 0) record[RECORD_REMAINING]! -= sequence - record[SEQUENCE]!;
    record[SEQUENCE] = sequence;
    times[RECORD_ARRIVAL] = this.basePs + received[this.at + 2]!;
    if ((head & BORN_FLAG) === 0)
      times[RECORD_BORN] = times[RECORD_ARRIVAL] - received[this.at + 3]!;
    this.at += BRIEF_WORDS;
    return head >> LINK_SHIFT;
  }
}

/** Frames of one flow that are alike but for what a brief record says share a slot. */
function slotOf({ words }: FramePool, frame: number): number {
  const kind = words[frame + CLASS]! ^ (words[frame + LENGTH]! << 16);
  return Math.imul(words[frame + HASH]! ^ kind, 0x9e3779b1) >>> (32 - SLOT_BITS);
}
