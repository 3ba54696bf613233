import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeAgendaOrder } from '../../../../services/engine/device/agenda-order.js';
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
import { agendaKey } from '../../../../services/engine/kernel/agenda.js';

function sides(): {
  pool: FramePool;
  octets: OctetStore;
  order: ReturnType<typeof makeAgendaOrder>;
} {
  const pool = new FramePool(1 << 16);
  const octets = new OctetStore();
  return { pool, octets, order: makeAgendaOrder({ pool, octets }) };
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
          Math.sign(order.switch(agendaKey(kind, 0), x, y));
        return [sign(a!, b!), sign(b!, c!), sign(a!, c!), sign(a!, a!)];
      });
      assert.deepEqual(signs[0], signs[1]);
      assert.deepEqual(signs[0], [-1, 1, 1, 0]);
    });
  }

  it('does not depend on where frames lie, nor on who follows one', () => {
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
        assert.ok(order.switch(agendaKey(KIND_COMPLETE, 0), first, second) < 0);
        assert.ok(order.switch(agendaKey(KIND_COMPLETE, 0), second, first) > 0);
      }
    }
  });

  it('is that of the values where these are numbers of their own', () => {
    const { order } = sides();
    assert.ok(order.host(agendaKey(KIND_COMPLETE, 0), 1, 2) < 0);
    assert.ok(order.switch(agendaKey(KIND_COMPLETE + 1, 0), 2, 1) > 0);
  });
});
