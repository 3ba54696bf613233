import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

  it('names kind and id in one key', () => {
    const key = timerQueueKey(17, 123_456);
    assert.equal(keyKind(key), 17);
    assert.equal(keyId(key), 123_456);
  });
});
