import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csv } from '../../../services/report/csv.js';
import {
  formatCount,
  formatOctets,
  formatPercentile,
  formatRate,
  formatTime,
} from '../../../services/report/format.js';
import { table } from '../../../services/report/table.js';
import { progressText } from '../../../services/cli/progress.js';
import { percentilesOf } from '../../../services/measures/percentiles.js';

describe('metrics', () => {
  it('are short and in the unit that people use', () => {
    assert.equal(formatTime(1_234_567), '1.23 us');
    assert.equal(formatTime(999), '999 ps');
    assert.equal(formatTime(693e6), '693 us');
    assert.equal(formatTime(null), '–');
    assert.equal(formatRate(95.7e9), '95.7 Gb/s');
    assert.equal(formatOctets(64_000), '64 KB');
    assert.equal(formatCount(1_234_567), '1,234,567');
  });
});

describe('percentiles', () => {
  it('are exact, by nearest rank', () => {
    const values = Array.from({ length: 1000 }, (_, i) => 1000 - i);
    const known = { p50: 500, p99: 990, p999: 999, max: 1000 };
    assert.deepEqual(percentilesOf(values), {
      ...{ count: 1000, total: 1000, ...known, atLeast: known },
    });
    const seven = { p50: 7, p99: 7, p999: 7, max: 7 };
    assert.deepEqual(percentilesOf([7]), { count: 1, total: 1, ...seven, atLeast: seven });
    assert.equal(percentilesOf([]), null);
  });

  it('count what is unfinished as longer than any, and say what it is at the least', () => {
    const values = Array.from({ length: 98 }, (_, i) => i + 1);
    const percentiles = percentilesOf(values, [500, 3])!;
    assert.deepEqual([percentiles.count, percentiles.total], [98, 100]);
    assert.deepEqual([percentiles.p50, percentiles.p99, percentiles.max], [50, null, null]);
    assert.deepEqual([percentiles.atLeast.p99, percentiles.atLeast.max], [98, 500]);
    assert.equal(formatPercentile(percentiles, 'p50', String), '50');
    assert.equal(formatPercentile(percentiles, 'p99', String), '> 98');
    assert.equal(formatPercentile(percentilesOf([], [7]), 'p50', String), '> 7');
    assert.equal(formatPercentile(null, 'p50', String), '–');
  });
});

describe('tables', () => {
  it('align names left and metrics right', () => {
    const text = table(
      ['port', 'time'],
      [
        ['h1', '5 us'],
        ['leaf12', '100 us'],
      ],
    );
    assert.deepEqual(text.split('\n'), [
      '  port      time',
      '  h1        5 us',
      '  leaf12  100 us',
    ]);
  });

  it('as CSV quote what needs quotes', () => {
    assert.equal(
      csv(
        ['a', 'b'],
        [
          ['x,"y"', null],
          [1, 'z'],
        ],
      ),
      'a,b\n"x,""y""",\n1,z\n',
    );
  });
});

describe('progress', () => {
  it('says how far, how fast and how long', () => {
    const text = progressText({ virtualPs: 5e8, endPs: 1e9, share: 0.5, frameHops: 4e6 }, 2);
    assert.match(text, /^█{12}░{12} {2}50 % {2}500 us {2}2,000,000 frame-hops\/s {2}2 s left$/);
  });
});
