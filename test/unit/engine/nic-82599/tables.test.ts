import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dcaTag } from '../../../../services/engine/nic-82599/dca.js';
import {
  LED_LINK_10G,
  LED_LINK_ACTIVITY,
  LED_LINK_UP,
  LED_MAC_ACTIVITY,
  LED_ON,
  LEDCTL_DEFAULT,
  ledLit,
} from '../../../../services/engine/nic-82599/leds.js';
import {
  RECEIVE_KB,
  RECEIVE_SPLITS,
  transmitSplit,
  watermarks,
} from '../../../../services/engine/nic-82599/packet-buffers.js';
import { packClasses, unpackClasses } from '../../../../services/engine/nic-82599/up-to-tc.js';
import type { VlanModes, VlanTag } from '../../../../services/engine/nic-82599/vlan.js';
import {
  insertTag,
  receiveTags,
  userPriority,
} from '../../../../services/engine/nic-82599/vlan.js';
import { fc } from '../../../kit/properties.js';

const SINGLE: VlanModes = {
  double: false,
  outerType: 0x88a8,
  innerType: 0x8100,
  insertedType: 0x8100,
  dcb: true,
};
const DOUBLE: VlanModes = { ...SINGLE, double: true };
const OUTER: VlanTag = { etherType: 0x88a8, tci: 0x2007 };
const INNER: VlanTag = { etherType: 0x8100, tci: 0xa123 };

describe('user priority to traffic class', () => {
  it('is packed three bits a priority, and back', () => {
    assert.equal(packClasses([0, 1, 2, 3, 4, 5, 6, 7]), 0xfac688);
    fc.assert(
      fc.property(fc.array(fc.nat(7), { minLength: 8, maxLength: 8 }), (classOf) => {
        assert.deepEqual(unpackClasses(packClasses(classOf)), classOf);
      }),
    );
  });
});

describe('packet buffers', () => {
  it('always divide the same memory', () => {
    for (const split of Object.values(RECEIVE_SPLITS)) {
      assert.equal(
        split.reduce((a, b) => a + b, 0),
        RECEIVE_KB,
      );
    }
    assert.deepEqual(transmitSplit(8), [20, 20, 20, 20, 20, 20, 20, 20]);
    assert.deepEqual(transmitSplit(4), [40, 40, 40, 40, 0, 0, 0, 0]);
  });

  const sizes = [48, 64, 80, 128, 512];
  const marks: readonly (readonly [number, readonly number[], readonly number[]])[] = [
    [1500, [33, 49, 65, 113, 497], [10, 10, 10, 10, 10]],
    [3052, [27, 43, 59, 107, 491], [16, 16, 16, 16, 16]],
    [9000, [7, 23, 39, 87, 471], [0, 0, 39, 39, 39]],
    [9710, [5, 21, 37, 85, 469], [0, 0, 0, 42, 42]],
  ];
  for (const [mtu, high, low] of marks) {
    it(`have the watermarks of drivers for an MTU of ${mtu}`, () => {
      const found = sizes.map((size) => watermarks(size, mtu));
      assert.deepEqual(
        found.map(({ highKb }) => highKb),
        high,
      );
      assert.deepEqual(
        found.map(({ lowKb }) => lowKb),
        low,
      );
    });
  }
});

describe('VLAN headers', () => {
  it('give the user priority of Table 7-49', () => {
    const up = (tags: readonly VlanTag[], modes: VlanModes): number =>
      userPriority(tags, modes, false);
    assert.deepEqual([up([], SINGLE), up([INNER], SINGLE), up([OUTER, INNER], SINGLE)], [0, 5, 1]);
    assert.deepEqual([up([], DOUBLE), up([OUTER], DOUBLE), up([OUTER, INNER], DOUBLE)], [0, 0, 5]);
  });

  it('of other EtherTypes are none', () => {
    const strange = { etherType: 0x9100, tci: 0xe001 };
    assert.equal(userPriority([strange], SINGLE, false), 0);
    assert.equal(userPriority([OUTER, strange], DOUBLE, false), 0);
    assert.equal(userPriority([strange, INNER], DOUBLE, false), 0);
    assert.equal(userPriority([strange, INNER], { ...DOUBLE, outerType: 0x9100 }, false), 5);
  });

  it('that a control frame lacks mean 7 in single mode with DCB, and 0 otherwise', () => {
    assert.equal(userPriority([], SINGLE, true), 7);
    assert.equal(userPriority([], { ...SINGLE, dcb: false }, true), 0);
    assert.equal(userPriority([], DOUBLE, true), 0);
  });

  it('are inserted inside the outer one, from the pool before the descriptor', () => {
    const inserted = (tci: number): VlanTag => ({ etherType: 0x8100, tci });
    assert.deepEqual(insertTag([], 5, null, SINGLE), [inserted(5)]);
    assert.deepEqual(insertTag([OUTER], 5, 9, DOUBLE), [OUTER, inserted(9)]);
    assert.deepEqual(insertTag([OUTER], null, null, DOUBLE), [OUTER]);
  });

  it('are stripped only as the inner one, and reported in the descriptor', () => {
    const both = receiveTags([OUTER, INNER], DOUBLE, true);
    assert.deepEqual(both, {
      outerSeen: true,
      innerSeen: true,
      stripped: INNER.tci,
      kept: [OUTER],
      unknown: false,
    });
    assert.deepEqual(receiveTags([OUTER], DOUBLE, true).kept, [OUTER]);
    assert.equal(receiveTags([INNER], SINGLE, true).stripped, INNER.tci);
    assert.equal(receiveTags([INNER], SINGLE, false).stripped, null);
    const stranger = receiveTags([{ ...OUTER, etherType: 0x9100 }, INNER], DOUBLE, true);
    assert.deepEqual(
      [stranger.unknown, stranger.innerSeen, stranger.stripped],
      [true, false, null],
    );
  });

  it('that were inserted on one side are stripped on the other, whatever they say', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.boolean(), (tci, double) => {
        const modes = double ? DOUBLE : SINGLE;
        const before = double ? [OUTER] : [];
        const { stripped, kept } = receiveTags(insertTag(before, tci, null, modes), modes, true);
        assert.equal(stripped, tci);
        assert.deepEqual(kept, before);
      }),
    );
  });
});

describe('DCA', () => {
  const queue = (cpu: number, enables: number): number => ((cpu << 24) | enables) >>> 0;

  it('names the target as its mode does', () => {
    assert.equal(dcaTag(0, queue(5, 1 << 5), 'descriptor'), 0x0b);
    assert.equal(dcaTag(2 << 1, queue(0x12, 1 << 7), 'payload'), 0x12);
  });

  it('hints nothing that is not enabled, and nothing at all when it is disabled', () => {
    assert.equal(dcaTag(0, queue(5, 1 << 5), 'header'), 0);
    assert.equal(dcaTag(1, queue(5, 0xe0), 'descriptor'), 0);
  });
});

describe('LEDs', () => {
  const IVRT = 1 << 6;
  const BLINK = 1 << 7;
  const inputs = { link: true, linkBps: 10e9, macActivity: true, filterActivity: false };
  const lit = (field: number, sincePs = 0, over: Partial<typeof inputs> = {}): boolean =>
    ledLit(field, 0, { ...inputs, ...over }, sincePs);

  it('show their source, inverted if so configured', () => {
    assert.equal(lit(LED_LINK_UP), true);
    assert.equal(lit(LED_LINK_10G, 0, { linkBps: 1e9 }), false);
    assert.equal(lit(LED_LINK_UP | IVRT), false);
    assert.equal(lit(LED_ON | IVRT), false);
    assert.deepEqual(
      [0, 1, 2, 3].map((led) => ledLit(LEDCTL_DEFAULT, led, inputs, 0)),
      [true, false, false, false],
    );
  });

  it('blink for 200 ms on and 200 ms off while the source is asserted', () => {
    assert.equal(lit(LED_MAC_ACTIVITY | BLINK, 199e9), true);
    assert.equal(lit(LED_MAC_ACTIVITY | BLINK, 200e9), false);
    assert.equal(lit(LED_MAC_ACTIVITY | BLINK, 400e9), true);
    assert.equal(lit(LED_MAC_ACTIVITY | BLINK, 0, { macActivity: false }), false);
  });

  it('of link and activity are off, on, or blink', () => {
    const mode = LED_LINK_ACTIVITY | BLINK;
    assert.equal(lit(mode, 0, { link: false }), false);
    assert.equal(lit(mode, 250e9, { macActivity: false }), true);
    assert.equal(lit(mode, 250e9), false);
    assert.equal(lit(mode, 50e9), true);
  });
});
