import type { FramePool } from '../frame/frame-pool.js';
import { NEXT, STORED } from '../frame/frame-pool.js';
import { DERIVED, SHAPE } from '../kernel/kinds.js';
import { ACCOUNT, type Tables } from '../kernel/tables.js';
import type { FrameRef } from '../units/indices.js';
import { assert } from '../kernel/assert.js';
import { field, fields } from '../kernel/fields.js';

const TAIL = 0;
const OCTETS = 1;
const STRIDE = 2;
const LINE = fields(STRIDE, { last: [TAIL, DERIVED], octets: [OCTETS, SHAPE] });

/** Frames that wait for a grant to join the queue of their class: a line per account of grants. */
export type WaitingLines = ReturnType<typeof makeWaitingLines>;

export function makeWaitingLines(tables: Tables, pool: FramePool) {
  const { words } = pool;
  /** Adjacent, as each frame reads whether its line is empty. */
  const heads = tables.int32(ACCOUNT, field('first in line', DERIVED)).fill(-1);
  const records = tables.int32(ACCOUNT, LINE);

  function push(row: number, frame: FrameRef): void {
    const at = row * STRIDE;
    words[frame + NEXT] = -1;
    if (heads[row] < 0) heads[row] = frame;
    else {
      assert(words[records[at + TAIL] + NEXT] < 0, 'line.tail-is-last');
      words[records[at + TAIL] + NEXT] = frame;
    }
    records[at + TAIL] = frame;
    assert(words[frame + STORED] > 0, 'line.frame-is-stored');
    records[at + OCTETS] += words[frame + STORED];
  }

  /** Inserts at the head, where it was before it was removed. */
  function putBack(row: number, frame: FrameRef): void {
    const at = row * STRIDE;
    assert(heads[row] !== frame, 'line.put-back-twice');
    words[frame + NEXT] = heads[row];
    if (heads[row] < 0) records[at + TAIL] = frame;
    heads[row] = frame;
    records[at + OCTETS] += words[frame + STORED];
  }

  function shift(row: number): number {
    const frame = heads[row];
    assert(frame >= 0, 'line.empty');
    const next = words[frame + NEXT];
    heads[row] = next;
    const octets = records[row * STRIDE + OCTETS] - words[frame + STORED];
    assert(next < 0 ? octets === 0 : octets > 0, 'line.octets-of-frames');
    records[row * STRIDE + OCTETS] = octets;
    return frame;
  }

  /** First frame of a line, -1 if none. */
  function head(row: number): number {
    return heads[row];
  }

  function octets(row: number): number {
    return records[row * STRIDE + OCTETS];
  }

  function forEach(row: number, visit: (frame: FrameRef) => void): void {
    for (let f = head(row); f >= 0; f = words[f + NEXT]) visit(f);
  }

  /** Replaces the frames of a line by others of the same number and size. */
  function relink(row: number, frames: readonly number[]): void {
    frames.forEach((frame, i) => {
      words[frame + NEXT] = frames[i + 1] ?? -1;
    });
    heads[row] = frames[0] ?? -1;
    records[row * STRIDE + TAIL] = frames[frames.length - 1] ?? -1;
  }

  return { push, putBack, shift, head, octets, forEach, relink };
}
