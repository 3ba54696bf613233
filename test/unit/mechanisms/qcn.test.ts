import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitHasATimer, rateIsWithinBounds } from '../../../services/mechanisms/qcn/invariants.js';
import {
  BYTE_STAGE,
  ENABLED,
  initialiseReaction,
  jitter,
  OCTETS_LEFT,
  onBytes,
  onMessage,
  onTimer,
  PERIOD,
  POINT_WORDS,
  quantise,
  RATE,
  REACTION_WORDS,
  sample,
  samplePeriod,
  spend,
  TARGET,
  TIMER_AT,
} from '../../../services/mechanisms/qcn/machine.js';
import {
  QCN_POINT_DEFAULTS,
  QCN_REACTION_DEFAULTS,
} from '../../../services/mechanisms/qcn/managed.js';
import type { QcnReactionSpec } from '../../../services/mechanisms/qcn/spec.js';
import { fc } from '../../kit/properties.js';

const { setPointOctets, sampleOctets } = QCN_POINT_DEFAULTS;
const POINT = { setPointOctets, sampleOctets, weight: 2 };
const REACTION: QcnReactionSpec = { kind: 'qcn', ...QCN_REACTION_DEFAULTS };
const LINE = 10e9;
/** The middle of the jitter: periods are as given. */
const MIDDLE = 0.5;
const MS = 1e9;

describe('the congestion point of QCN', () => {
  it('quantises 66 112 octets of congestion as 32 of 63', () => {
    assert.equal(quantise(-66_112, 26_000, 2), 32);
    assert.equal(quantise(0, 26_000, 2), 0);
    assert.equal(quantise(5_000, 26_000, 2), 0);
    assert.equal(quantise(-130_000, 26_000, 2), 63);
    assert.equal(quantise(-1e9, 26_000, 2), 63);
    assert.equal(quantise(-2_063, 26_000, 2), 0);
    assert.equal(quantise(-2_064, 26_000, 2), 1);
  });

  it('samples the sooner the worse it is: 150, 75, 50, … 18.75 kB', () => {
    const periods = [0, 1, 2, 3, 4, 5, 6, 7].map((eighth) => samplePeriod(150_000, 8 * eighth));
    const expected = [150_000, 75_000, 50_000, 37_500, 30_000, 25_000, 150_000 / 7, 18_750];
    assert.deepEqual(periods, expected);
    assert.deepEqual([jitter(0), jitter(MIDDLE)], [0.85, 1]);
  });

  it('compares the queue with its set point, and with the sample before', () => {
    const table = new Float64Array(POINT_WORDS);
    assert.equal(sample(table, 0, POINT, 70_992, MIDDLE), 63);
    assert.equal(table[PERIOD], 18_750);
    // 78 032 - 26 000 and 2 (78 032 - 70 992): the worked example.
    assert.equal(sample(table, 0, POINT, 78_032, MIDDLE), 32);
    assert.equal(table[PERIOD], 30_000);
    assert.equal(sample(table, 0, POINT, 78_032, 0), 25);
    assert.equal(table[PERIOD], 0.85 * 37_500);
    // A queue above its set point that shrinks fast is no congestion.
    assert.equal(sample(table, 0, POINT, 40_000, MIDDLE), 0);
    assert.equal(table[PERIOD], 150_000);
  });
});

describe('the reaction point of QCN', () => {
  const make = (): Float64Array => {
    const table = new Float64Array(REACTION_WORDS);
    initialiseReaction(table, 0, LINE);
    return table;
  };

  it('cuts by 1/128 for each unit of feedback, by half at most, from line rate first', () => {
    const table = make();
    onMessage(table, 0, REACTION, 32, 0);
    assert.deepEqual([table[RATE], table[TARGET]], [7.5e9, 10e9]);
    onMessage(table, 0, REACTION, 63, 0);
    assert.equal(table[RATE], 7.5e9 * (1 - 63 / 128));
    const halving: QcnReactionSpec = { ...REACTION, gain: 1 / 64 };
    onMessage(table, 0, halving, 63, 0);
    assert.equal(table[RATE], (7.5e9 * (1 - 63 / 128)) / 2);
  });

  it('recovers half of the loss per cycle of 150 kB, five times; then 5 Mb/s are added', () => {
    const table = make();
    onMessage(table, 0, REACTION, 32, 0);
    onMessage(table, 0, REACTION, 32, 0);
    const cycle = (): void => {
      assert.equal(spend(table, 0, table[OCTETS_LEFT]! - 1), false);
      assert.equal(spend(table, 0, 1), true);
      onBytes(table, 0, REACTION, MIDDLE);
    };
    const rates: number[] = [];
    const periods: number[] = [];
    for (let i = 0; i < 5; i++) {
      cycle();
      rates.push(table[RATE]!);
      periods.push(table[OCTETS_LEFT]!);
    }
    const trace = [7.8125e9, 8.90625e9, 9.453125e9, 9.7265625e9, 9.86328125e9];
    assert.deepEqual(rates, trace);
    assert.deepEqual(periods, [150_000, 150_000, 150_000, 150_000, 75_000]);
    // A cut after a cycle makes the present rate the target; stages begin anew.
    onMessage(table, 0, REACTION, 1, 0);
    assert.deepEqual([table[TARGET], table[BYTE_STAGE]], [9.86328125e9, 0]);
    for (let i = 0; i < 5; i++) cycle();
    assert.equal(table[TARGET], 9.86328125e9);
    cycle();
    assert.equal(table[TARGET], 9.86828125e9);
  });

  it('counts time beside octets: 15 ms, later half of it, and adds 50 Mb/s when both say so', () => {
    const table = make();
    for (let i = 0; i < 4; i++) onMessage(table, 0, REACTION, 63, 0);
    onBytes(table, 0, REACTION, MIDDLE);
    // A target of more than ten times the rate comes down to an eighth first.
    assert.equal(table[TARGET], 10e9 / 8);
    onMessage(table, 0, REACTION, 63, 0);
    for (let i = 0; i < 5; i++) onBytes(table, 0, REACTION, MIDDLE);
    const times: number[] = [];
    let now = 0;
    const base = table[TARGET];
    for (let i = 0; i < 6; i++) {
      times.push(table[TIMER_AT]! - now);
      now = table[TIMER_AT]!;
      onTimer(table, 0, REACTION, MIDDLE, now);
    }
    assert.deepEqual(times, [15 * MS, 15 * MS, 15 * MS, 15 * MS, 15 * MS, 7.5 * MS]);
    assert.equal(table[TARGET], base + 5e6);
    onBytes(table, 0, REACTION, MIDDLE);
    assert.equal(table[TARGET], base + 5e6 + 50e6);
  });

  it('is no limit any more once it is back at line rate', () => {
    const table = make();
    onMessage(table, 0, REACTION, 1, 0);
    for (let i = 0; i < 5; i++) onBytes(table, 0, REACTION, MIDDLE);
    assert.deepEqual([table[RATE], table[ENABLED], table[TIMER_AT]], [LINE, 0, Infinity]);
  });

  it('stays within its bounds and keeps a way out whatever happens', () => {
    const event = fc.record({ kind: fc.nat(2), feedback: fc.integer({ min: 1, max: 63 }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const table = make();
        events.forEach(({ kind, feedback }, i) => {
          if (kind === 0) onMessage(table, 0, REACTION, feedback, i);
          else if (table[ENABLED] === 0) return;
          else if (kind === 1) onBytes(table, 0, REACTION, feedback / 64);
          else onTimer(table, 0, REACTION, feedback / 64, table[TIMER_AT]!);
          assert.ok(rateIsWithinBounds(table, 0, REACTION));
          assert.ok(limitHasATimer(table, 0));
        });
      }),
      { seed: 6, numRuns: 200 },
    );
  });
});
