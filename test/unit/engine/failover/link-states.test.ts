import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LinkStates } from '../../../../services/engine/failover/link-states.js';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import type { LinkState } from '../../../../services/engine/wire/link-state.js';
import {
  CE_TAG_GRANT,
  CE_TAG_REQUEST,
  isCeTagged,
} from '../../../../services/engine/wire/ce-tag.js';
import { ETHERTYPE_OUI_EXTENDED } from '../../../../services/engine/wire/ethernet.js';
import {
  decodeLinkStates,
  encodeLinkStates,
  isLinkState,
  LINK_STATE_OCTETS_MOST,
} from '../../../../services/engine/wire/link-state.js';

const state = (slot: number, sequence: number, down: boolean, applyPs: number): LinkState => ({
  ...{ slot, sequence, down, applyPs },
});

describe('what a switch knows of links', () => {
  it('is news once, and never when it is older', () => {
    const known = new LinkStates();
    assert.equal(known.learn(state(7, 2, true, 100)), true);
    assert.equal(known.learn(state(7, 2, true, 100)), false);
    assert.equal(known.learn(state(7, 1, false, 50)), false);
    assert.equal(known.learn(state(7, 3, false, 200)), true);
  });

  it('is followed at its time, each change in turn', () => {
    const known = new LinkStates();
    known.learn(state(7, 1, true, 100));
    known.learn(state(3, 1, true, 150));
    known.learn(state(7, 2, false, 200));
    assert.equal(known.apply(99), false);
    assert.equal(known.nextPs, 100);
    assert.equal(known.apply(100), true);
    assert.deepEqual(known.down, [7]);
    assert.equal(known.apply(199), true);
    assert.deepEqual(known.down, [3, 7]);
    assert.equal(known.apply(1000), true);
    assert.deepEqual(known.down, [3]);
    assert.equal(known.nextPs, Infinity);
  });

  it('does not depend on the order in which it is learned', () => {
    const random = new RandomStream(1, 'links');
    const states = [1, 2, 3].flatMap((slot) =>
      [1, 2, 3, 4].map((sequence) =>
        state(slot, sequence, sequence % 2 === 1, sequence * 10 + slot),
      ),
    );
    for (let i = 0; i < 50; i++) {
      const order = [...states];
      random.shuffle(order);
      const known = new LinkStates();
      order.forEach((one) => known.learn(one));
      known.apply(1000);
      assert.deepEqual(known.down, []);
      assert.deepEqual(
        known.states.map(({ slot, sequence }) => [slot, sequence]),
        [1, 2, 3].map((slot) => [slot, 4]),
      );
    }
  });
});

describe('a link-state update', () => {
  it('says what was put into it, times of hours included', () => {
    const octets = new Uint8Array(LINK_STATE_OCTETS_MOST);
    const states = [state(5, 1, true, 2 ** 52 + 3), state(70_000, 9, false, 0)];
    const length = encodeLinkStates(octets, 0x020000000001, states);
    assert.ok(isLinkState(octets));
    assert.deepEqual(decodeLinkStates(octets, length), states);
  });

  it('is not read where it is cut short', () => {
    const octets = new Uint8Array(LINK_STATE_OCTETS_MOST);
    const length = encodeLinkStates(octets, 1, [state(5, 1, true, 7)]);
    for (let cut = 0; cut < length; cut++) assert.equal(decodeLinkStates(octets, cut), null);
  });
});

it('a link-state update is never taken for a CE-Tagged frame, nor telemetry for one', () => {
  const octets = new Uint8Array(LINK_STATE_OCTETS_MOST);
  encodeLinkStates(octets, 0x02_00_00_00_00_01, [state(1, 1, true, 100)]);
  assert.equal(isLinkState(octets), true);
  assert.equal(isCeTagged(octets, octets.length), false);
  for (const type of [CE_TAG_REQUEST, CE_TAG_GRANT, ETHERTYPE_OUI_EXTENDED]) {
    const other = new Uint8Array(64);
    other.set([type >> 8, type & 0xff], 12);
    assert.equal(isLinkState(other), false);
  }
});
