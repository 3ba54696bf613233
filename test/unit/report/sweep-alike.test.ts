import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SWEPT } from '../../../services/measures/run-totals.js';
import { alikeLines } from '../../../services/report/sweep-alike.js';
import type { FaultCost } from '../../../services/sweep/measure.js';
import type { Outcome } from '../../../services/sweep/outcome.js';

const OUTCOME: Outcome = {
  ...{ status: 'complete', lostFrames: 0, loads: [], jobs: [], victimsBps: null, roles: null },
  totals: Object.fromEntries(SWEPT.map(({ key }) => [key, 0])),
};

/** Of runs that differ in goodput and pause time alone. */
function cost(goodputBps: number, pauseTimePs = 0): FaultCost {
  return {
    ...{ goodputBps, pauseTimePs, goodputBeforeBps: null, goodputDuringBps: null },
    ...{ goodputAfterBps: null, recoveryPs: null, fctP99Ps: null, fctP99AtLeastPs: null },
    ...{ ofMechanisms: {}, outcome: OUTCOME, digest: '' },
  };
}

const AXES = [
  { path: 'mechanism', values: ['pfc', 'cbfc', 'none'] },
  { path: 'fabric.link.length', values: ['2m', '2km'] },
];

describe('values of a sweep that make no difference', () => {
  it('are named, with the reason where mechanisms did nothing', () => {
    const costs = [cost(9), cost(5), cost(8), cost(4), cost(9), cost(5)];
    assert.deepEqual(alikeLines(AXES, costs), [
      'mechanism pfc, none: alike in all 2 runs, as no port was paused or waited for credit',
    ]);
    const paused = costs.map(({ goodputBps }) => cost(goodputBps, 1e6));
    assert.deepEqual(alikeLines(AXES, paused), ['mechanism pfc, none: alike in all 2 runs']);
  });

  it('are those of any axis, and none where one run differs', () => {
    const costs = [cost(9), cost(9), cost(8), cost(8), cost(7), cost(7)];
    assert.deepEqual(alikeLines(AXES, costs), ['link.length 2m, 2km: alike in all 3 runs']);
    const other = [...costs.slice(0, 5), cost(6)];
    assert.deepEqual(alikeLines(AXES, other), []);
  });

  it('are not looked for in a part of the runs', () => {
    assert.deepEqual(alikeLines(AXES, [cost(9), cost(9)]), []);
  });
});
