import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeDraw } from '../../../../services/engine/frame/draw.js';
import { FramePool, HASH, SEQUENCE } from '../../../../services/engine/frame/frame-pool.js';

const FLOWS = 50;
const FRAMES = 8000;

/** By place in a message of sixteen frames, how many are drawn of the frames of some flows. */
function drawn(share: number): number[] {
  const pool = new FramePool(1 << 16);
  const { draws, setShare } = makeDraw(pool);
  const frame = pool.allocate();
  const byPlace = Array.from({ length: 16 }, () => 0);
  setShare(share);
  for (let flow = 0; flow < FLOWS; flow++) {
    pool.words[frame + HASH] = Math.imul(flow + 1, 0x85ebca6b);
    for (let n = 0; n < FRAMES; n++) {
      pool.words[frame + SEQUENCE] = n;
      if (draws(frame)) byPlace[n % 16]!++;
    }
  }
  return byPlace;
}

describe('drawing frames', () => {
  for (const share of [0.001, 0.01, 0.06, 0.07, 0.5]) {
    it(`takes a share of ${share}, of every place in a message`, () => {
      const byPlace = drawn(share);
      const expected = FLOWS * FRAMES * share;
      const total = byPlace.reduce((sum, count) => sum + count, 0);
      const sigma = Math.sqrt(expected * (1 - share));
      assert.ok(Math.abs(total - expected) < 4 * sigma, `${total} of ${expected}`);
      for (const count of byPlace) {
        assert.ok(Math.abs(count - expected / 16) < 5 * (sigma / 4), byPlace.join());
      }
    });
  }

  it('takes none, or all', () => {
    assert.deepEqual([...new Set(drawn(0))], [0]);
    assert.deepEqual([...new Set(drawn(1))], [(FLOWS * FRAMES) / 16]);
  });
});
