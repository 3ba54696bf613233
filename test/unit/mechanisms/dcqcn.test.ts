import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  alphaIsAShare,
  rateIsWithinBounds,
} from '../../../services/mechanisms/dcqcn/invariants.js';
import {
  ACTIVE,
  ALPHA,
  ALPHA_AT,
  CUT_AT,
  DCQCN_WORDS,
  initialise,
  notify,
  onAlphaTimer,
  onCutTimer,
  onRaiseTimer,
  RAISE_AT,
  RATE,
  spend,
  TARGET,
} from '../../../services/mechanisms/dcqcn/machine.js';
import { dcqcnSettings } from '../../../services/mechanisms/dcqcn/settings.js';
import type { DcqcnSpec } from '../../../services/mechanisms/dcqcn/spec.js';
import { fc } from '../../kit/properties.js';

const US = 1e6;
const LINE = 100e9;
const NIC: DcqcnSpec = { kind: 'dcqcn', ...dcqcnSettings.parse({}) };
const PAPER: DcqcnSpec = { ...NIC, variant: 'paper' };

/** A reaction point whose timers run when they are due. */
class Point {
  readonly table = new Float64Array(DCQCN_WORDS);
  constructor(readonly spec: DcqcnSpec) {
    initialise(this.table, 0, LINE);
  }

  at(word: number): number {
    return this.table[word]!;
  }

  notify(now: number): void {
    this.runBefore(now);
    notify(this.table, 0, this.spec, now);
  }

  send(octets: number): void {
    spend(this.table, 0, this.spec, octets);
  }

  /** Everything that is due up to and with `until`. */
  runTo(until: number): void {
    this.runBefore(until + 1);
  }

  get gbps(): number {
    return this.at(RATE) / 1e9;
  }

  private runBefore(until: number): void {
    for (;;) {
      const due = Math.min(this.at(ALPHA_AT), this.at(CUT_AT), this.at(RAISE_AT));
      if (due >= until) return;
      if (due === this.at(ALPHA_AT)) onAlphaTimer(this.table, 0, this.spec, due);
      else if (due === this.at(CUT_AT)) onCutTimer(this.table, 0, this.spec, due);
      else onRaiseTimer(this.table, 0, this.spec, due);
    }
  }
}

describe('the reaction point of DCQCN', () => {
  it('cuts to half at the first notification and recovers half of the rest every 55 us', () => {
    const point = new Point(NIC);
    point.notify(0);
    assert.deepEqual([point.gbps, point.at(TARGET)], [50, LINE]);
    const trace = [75, 87.5, 93.75, 96.875, 98.4375, 99.21875, 99.609375, 99.8046875];
    trace.forEach((gbps, i) => {
      point.runTo((i + 1) * 55 * US);
      assert.equal(point.gbps, gbps);
    });
    point.runTo(9 * 55 * US);
    assert.deepEqual([point.gbps, point.at(ACTIVE), point.at(RAISE_AT)], [100, 0, Infinity]);
  });

  it('updates alpha once in 55 us: by 1/256 up with a notification, down without', () => {
    const point = new Point(NIC);
    point.notify(0);
    const alphas = [1, 255 / 256, (255 / 256) ** 2, (255 / 256) ** 3 + 1 / 256];
    for (const [i, alpha] of alphas.entries()) {
      if (i === 3) point.notify(200 * US);
      point.runTo((i + 1) * 55 * US);
      assert.equal(point.at(ALPHA), alpha);
    }
  });

  it('cuts once in 4 us, at the end of the period, however many notifications arrive', () => {
    const point = new Point(NIC);
    point.notify(0);
    point.notify(US);
    point.notify(2 * US);
    assert.equal(point.gbps, 50);
    point.runTo(4 * US);
    assert.equal(point.gbps, 25);
    point.runTo(8 * US);
    assert.equal(point.gbps, 25);
    // The period that begins when another ends is the next one.
    point.notify(12 * US);
    point.runTo(15 * US);
    assert.equal(point.gbps, 25);
    point.runTo(16 * US);
    assert.equal(point.gbps, 12.5);
  });

  it('keeps its target between cuts without a raise, unless it is clamped', () => {
    for (const [clampTarget, target] of [
      [false, 100e9],
      [true, 50e9],
    ] as const) {
      const point = new Point({ ...NIC, clampTarget });
      point.notify(0);
      point.notify(US);
      point.runTo(4 * US);
      assert.equal(point.at(TARGET), target);
    }
  });

  it('acts at every notification as the paper has it', () => {
    const point = new Point(PAPER);
    point.notify(0);
    point.notify(10 * US);
    assert.deepEqual([point.gbps, point.at(TARGET), point.at(ALPHA)], [25, 50e9, 1]);
    point.runTo(65 * US);
    assert.deepEqual([point.gbps, point.at(ALPHA)], [37.5, 255 / 256]);
    point.notify(66 * US);
    assert.equal(point.at(TARGET), 37.5e9);
    assert.equal(point.gbps, 37.5 * (1 - 255 / 512));
    assert.equal(point.at(ALPHA), (255 / 256) ** 2 + 1 / 256);
  });

  it('adds 40 Mb/s to the target after five cycles, and 400 Mb/s when octets say so, too', () => {
    const point = new Point({ ...NIC, variant: 'paper' });
    for (let i = 0; i < 3; i++) point.notify(i * US);
    assert.deepEqual([point.gbps, point.at(TARGET)], [12.5, 25e9]);
    point.runTo((2 + 5 * 55) * US);
    assert.equal(point.at(TARGET), 25e9);
    point.runTo((2 + 6 * 55) * US);
    assert.equal(point.at(TARGET), 25.04e9);
    for (let i = 0; i < 6; i++) point.send(10e6);
    // Six cycles by time, and none to five by octets: active increase each time.
    assert.equal(point.at(TARGET), 25.28e9);
    point.send(10e6);
    assert.equal(point.at(TARGET), 25.68e9);
  });

  it('stays between its floor and the line whatever happens', () => {
    const event = fc.record({ kind: fc.nat(2), gapPs: fc.nat(60e6), octets: fc.nat(20e6) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), fc.boolean(), (events, paper) => {
        const point = new Point(paper ? PAPER : NIC);
        let now = 0;
        for (const { kind, gapPs, octets } of events) {
          now += gapPs;
          if (kind === 0) point.notify(now);
          else if (kind === 1) point.send(octets);
          else point.runTo(now);
          assert.ok(rateIsWithinBounds(point.table, 0, point.spec));
          assert.ok(alphaIsAShare(point.table, 0));
        }
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
