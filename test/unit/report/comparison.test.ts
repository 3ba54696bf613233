import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare, type Contender } from '../../../services/report/comparison/comparison.js';
import { comparisonText } from '../../../services/report/comparison/comparison-text.js';
import type { Measured } from '../../../services/report/comparison/measures.js';
import { differs, medianOf } from '../../../services/report/comparison/median.js';
import { PLAIN } from '../../../services/report/style.js';

const format = (value: number): string => `${value} u`;

function measured(label: string, value: number | null, more: Partial<Measured> = {}): Measured {
  return { label, value, lessIsBetter: true, weight: 'decides', format, ...more };
}

const rate = (label: string, value: number): Measured =>
  measured(label, value, { lessIsBetter: false });
const tie = (label: string, value: number): Measured =>
  measured(label, value, { weight: 'breaks-ties' });

function contender(name: string, ...seeds: Measured[][]): Contender {
  const runs = seeds.map((measures) => ({ status: 'complete' as const, lostFrames: 0, measures }));
  return { name, runs };
}

/** The same with runs that end otherwise. */
function ending(of: Contender, end: Partial<Contender['runs'][number]>): Contender {
  return { ...of, runs: of.runs.map((run) => ({ ...run, ...end })) };
}

describe('comparison of runs', () => {
  it('puts first what is poor at nothing, and names its lead and its price', () => {
    const { sentence, order } = compare([
      contender('fast', [rate('goodput', 50), measured('FCT', 100)]),
      contender('fair', [rate('goodput', 92), measured('FCT', 110)]),
      contender('poor', [rate('goodput', 42), measured('FCT', 101)]),
    ]);
    assert.equal(
      sentence,
      'fair comes first: goodput 92 u against 42 u of poor; ' +
        'behind in FCT, 110 u against 100 u of fast',
    );
    assert.deepEqual(order, [1, 0, 2]);
  });

  it('does not count what people do not decide by, which only breaks ties', () => {
    const even = compare([
      contender('a', [rate('goodput', 92), tie('pauses', 9)]),
      contender('b', [rate('goodput', 91), tie('pauses', 3)]),
    ]);
    assert.equal(
      even.sentence,
      'none is ahead by more than 2 % in goodput or FCT; b has less pauses: 3 u against 9 u of a',
    );
    const [first] = compare([
      contender('a', [rate('goodput', 92), tie('pauses', 9)]),
      contender('b', [rate('goodput', 80), tie('pauses', 0)]),
    ]).order;
    assert.equal(first, 0);
  });

  it('puts what loses frames, or does not complete, behind what does neither', () => {
    const good = contender('slow', [rate('goodput', 50)]);
    const fast = [rate('goodput', 90)];
    const lossy = ending(contender('lossy', fast), { lostFrames: 1 });
    const stuck = ending(contender('stuck', fast), { status: 'deadlocked' });
    assert.equal(
      compare([stuck, lossy, good]).sentence,
      'only slow completes without a loss; stuck: deadlocked, lossy loses frames',
    );
    assert.equal(compare([stuck, stuck]).sentence, 'stuck: deadlocked, stuck: deadlocked');
  });

  it('takes a time that is not over for longer than any', () => {
    const { order, rows } = compare([
      contender('open', [measured('FCT', 10, { isOpen: true })]),
      contender('closed', [measured('FCT', 300)]),
    ]);
    assert.deepEqual(order, [1, 0]);
    assert.deepEqual(
      rows[0]!.cells.map(({ text, value, standing }) => [text, value, standing]),
      [
        ['> 10 u', null, 'behind'],
        ['300 u', 300, 'best'],
      ],
    );
  });

  it('calls a difference chance that seeds do not bear out', () => {
    const seeds = (values: number[]): Measured[][] => values.map((v) => [rate('goodput', v)]);
    const a = contender('a', ...seeds([90, 91, 92, 93, 94, 95, 96]));
    const mixed = contender('mixed', ...seeds([95, 80, 96, 80, 97, 80, 99]));
    const less = contender('less', ...seeds([80, 81, 82, 83, 84, 85, 86]));
    const chance = compare([a, mixed]);
    assert.deepEqual(
      chance.rows[0]!.cells.map(({ standing }) => standing),
      ['unclear', 'best'],
    );
    assert.match(chance.sentence, /^no difference in goodput or FCT is significant$/);
    const text = comparisonText(chance, PLAIN);
    assert.match(text, /~ its difference from the best is not significant/);
    assert.match(text, /93 u \[90, 96 u\]/);
    const real = compare([a, less]);
    assert.match(real.sentence, /^a comes first: goodput 93 u \[90, 96 u\] against 83 u/);
    const few = compare([contender('a', ...seeds([90, 91])), contender('b', ...seeds([50, 51]))]);
    assert.match(few.notes.at(-1)!, /no difference is significant with fewer than 6 seeds/);
    assert.match(few.sentence, /^no difference .* significant/);
  });

  it('folds what is 0 in all of them into one line', () => {
    const { rows, notes } = compare([
      contender('a', [rate('goodput', 1), tie('drops', 0), tie('pauses', 0)]),
      contender('b', [rate('goodput', 1), tie('drops', 0), tie('pauses', 1)]),
    ]);
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['goodput', 'pauses'],
    );
    assert.deepEqual(notes, ['0 in all: drops']);
  });
});

describe('medians', () => {
  it('have the interval of order statistics', () => {
    // Of 6 values the extremes have the median with 1 - 2/64; of 9 the second ones with 0.961.
    assert.deepEqual(medianOf([5, 1, 4, 2, 6, 3]), { median: 3.5, low: 1, high: 6 });
    assert.deepEqual(medianOf([1, 2, 3, 4, 5, 6, 7, 8, 9]), { median: 5, low: 2, high: 8 });
    assert.deepEqual(medianOf([7]), { median: 7, low: 7, high: 7 });
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    assert.deepEqual(medianOf(hundred), { median: 50.5, low: 40, high: 61 });
  });

  it('differ where no seed could have changed anything, and else from 6 seeds on', () => {
    assert.ok(differs([1.1, 1.1, 1.1]));
    assert.ok(!differs([1, 1, 1]));
    assert.ok(!differs([1.1, 1.2, 1.3, 1.2, 1.4]));
    assert.ok(differs([1.1, 1.2, 1.3, 1.2, 1.4, 1.1]));
    assert.ok(!differs([1.1, 1.2, 1.3, 1.2, 1.4, 0.9]));
  });
});
