import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Clock } from '../../../../services/engine/kernel/clock.js';
import {
  ACTIVITY_HOLD_PS,
  FILTER_ACTIVITY,
  LedPanel,
  MAC_ACTIVITY,
} from '../../../../services/engine/nic-82599/led-panel.js';
import {
  LED_LINK_ACTIVITY,
  LED_MAC_ACTIVITY,
  LED_ON,
} from '../../../../services/engine/nic-82599/leds.js';
import { fc } from '../../../kit/properties.js';

const MS = 1e9;
const IVRT = 1 << 6;
const BLINK = 1 << 7;

/** Changes of a panel, `led` with its sign for on and off, and their times in milliseconds. */
class Watched {
  readonly heard: [led: number, on: boolean, atMs: number][] = [];
  readonly panel = new LedPanel(10e9);
  private readonly hear = (led: number, on: boolean, atPs: number): void => {
    this.heard.push([led, on, atPs / MS]);
  };

  constructor(...fields: readonly number[]) {
    const word = fields.reduce((sum, field, led) => sum | (field << (8 * led)), 0);
    this.panel.start((word | (0x0f0f0f0f << (8 * fields.length))) >>> 0);
  }

  frame(atMs: number, activity = MAC_ACTIVITY): void {
    const clock = new Clock();
    const now = atMs * MS;
    clock.now = now;
    if (this.panel.note(activity, clock)) this.panel.rise(activity, now, this.hear);
  }

  link(up: boolean, atMs: number): void {
    this.panel.setLink(up, atMs * MS, this.hear);
  }

  until(ms: number): this['heard'] {
    this.panel.advance(ms * MS, this.hear);
    return this.heard;
  }
}

describe('the LEDs of an 82599 in time', () => {
  it('shine as long as there is activity, and 50 ms more', () => {
    const watched = new Watched(LED_MAC_ACTIVITY, LED_MAC_ACTIVITY | IVRT);
    watched.frame(10);
    watched.frame(40);
    watched.frame(200);
    assert.deepEqual(watched.until(1000), [
      [0, true, 10],
      [1, false, 10],
      [0, false, 90],
      [1, true, 90],
      [0, true, 200],
      [1, false, 200],
      [0, false, 250],
      [1, true, 250],
    ]);
  });

  it('blink 200 ms on and 200 ms off from when their source rises, inverted before that', () => {
    const watched = new Watched(LED_MAC_ACTIVITY | BLINK, LED_MAC_ACTIVITY | BLINK | IVRT);
    for (let ms = 100; ms <= 600; ms += 50) watched.frame(ms);
    assert.deepEqual(watched.until(1200), [
      // The inverted one blinks from the start until there is activity, and from its end on.
      [0, true, 100],
      [1, false, 100],
      [0, false, 300],
      [0, true, 500],
      [0, false, 650],
      [1, true, 650],
      [1, false, 850],
      [1, true, 1050],
    ]);
  });

  it('of link and activity are off, on, or blink', () => {
    const watched = new Watched(LED_LINK_ACTIVITY | BLINK);
    assert.equal(watched.panel.lit[0], 1);
    for (let ms = 100; ms <= 500; ms += 50) watched.frame(ms);
    watched.link(false, 800);
    watched.link(true, 900);
    assert.deepEqual(watched.until(2000), [
      [0, false, 300],
      [0, true, 500],
      [0, false, 800],
      [0, true, 900],
    ]);
  });

  it('follow LEDCTL from when it is written', () => {
    const watched = new Watched(LED_ON);
    watched.panel.setControl(0x0f0f0f00 | LED_ON | BLINK, 30 * MS, () => undefined);
    assert.deepEqual(watched.until(500), [
      [0, false, 230],
      [0, true, 430],
    ]);
  });

  it('report the same however often they are read', () => {
    const step = fc.record({
      ms: fc.nat(120),
      what: fc.constantFrom('mac', 'filter', 'down', 'up', 'look'),
    });
    const fields = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fields, fc.array(step, { maxLength: 30 }), (ledctl, steps) => {
        const [seldom, often] = [new Watched(...ledctl), new Watched(...ledctl)];
        let ms = 0;
        for (const { ms: later, what } of steps) {
          for (let look = 0; look < later; look += 7) often.until(ms + look);
          ms += later;
          for (const watched of [seldom, often]) {
            if (what === 'mac') watched.frame(ms);
            else if (what === 'filter') watched.frame(ms, FILTER_ACTIVITY);
            else if (what !== 'look') watched.link(what === 'up', ms);
          }
        }
        const foreseen = seldom.panel.at((ms + 500) * MS);
        assert.deepEqual(often.until(ms + 500), seldom.until(ms + 500));
        assert.deepEqual(foreseen, seldom.panel);
        assert.ok(seldom.heard.every(([, , at], i) => i === 0 || at >= seldom.heard[i - 1]![2]));
        assert.deepEqual(often.panel.changes, seldom.panel.changes);
      }),
    );
    assert.equal(ACTIVITY_HOLD_PS, 50 * MS);
  });
});
