import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restore, save } from '../../../../services/engine/kernel/snapshot.js';
import {
  TimerQueue,
  timerQueueKey,
  keyId,
  keyKind,
} from '../../../../services/engine/kernel/timer-queue.js';
import { fc } from '../../../kit/properties.js';

type Entry = readonly [time: number, key: number, value: number];

function inOrder(a: Entry, b: Entry): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function drain(timerQueue: TimerQueue): Entry[] {
  const entries: Entry[] = [];
  while (timerQueue.length > 0) {
    entries.push([timerQueue.time, timerQueue.nextKey(), timerQueue.nextValue()]);
    timerQueue.pop();
  }
  return entries;
}

const entry = fc.tuple(fc.nat(20), fc.nat(5), fc.nat(3));

describe('timerQueue', () => {
  it('gives entries back by time, then key, then value, whatever the order they came in', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const timerQueue = new TimerQueue();
        for (const [time, key, value] of entries) timerQueue.push(time, key, value);
        assert.deepEqual(drain(timerQueue), [...entries].sort(inOrder));
      }),
    );
  });

  it('orders values by the given function where their numbers have no order', () => {
    const said = ['pear', 'fig', 'plum', 'fig'];
    const timerQueue = new TimerQueue((_, a, b) => said[a]!.localeCompare(said[b]!));
    said.forEach((_, value) => {
      timerQueue.push(1, 1, value);
    });
    const words = drain(timerQueue).map(([, , value]) => said[value]);
    assert.deepEqual(words, ['fig', 'fig', 'pear', 'plum']);
  });

  it('knows the time of its earliest entry at every moment', () => {
    fc.assert(
      fc.property(fc.array(fc.option(entry)), (steps) => {
        const timerQueue = new TimerQueue();
        const model: Entry[] = [];
        for (const step of steps) {
          if (step !== null) {
            timerQueue.push(...step);
            model.push(step);
          } else if (model.length > 0) {
            timerQueue.pop();
            model.shift();
          }
          model.sort(inOrder);
          assert.equal(timerQueue.time, model[0]?.[0] ?? Infinity);
        }
      }),
    );
  });

  it('gives back in order what is left when any entries are removed', () => {
    const own = fc.uniqueArray(entry, { selector: ([time, key]) => time * 6 + key });
    fc.assert(
      fc.property(own, fc.array(fc.nat()), (entries, removals) => {
        const timerQueue = new TimerQueue();
        for (const each of entries) timerQueue.push(...each);
        const left = [...entries];
        for (const removal of removals.slice(0, left.length)) {
          const [[time, key]] = left.splice(removal % left.length, 1) as unknown as [Entry];
          timerQueue.remove(time, key);
          assert.equal(timerQueue.time, Math.min(Infinity, ...left.map(([t]) => t)));
        }
        assert.deepEqual(drain(timerQueue), left.sort(inOrder));
      }),
    );
  });

  it('gives what is posted in the same order, window by window, beside what is pushed', () => {
    const step = fc.record({ entry, isPosted: fc.boolean() });
    const windows = fc.array(fc.record({ length: fc.nat(12), steps: fc.array(step) }));
    fc.assert(
      fc.property(windows, (all) => {
        const timerQueue = new TimerQueue();
        const given: Entry[] = [];
        const taken: Entry[] = [];
        let bound = 0;
        for (const { length, steps } of all) {
          // What comes for the window that has begun, or is over, counts from its begin.
          const from = bound;
          bound += length;
          timerQueue.begin(bound);
          for (const {
            entry: [after, key, value],
            isPosted,
          } of steps) {
            const added = [Math.max(from, taken.at(-1)?.[0] ?? 0) + after, key, value] as const;
            given.push(added);
            if (isPosted) timerQueue.post(...added);
            else timerQueue.push(...added);
          }
          assert.equal(timerQueue.length, given.length - taken.length);
          let entries = 0;
          timerQueue.forEach(() => entries++);
          assert.equal(entries, timerQueue.length);
          while (timerQueue.time < bound) {
            taken.push([timerQueue.time, timerQueue.nextKey(), timerQueue.nextValue()]);
            timerQueue.pop();
          }
          const left = [...given].sort(inOrder)[taken.length]?.[0] ?? Infinity;
          assert.equal(Math.min(timerQueue.time, timerQueue.postedTime), left);
        }
        timerQueue.begin(Infinity);
        taken.push(...drain(timerQueue));
        assert.deepEqual(taken, [...given].sort(inOrder));
      }),
    );
  });

  it('goes on in another that is restored from it', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (before, after) => {
        const [timerQueue, restored] = [new TimerQueue(), new TimerQueue()];
        for (const one of before) timerQueue.post(...one);
        timerQueue.begin(10);
        for (const one of before) timerQueue.push(...one);
        restore(restored, save(timerQueue));
        for (const one of after) restored.post(...one);
        restored.begin(Infinity);
        assert.deepEqual(drain(restored), [...before, ...before, ...after].sort(inOrder));
      }),
    );
  });

  it('gives entries of one kind new values wherever they are', () => {
    const timerQueue = new TimerQueue();
    const [slot, other] = [timerQueueKey(1, 0), timerQueueKey(2, 0)];
    timerQueue.post(1, slot, 10);
    timerQueue.begin(2);
    timerQueue.post(3, slot, 30);
    timerQueue.push(2, slot, 20);
    timerQueue.push(4, other, 40);
    timerQueue.replaceValues(1, (value) => value + 1);
    timerQueue.begin(Infinity);
    const values = drain(timerQueue).map(([, , value]) => value);
    assert.deepEqual(values, [11, 21, 31, 40]);
  });

  it('names kind and id in one key', () => {
    const key = timerQueueKey(17, 123_456);
    assert.equal(keyKind(key), 17);
    assert.equal(keyId(key), 123_456);
  });
});
