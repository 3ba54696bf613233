import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CHARGED,
  COPIES,
  INGRESS,
  SharedFrames,
} from '../../../../services/engine/buffer/shared-frames.js';
import { restore, save } from '../../../../services/engine/kernel/snapshot.js';

/** Stores a frame of so many octets that came in by a port. */
function add(frames: SharedFrames, copies: number, port: number, octets: number): number {
  const number = frames.add(copies);
  frames.set(number, INGRESS, port);
  frames.set(number, CHARGED, octets);
  return number;
}

function storedIn(frames: SharedFrames): number[] {
  const octets: number[] = [];
  frames.forEach((number) => octets.push(frames.get(number, CHARGED)));
  return octets;
}

describe('frames that are stored once', () => {
  it('go with the last of their copies', () => {
    const frames = new SharedFrames();
    const number = add(frames, 3, 0, 1500);
    assert.deepEqual(
      [1, 2, 3].map(() => frames.left(number)),
      [false, false, true],
    );
    frames.remove(number);
    assert.deepEqual(storedIn(frames), []);
  });

  it('take the records of those that have gone, and none of those that have not', () => {
    const frames = new SharedFrames();
    const [first, second] = [add(frames, 2, 1, 64), add(frames, 2, 2, 128)];
    frames.remove(first);
    assert.equal(add(frames, 4, 3, 256), first);
    assert.deepEqual(storedIn(frames), [256, 128]);
    assert.equal(frames.get(second, COPIES), 2);
    assert.equal(add(frames, 2, 0, 512), 2);
  });

  it('are restored as they were saved, whatever stood there', () => {
    const frames = new SharedFrames();
    const gone = add(frames, 2, 1, 64);
    add(frames, 5, 2, 128);
    frames.remove(gone);
    const other = new SharedFrames();
    add(other, 9, 9, 9);
    restore(other, save(frames));
    assert.deepEqual(storedIn(other), [128]);
    assert.equal(add(other, 1, 0, 32), gone);
  });
});
