import type { FramePool } from '../frame/frame-pool.js';
import { NEXT } from '../frame/frame-pool.js';
import { DERIVED } from '../kernel/kinds.js';
import type { Tables, Unit } from '../kernel/tables.js';
import type { FrameRef } from '../units/indices.js';
import { assert } from '../kernel/assert.js';
import { assertFields, field } from '../kernel/fields.js';

const HEAD = 0;
const TAIL = 1;
const STRIDE = 2;
assertFields(STRIDE, HEAD, TAIL);

/** Lists of frames, first in, first out: so many for each row of a unit. */
export type FrameLists = ReturnType<typeof makeFrameLists>;

export function makeFrameLists(tables: Tables, pool: FramePool, unit: Unit, perRow: number) {
  const { words } = pool;
  const records = tables.int32(unit, field('ends of lists', DERIVED, STRIDE * perRow)).fill(-1);

  /** True if the list was empty before. */
  function push(list: number, frame: FrameRef): boolean {
    const at = list * STRIDE;
    const tail = records[at + TAIL];
    words[frame + NEXT] = -1;
    records[at + TAIL] = frame;
    if (tail >= 0) {
      assert(words[tail + NEXT] < 0 && tail !== frame, 'list.tail-is-last');
      words[tail + NEXT] = frame;
      return false;
    }
    assert(records[at + HEAD] < 0, 'list.empty-has-no-head');
    records[at + HEAD] = frame;
    return true;
  }

  function shift(list: number): number {
    const at = list * STRIDE;
    const frame = records[at + HEAD];
    assert(frame >= 0, 'list.empty');
    const next = words[frame + NEXT];
    records[at + HEAD] = next;
    if (next < 0) records[at + TAIL] = -1;
    return frame;
  }

  /** First frame of a list, -1 if none. */
  function head(list: number): number {
    return records[list * STRIDE + HEAD];
  }

  function forEach(list: number, visit: (frame: FrameRef) => void): void {
    for (let f = head(list); f >= 0; f = words[f + NEXT]) visit(f);
  }

  /** Replaces the frames of a list. */
  function relink(list: number, frames: readonly number[]): void {
    records[list * STRIDE + HEAD] = -1;
    records[list * STRIDE + TAIL] = -1;
    for (const frame of frames) push(list, frame);
  }

  return { push, shift, head, forEach, relink };
}
