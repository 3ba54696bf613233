import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedInputs } from '../../../../services/engine/nic-82599/leds.js';
import { BLINK_HALF_PS, ledBlinks, ledLit } from '../../../../services/engine/nic-82599/leds.js';

const DARK: LedInputs = { link: false, linkBps: 0, macActivity: false, filterActivity: false };
const IVRT = 1 << 6;
const BLINK = 1 << 7;

/** By mode of LEDCTL (82599 data sheet, 7.6): what lights it, and what nearly does. */
const MODES: readonly (readonly [
  mode: number,
  lit: Partial<LedInputs>,
  dark: Partial<LedInputs>,
])[] = [
  [0, { link: true }, { macActivity: true }],
  [1, { link: true, linkBps: 10e9 }, { link: true, linkBps: 1e9 }],
  [2, { macActivity: true }, { link: true, filterActivity: true }],
  [3, { filterActivity: true }, { link: true, macActivity: true }],
  [4, { link: true, macActivity: true }, { macActivity: true }],
  [5, { link: true, linkBps: 1e9 }, { link: true, linkBps: 10e9 }],
  [14, {}, {}],
];

describe('an LED', () => {
  for (const [mode, lit, dark] of MODES) {
    it(`of mode ${mode} is lit by what that mode says, and inverted by IVRT`, () => {
      for (const led of [0, 3]) {
        const is = (field: number, inputs: Partial<LedInputs>): boolean =>
          ledLit((field << (8 * led)) >>> 0, led, { ...DARK, ...inputs }, 0);
        assert.equal(is(mode, lit), true);
        assert.equal(is(mode | IVRT, lit), false);
        if (mode === 14) continue;
        assert.equal(is(mode, dark), false);
        assert.equal(is(mode | IVRT, dark), true);
      }
    });
  }

  it('of other modes is dark', () => {
    const all: LedInputs = { link: true, linkBps: 10e9, macActivity: true, filterActivity: true };
    for (const mode of [6, 13, 15]) assert.equal(ledLit(mode, 0, all, 0), false);
  });

  it('that blinks is lit for 200 ms, then dark for as long', () => {
    const lit = (sincePs: number): boolean => ledLit(BLINK, 0, { ...DARK, link: true }, sincePs);
    const [onPs, offPs] = [BLINK_HALF_PS - 1, BLINK_HALF_PS];
    assert.equal(BLINK_HALF_PS, 200e9);
    assert.deepEqual([lit(0), lit(onPs), lit(offPs), lit(2 * offPs)], [true, true, false, true]);
    assert.equal(ledBlinks(BLINK, 0, { ...DARK, link: true }), true);
    assert.equal(ledBlinks(BLINK, 0, DARK), false);
    assert.equal(ledBlinks(0, 0, { ...DARK, link: true }), false);
  });

  it('of link and activity that blinks is lit by the link, and blinks with activity', () => {
    const lit = (inputs: Partial<LedInputs>): boolean =>
      ledLit(4 | BLINK, 0, { ...DARK, ...inputs }, BLINK_HALF_PS);
    assert.deepEqual(
      [lit({}), lit({ link: true }), lit({ link: true, macActivity: true })],
      [false, true, false],
    );
  });
});
