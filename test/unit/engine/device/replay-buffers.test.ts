import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CARRIES_FLAG,
  CLASS,
  FramePool,
  LENGTH,
  RECORD_ARRIVAL,
  RECORD_WORDS,
} from '../../../../services/engine/frame/frame-pool.js';
import { OctetStore } from '../../../../services/engine/frame/octet-store.js';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { makeReplayBuffers } from '../../../../services/engine/port/replay-buffers.js';
import { fc } from '../../../kit/properties.js';

const PORT = 1;

function made() {
  const pool = new FramePool(4096);
  const store = new OctetStore();
  const buffers = makeReplayBuffers(new Tables({ port: 2 }), pool, store);
  const keep = (length: number, nowPs: number): void => {
    const frame = pool.allocate();
    pool.words[frame + LENGTH] = length;
    buffers.keep(PORT, frame, nowPs);
    pool.release(frame);
  };
  const kept = (): number[] => {
    const lengths: number[] = [];
    buffers.forEach(PORT, (frame) => lengths.push(pool.words[frame + LENGTH]!));
    return lengths;
  };
  return { pool, store, buffers, keep, kept };
}

/** Frames that are kept, released, or sent again from the oldest on. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('keep'), count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('release'), count: fc.nat(40) }),
  fc.record({ kind: fc.constant('repeat'), count: fc.nat(40) }),
);

describe('a replay buffer', () => {
  it('keeps frames in their order, whatever is kept, released and sent again', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { pool, buffers, keep, kept } = made();
        const model: number[] = [];
        let next = 0;
        for (const { kind, count } of steps) {
          for (let n = 0; n < count && kind === 'keep'; n++) {
            keep(64 + next, next);
            model.push(64 + next++);
          }
          if (kind === 'release') {
            const freed = Math.min(count, model.length);
            buffers.release(PORT, freed);
            model.splice(0, freed);
          }
          if (kind === 'repeat') {
            buffers.rewind(PORT);
            const again = model.slice(0, count).map(() => {
              const frame = buffers.repeat(PORT);
              pool.release(frame);
              return pool.words[frame + LENGTH];
            });
            assert.deepEqual(again, model.slice(0, count));
          }
          assert.deepEqual(kept(), model);
          assert.equal(
            buffers.octets(PORT),
            model.reduce((sum, length) => sum + length, 0),
          );
          assert.equal(buffers.oldestPs(PORT), model.length === 0 ? Infinity : model[0]! - 64);
          assert.equal(pool.inUse(), 0);
        }
      }),
    );
  });

  it('takes the copies of a checkpoint in place of its own', () => {
    const { pool, buffers, keep, kept } = made();
    for (let n = 0; n < 50; n++) keep(100 + n, n);
    buffers.release(PORT, 48);
    const copies = [300, 301].map((length) => {
      const frame = pool.allocate();
      pool.words[frame + LENGTH] = length;
      const copy = pool.read(frame);
      pool.release(frame);
      return copy;
    });
    buffers.relink(PORT, copies);
    assert.deepEqual(kept(), [300, 301]);
    for (let n = 0; n < 30; n++) keep(400 + n, n);
    assert.deepEqual(kept().slice(0, 3), [300, 301, 400]);
  });

  it('keeps all of a frame but its place in a list', () => {
    const { pool, buffers } = made();
    const record = Int32Array.from({ length: RECORD_WORDS }, (_, word) => 3 * word + 1);
    record[CLASS] = 3;
    const own = pool.write(record);
    buffers.keep(PORT, own, 5);
    const again = pool.read(buffers.repeat(PORT));
    assert.equal(new Float64Array(again.buffer)[RECORD_ARRIVAL], 5);
    for (let word = 1; word < RECORD_WORDS; word++) {
      if (word >> 1 !== RECORD_ARRIVAL) assert.equal(again[word], record[word], `word ${word}`);
    }
  });

  it('gives back the octets that a frame carries when it lets go of it', () => {
    const { pool, store, buffers } = made();
    const frame = pool.allocate();
    pool.words[frame + LENGTH] = 64;
    pool.words[frame + CLASS] = CARRIES_FLAG;
    pool.setCarried(frame, store.put(Uint8Array.of(1, 2, 3), 3));
    buffers.keep(PORT, frame, 0);
    const slots: number[] = [];
    buffers.forEach(PORT, (copy) => slots.push(pool.carried(copy)));
    assert.notEqual(slots[0], pool.carried(frame));
    assert.deepEqual([...store.get(slots[0]!).subarray(0, 3)], [1, 2, 3]);
    buffers.release(PORT, 1);
    assert.equal(store.put(Uint8Array.of(4), 1), slots[0]);
  });
});
