import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { axisOf, combinations } from '../../services/sweep/grid.js';
import type { FaultCost } from '../../services/sweep/measure.js';
import { measure } from '../../services/sweep/measure.js';
import { fabricOf } from '../kit/emulate.js';

const REFRESH_PS = 20e6;
const POLL_PS = 5e6;
/** So many messages lost in a row are next to impossible at ten per cent, in so short a run. */
const IN_A_ROW = 4;

function costOf(...set: string[]): FaultCost {
  const fabric = fabricOf('examples/credit-loss-sweep.yaml', ...set);
  return measure(fabric, fabric.scenario.durationPs!);
}

describe('loss of grants', () => {
  for (const length of ['10m', '1km']) {
    const lossless = costOf('faults.0.probability=0.000001%', `fabric.link.length=${length}`);

    for (const probability of ['0.1%', '1%', '10%']) {
      it(`of ${probability} over ${length} is repaired by totals within the bound`, () => {
        const set = [`faults.0.probability=${probability}`, `fabric.link.length=${length}`];
        const { goodputDuringBps, goodputAfterBps, recoveryPs, ofMechanisms } = costOf(...set);
        // One way over the link, a frame before it, the frame itself and the pipeline.
        const wayPs = (length === '1km' ? 5e6 : 50e3) + 1e6;
        const bound = (IN_A_ROW + 1) * Math.min(POLL_PS, REFRESH_PS) + 2 * wayPs;
        assert.ok(recoveryPs !== null && recoveryPs <= bound, `${recoveryPs}`);
        assert.equal(ofMechanisms['credit-lost'], 0);
        assert.equal(ofMechanisms['starved'], 0);
        assert.ok(goodputAfterBps! > 0.99 * lossless.goodputAfterBps!);
        // A sender that is short waits for the answer to its next demand, and no longer.
        const share = Number(probability.slice(0, -1)) / 100;
        assert.ok(
          goodputDuringBps! > (1 - 2 * share) * 0.985 * lossless.goodputDuringBps!,
          `${goodputDuringBps}`,
        );
      });
    }
  }

  // What idle credit is given back for its age comes home as lost frames do (credit is void).
  for (const age of ['10us', '100us']) {
    const bursts = ['load.0.arrivals=on-off', 'load.0.on=100us', 'load.0.off=40us'];
    const ageing = ['credit.grant=demand', `credit.age=${age}`, 'load.0.rate=line', ...bursts];
    const lossless = costOf('faults.0.probability=0.000001%', ...ageing);

    for (const probability of ['0.1%', '1%', '10%']) {
      it(`of ${probability} is repaired with ageing after ${age}, too`, () => {
        const { goodputDuringBps, goodputAfterBps, recoveryPs, ofMechanisms } = costOf(
          `faults.0.probability=${probability}`,
          ...ageing,
        );
        const bound = (IN_A_ROW + 1) * Math.min(POLL_PS, REFRESH_PS) + 2 * 1.05e6;
        assert.ok(recoveryPs !== null && recoveryPs <= bound, `${recoveryPs}`);
        assert.equal(ofMechanisms['credit-lost'], 0);
        assert.equal(ofMechanisms['starved'], 0);
        assert.ok(goodputAfterBps! > 0.99 * lossless.goodputAfterBps!);
        const share = Number(probability.slice(0, -1)) / 100;
        assert.ok(
          goodputDuringBps! > (1 - 2 * share) * 0.985 * lossless.goodputDuringBps!,
          `${goodputDuringBps}`,
        );
      });
    }
  }

  it('is for ever where grants are amounts: the link decays, stands, and is named', () => {
    const set = ['faults.0.probability=10%', 'credit.counts=incremental'];
    const { goodputDuringBps, goodputAfterBps, recoveryPs, ofMechanisms } = costOf(...set);
    assert.ok(goodputDuringBps! < 20e9);
    assert.equal(goodputAfterBps, 0);
    assert.equal(recoveryPs, null);
    assert.ok(ofMechanisms['credit-lost']! > 0);
    assert.equal(ofMechanisms['starved'], 1);
  });

  it('is seen in the books also while other grants are on their way', () => {
    const set = ['credit.counts=incremental', 'fabric.link.length=1km'];
    const { ofMechanisms, recoveryPs } = costOf('faults.0.probability=1%', ...set);
    assert.ok(ofMechanisms['credit-lost']! > 0);
    assert.equal(recoveryPs, null);
  });
});

describe('a sweep', () => {
  it('reads what is to be varied', () => {
    assert.deepEqual(axisOf('a.b=1,2'), { path: 'a.b', values: ['1', '2'] });
    for (const wrong of ['a', '=1', 'a=', 'a=1,,2']) assert.equal(axisOf(wrong), null);
  });

  it('takes every combination, the last axis fastest', () => {
    const axes = [axisOf('a=1,2')!, axisOf('b=x,y')!];
    assert.deepEqual(combinations(axes), [
      ['1', 'x'],
      ['1', 'y'],
      ['2', 'x'],
      ['2', 'y'],
    ]);
    assert.deepEqual(combinations([]), [[]]);
  });
});
