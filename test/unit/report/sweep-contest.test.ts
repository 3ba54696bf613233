import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SWEPT } from '../../../services/measures/run-totals.js';
import { sweepText, sweepVerdict } from '../../../services/report/sweep-verdict.js';
import { type Axis, combinations, namedAxis } from '../../../services/sweep/grid.js';
import type { FaultCost } from '../../../services/sweep/measure.js';

/** Of a job that took so many microseconds, or was not done within the run. */
function cost(us: number | null, lostFrames = 0): FaultCost {
  const iteration = { ps: (us ?? 900) * 1e6, isOpen: us === null };
  return {
    ...{ goodputBps: 0, pauseTimePs: 0, goodputBeforeBps: null, goodputDuringBps: null },
    ...{ goodputAfterBps: null, recoveryPs: null, fctP99Ps: null, fctP99AtLeastPs: null },
    ...{ ofMechanisms: {}, digest: '' },
    outcome: {
      ...{ status: us === null ? 'stalled' : 'complete', lostFrames, loads: [] },
      ...{ victimsBps: null, roles: null },
      jobs: [
        { job: 'work', iteration, rooflineRatio: us === null ? null : us / 100, busBps: null },
      ],
      totals: Object.fromEntries(SWEPT.map(({ key }) => [key, 0])),
    },
  };
}

const FABRIC = namedAxis('fabric', { flat: [], 'one spine': ['fabric.spines=1'] });
const SIZE: Axis = { path: 'load.0.bytes', values: ['1MB', '8MB'] };
const MECHANISM: Axis = { path: 'mechanism', values: ['pfc', 'uet', 'irn'] };

describe('mechanisms of a sweep', () => {
  it('are judged against each other where all else is the same', () => {
    const axes = [FABRIC, SIZE, MECHANISM];
    assert.equal(combinations(axes).length, 12);
    const costs = [
      ...[cost(100), cost(150), cost(101)],
      ...[cost(800), cost(400), cost(600)],
      ...[cost(100), cost(300), cost(102)],
      // What takes long because it is much is no loss against what is little.
      ...[cost(880), cost(890), cost(null)],
    ];
    const { verdict, notes } = sweepVerdict({ axes, isSeeded: false, costs });
    assert.deepEqual(
      [verdict, ...notes.slice(0, 2)],
      [
        'of 4 contests pfc is first, or within 2 %, in 3; at worst 2.00 times the best, with flat, load.0.bytes=8MB',
        'of 4 contests uet is first, or within 2 %, in 2; at worst 3.00 times the best, with one spine, load.0.bytes=1MB',
        'of 4 contests irn is first, or within 2 %, in 2; it loses frames or does not complete with one spine, load.0.bytes=8MB',
      ],
    );
  });

  it('are judged by points, as others are, where nothing else is varied', () => {
    const costs = [cost(100), cost(150), cost(400)];
    const verdict = sweepVerdict({ axes: [MECHANISM], isSeeded: false, costs });
    assert.equal(
      verdict.verdict,
      'mechanism=pfc comes first: iteration 100 us against 400 us of mechanism=irn',
    );
    assert.match(sweepText(verdict), /over roofline/);
  });

  it('come before others by what is lost, too', () => {
    const costs = [cost(100, 3), cost(150), cost(151), cost(100), cost(150), cost(151)];
    const { verdict } = sweepVerdict({ axes: [FABRIC, MECHANISM], isSeeded: false, costs });
    assert.equal(
      verdict,
      'of 2 contests pfc is first, or within 2 %, in 1; it loses frames or does not complete with flat',
    );
  });
});
