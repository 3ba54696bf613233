import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTimerQueueOrder } from '../../../../services/engine/device/timer-queue-order.js';
import { KIND_CONTROL, KIND_LATE } from '../../../../services/engine/device/device.js';
import { KIND_COMPLETE } from '../../../../services/engine/device/switch/switching.js';
import {
  CLASS,
  FOLLOWED_FLAG,
  FramePool,
  HASH,
  SEQUENCE,
  STORED,
} from '../../../../services/engine/frame/frame-pool.js';
import { OctetStore } from '../../../../services/engine/frame/octet-store.js';
import { timerQueueKey } from '../../../../services/engine/kernel/timer-queue.js';

function sides(): {
  pool: FramePool;
  octets: OctetStore;
  order: ReturnType<typeof makeTimerQueueOrder>;
} {
  const pool = new FramePool(1 << 16);
  const octets = new OctetStore();
  return { pool, octets, order: makeTimerQueueOrder({ pool, octets }) };
}

describe('the order of what happens at one port at one time', () => {
  for (const kind of [KIND_CONTROL, KIND_LATE]) {
    it(`does not depend on the slots of messages: kind ${kind}`, () => {
      const messages = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4), Uint8Array.of(9)];
      const signs = [messages, [...messages].reverse()].map((comers) => {
        const { octets, order } = sides();
        const slots = new Map(comers.map((octs) => [octs, octets.put(octs, octs.length)]));
        const [a, b, c] = messages.map((octs) => slots.get(octs)!);
        const sign = (x: number, y: number): number =>
          Math.sign(order.switch(timerQueueKey(kind, 0), x, y));
        return [sign(a!, b!), sign(b!, c!), sign(a!, c!), sign(a!, a!)];
      });
      assert.deepEqual(signs[0], signs[1]);
      assert.deepEqual(signs[0], [-1, 1, 1, 0]);
    });
  }

  it('does not depend on where frames lie, nor on what follows one', () => {
    for (const word of [STORED, CLASS, HASH, SEQUENCE]) {
      const { pool, order } = sides();
      const [a, b] = [pool.allocate(), pool.allocate()];
      for (const [first, second] of [
        [a, b],
        [b, a],
      ] as const) {
        pool.words[first + word] = 5;
        pool.words[second + word] = 7;
        pool.words[first + CLASS]! |= FOLLOWED_FLAG;
        pool.words[second + CLASS]! &= ~FOLLOWED_FLAG;
        assert.ok(order.switch(timerQueueKey(KIND_COMPLETE, 0), first, second) < 0);
        assert.ok(order.switch(timerQueueKey(KIND_COMPLETE, 0), second, first) > 0);
      }
    }
  });

  it('is that of the values where these are numbers of their own', () => {
    const { order } = sides();
    assert.ok(order.host(timerQueueKey(KIND_COMPLETE, 0), 1, 2) < 0);
    assert.ok(order.switch(timerQueueKey(KIND_COMPLETE + 1, 0), 2, 1) > 0);
  });
});
