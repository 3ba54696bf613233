import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  driftedFactor,
  RATE_FACTOR_ONE,
  rateFactorOf,
} from '../../services/engine/nic-82599/rate-scheduler.js';
import type { RateRow } from '../../services/mechanisms/nic-82599/results.js';
import { nicResults } from '../../services/mechanisms/nic-82599/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';

const LINK_BPS = 10e9;
const US = 1e6;
const STOP_US = 2000;
const DRIFT_US = 20;
const END_US = 6000;
const FACTOR = Math.floor(RATE_FACTOR_ONE / 1.03);

/** h2 of an example, whose link partner h3 stops after 2 ms. */
class Watched {
  readonly session: Session;

  constructor(name: string, ...set: string[]) {
    this.session = new Session(fabricOf(`examples/${name}.yaml`, ...set), { check: true });
  }

  /** The row of its queue in the rate scheduling table. */
  rateAt(us: number): RateRow {
    this.session.runTo(us * US);
    const [, h2] = nicResults(this.session.engine, us * US);
    assert.equal(h2!.device, 'h2');
    return h2!.rates.find(({ tc }) => tc === 3)!;
  }

  /** What was said to it so far, and the rate that its reaction keeps. */
  reaction(): { readonly notifications: number; readonly rateBps: number } {
    return this.session.results('interrupted').rates.find(({ name }) => name.startsWith('stays'))!;
  }

  receivedFrames(): number {
    return this.session.results('interrupted').flows.find(({ load }) => load === 'stays')!.frames;
  }
}

const raw = ({ rateFactor }: RateRow): number => rateFactor * RATE_FACTOR_ONE;

for (const [name, what] of [
  ['nic-qcn', 'a congested queue (CNM)'],
  ['nic-dcqcn', 'the receiver of marked frames (CNP)'],
] as const) {
  describe(`the rate factor of an 82599 that reacts to ${what}`, () => {
    it('is the line rate over the rate of the reaction, notification by notification', () => {
      const watched = new Watched(name, 'hosts.nic={model: 82599}');
      assert.equal(watched.rateAt(0).enabled, false);
      let [told, changes] = [0, 0];
      for (let us = 25; us <= STOP_US; us += 25) {
        const rate = watched.rateAt(us);
        const { notifications, rateBps } = watched.reaction();
        assert.equal(rate.enabled, notifications > 0);
        if (notifications === 0) continue;
        assert.equal(raw(rate), rateFactorOf(LINK_BPS, rateBps), `after ${us} us`);
        if (notifications > told) changes++;
        told = notifications;
      }
      assert.ok(changes >= 2, `${changes} changes`);
      // The rate does not recover: the timers of the reaction are long.
      const before = raw(watched.rateAt(STOP_US + 500));
      assert.equal(raw(watched.rateAt(END_US)), before);
    });

    it('drifts back step by step when congestion is over, until the queue has the line', () => {
      const watched = new Watched(name);
      let us = STOP_US + 10 * DRIFT_US;
      let factor = raw(watched.rateAt(us));
      const { notifications } = watched.reaction();
      assert.ok(factor > 1.4 * RATE_FACTOR_ONE, `${factor / RATE_FACTOR_ONE}`);
      let intervals = 0;
      while (factor > RATE_FACTOR_ONE) {
        us += DRIFT_US;
        intervals++;
        factor = driftedFactor(factor, FACTOR);
        const rate = watched.rateAt(us + 1);
        assert.equal(raw(rate), factor, `after ${intervals} intervals`);
        assert.equal(rate.enabled, factor > RATE_FACTOR_ONE);
      }
      assert.equal(watched.reaction().notifications, notifications);
      // At line rate again: frames of 10 Gb/s until the end.
      const frames = watched.receivedFrames();
      watched.rateAt(us + 500);
      // 1518 octets and a CN-TAG, or 1024 and their headers; preamble and gap.
      const wireOctets = name === 'nic-qcn' ? 1542 : 1106;
      const gone = watched.receivedFrames() - frames;
      const most = (500 * US * LINK_BPS) / (8e12 * wireOctets);
      assert.ok(gone > 0.98 * most, `${gone} of ${most} frames`);
    });
  });
}
