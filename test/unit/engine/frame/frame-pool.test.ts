import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CONNECTION,
  FramePool,
  LENGTH,
  SEQUENCE,
  packClass,
} from '../../../../services/engine/frame/frame-pool.js';

describe('frame pool', () => {
  it('hands out records that do not overlap and takes them back', () => {
    const pool = new FramePool(1 << 16);
    const a = pool.allocate();
    const b = pool.allocate();
    pool.words[a + SEQUENCE] = 1;
    pool.words[b + SEQUENCE] = 2;
    pool.setArrival(a, 1e15);
    pool.setBorn(b, 2e15);
    assert.equal(pool.words[a + SEQUENCE], 1);
    assert.equal(pool.words[b + SEQUENCE], 2);
    assert.equal(pool.arrival(a), 1e15);
    assert.equal(pool.born(b), 2e15);
    assert.equal(pool.inUse(), 2);
    pool.release(a);
    pool.release(b);
    assert.equal(pool.inUse(), 0);
  });

  it('notices a frame that was released twice', () => {
    const pool = new FramePool(1 << 16);
    const frame = pool.allocate();
    pool.release(frame);
    assert.throws(() => {
      pool.release(frame);
    }, /pool\.release/);
    pool.release(pool.allocate());
    assert.equal(pool.inUse(), 0);
  });

  it('copies what travels with a frame', () => {
    const pool = new FramePool(1 << 16);
    const frame = pool.allocate();
    pool.words[frame + LENGTH] = 1518;
    pool.ends[frame + CONNECTION] = 4;
    pool.setBorn(frame, 17);
    const copy = new FramePool(1 << 16).copyFrom(pool, frame);
    const other = new FramePool(1 << 16);
    const there = other.copyFrom(pool, frame);
    assert.equal(copy, there);
    assert.equal(other.words[there + LENGTH], 1518);
    assert.equal(other.ends[there + CONNECTION], 4);
    assert.equal(other.born(there), 17);
  });

  it('writes a record that was read', () => {
    const pool = new FramePool(1 << 16);
    const frame = pool.allocate();
    pool.words[frame + LENGTH] = 900;
    pool.setArrival(frame, 123_456_789_012);
    const other = new FramePool(1 << 16);
    other.allocate();
    const again = other.write(pool.read(frame));
    assert.equal(other.words[again + LENGTH], 900);
    assert.equal(other.arrival(again), 123_456_789_012);
  });

  it('packs priority, drop eligibility, code point and kind into one word without collision', () => {
    const base = { priority: 0, dei: false, dscp: 0, ect: false, kind: 0, group: false };
    const words = [
      packClass({ ...base, priority: 7 }),
      packClass({ ...base, dei: true }),
      packClass({ ...base, dscp: 63 }),
      packClass({ ...base, ect: true }),
      packClass({ ...base, group: true }),
    ];
    const union = words.reduce((a, b) => a | b, 0);
    const sum = words.reduce((a, b) => a + b, 0);
    assert.equal(union, sum);
  });
});
