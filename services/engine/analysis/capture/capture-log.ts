import type { FramePool } from '../../frame/frame-pool.js';
import { RECORD_WORDS } from '../../frame/frame-pool.js';
import { isOrderedSet } from './capture-filter.js';
import { assertFields } from '../../kernel/fields.js';

/** Direction of a frame at a port. */
export const SEEN_IN = 0;
export const SEEN_OUT = 1;
/** Neither received nor sent: it was dropped inside. */
export const SEEN_INSIDE = 2;

// Words of a row; the records of a frame follow.

const PORT = 0;
const SEEN = 1;
/** Reason of a drop, counted from 1; 0: it was not dropped. */
const DROP = 2;
const MARKED = 3;
/** Where its octets begin among those of the log; -1: it has none. */
const OCTETS_AT = 4;
const OCTETS = 5;
/** 1 where the octets are the whole frame; 0 where they are derived from its record. */
const IS_CONTROL = 6;
/** The number with which a link layer sent it again, counted from 1; 0: it did not. */
const SENT_AGAIN = 7;
const RECORDS = 8;
assertFields(RECORDS, PORT, SEEN, DROP, MARKED, OCTETS_AT, OCTETS, IS_CONTROL, SENT_AGAIN);
const WIDTH = RECORDS + RECORD_WORDS;

const FIRST_ROWS = 64;
const FIRST_OCTETS = 1024;
const NOTHING = -1;
const NO_OCTETS = new Uint8Array(0);

/** A captured frame; `frameOf` has its fields unless `isControl`. */
interface CaptureRow {
  readonly timePs: number;
  readonly port: number;
  readonly seen: number;
  /** Index of DROP_REASONS, or -1. */
  readonly dropReason: number;
  readonly isMarked: boolean;
  /** The number with which a link layer sent it again; -1: it is sent for the first time. */
  readonly numberAgain: number;
  readonly isControl: boolean;
  /** Of a control frame or a notice, or the CE-Tag of a frame; empty for other frames. */
  readonly octets: Uint8Array;
}

/**
 * Frames that passed the captured ports of a device, in its order: numbers that need no objects.
 */
export class CaptureLog {
  private count = 0;
  private times = new Float64Array(FIRST_ROWS);
  private rows = new Int32Array(FIRST_ROWS * WIDTH);
  private octets = new Uint8Array(FIRST_OCTETS);
  private octetCount = 0;
  /** Frames beyond the limit. */
  omitted = 0;
  /** Frames marked here that have not left, by name and port. */
  marked: string[] = [];
  /** By captured port: its number of rows of frames, and of ordered sets. */
  readonly counts: number[];
  readonly setCounts: number[];

  constructor(ports: number) {
    this.counts = Array.from({ length: ports }, () => 0);
    this.setCounts = Array.from({ length: ports }, () => 0);
  }

  get length(): number {
    return this.count;
  }

  addFrame(timePs: number, port: number, seen: number, pool: FramePool, frame: number): number {
    const row = this.begin(timePs, port, seen);
    this.counts[port]++;
    pool.readInto(frame, this.rows, row * WIDTH + RECORDS);
    return row;
  }

  addControl(timePs: number, port: number, seen: number, octets: Uint8Array): number {
    const row = this.begin(timePs, port, seen);
    const counts = isOrderedSet(octets) ? this.setCounts : this.counts;
    counts[port]++;
    this.rows[row * WIDTH + IS_CONTROL] = 1;
    this.setOctets(row, octets);
    return row;
  }

  /** What was recorded as a frame of its own is a part of this one. */
  becomeFrame(row: number, pool: FramePool, frame: number): void {
    const at = row * WIDTH;
    this.rows[at + IS_CONTROL] = 0;
    this.rows[at + OCTETS_AT] = NOTHING;
    this.rows[at + OCTETS] = 0;
    pool.readInto(frame, this.rows, at + RECORDS);
  }

  setOctets(row: number, octets: Uint8Array): void {
    const next = this.octetCount + octets.length;
    if (next > this.octets.length) {
      const larger = new Uint8Array(2 * next);
      larger.set(this.octets);
      this.octets = larger;
    }
    this.octets.set(octets, this.octetCount);
    this.rows[row * WIDTH + OCTETS_AT] = this.octetCount;
    this.rows[row * WIDTH + OCTETS] = octets.length;
    this.octetCount = next;
  }

  setMarked(row: number): void {
    this.rows[row * WIDTH + MARKED] = 1;
  }

  setSentAgain(row: number, number: number): void {
    this.rows[row * WIDTH + SENT_AGAIN] = number + 1;
  }

  setDropped(row: number, reason: number): void {
    this.rows[row * WIDTH + DROP] = reason + 1;
  }

  timeOf(row: number): number {
    return this.times[row];
  }

  read(row: number): CaptureRow {
    const { rows } = this;
    const at = row * WIDTH;
    const from = rows[at + OCTETS_AT];
    return {
      timePs: this.times[row],
      port: rows[at + PORT],
      seen: rows[at + SEEN],
      dropReason: rows[at + DROP] - 1,
      numberAgain: rows[at + SENT_AGAIN] - 1,
      isMarked: rows[at + MARKED] !== 0,
      isControl: rows[at + IS_CONTROL] !== 0,
      octets: from < 0 ? NO_OCTETS : this.octets.subarray(from, from + rows[at + OCTETS]),
    };
  }

  /** A new frame in a pool with the fields of a row. */
  frameOf(row: number, pool: FramePool): number {
    return pool.write(this.rows, row * WIDTH + RECORDS);
  }

  private begin(timePs: number, port: number, seen: number): number {
    const row = this.count++;
    if (row === this.times.length) this.grow();
    this.times[row] = timePs;
    const at = row * WIDTH;
    this.rows[at + PORT] = port;
    this.rows[at + SEEN] = seen;
    this.rows[at + OCTETS_AT] = NOTHING;
    return row;
  }

  private grow(): void {
    const times = new Float64Array(2 * this.times.length);
    times.set(this.times);
    const rows = new Int32Array(2 * this.rows.length);
    rows.set(this.rows);
    [this.times, this.rows] = [times, rows];
  }
}
