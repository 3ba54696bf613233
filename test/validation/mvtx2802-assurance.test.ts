import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf, flowOf, run } from '../kit/emulate.js';

interface Point {
  readonly goodputBps: number;
  readonly latencyMaxPs: number;
  readonly bulkDrops: number;
}

/** Of class P7 in the switch, with the frame that is being sent, two links and the pipeline. */
const DELAY_BOUND_PS = 190e6;
const LOADS = ['30%', '45%', '55%', '70%'];

/** Of the high class of the example, by the load of the low one. */
function curve(...set: string[]): Point[] {
  return LOADS.map((rate) => {
    const example = 'examples/mvtx2802-assurance.yaml';
    const results = run(fabricOf(example, `load.1.rate=${rate}`, 'duration=10ms', ...set));
    const voice = flowOf(results, 'h1->h3');
    const bulk = results.priorities.find(({ priority }) => priority === 2)!;
    return {
      goodputBps: results.loads.find(({ load }) => load === 'voice')!.goodputBps,
      latencyMaxPs: voice.latencyMaxPs!,
      bulkDrops: Object.values(bulk.drops).reduce((sum, count) => sum + count, 0),
    };
  });
}

describe('assurances of an MVTX2802 and flow control (7.9)', () => {
  it('are kept without it at any load, and lost with it once the port is full', () => {
    const off = curve();
    for (const { goodputBps, latencyMaxPs } of off) {
      assert.ok(goodputBps > 74e6, String(goodputBps));
      assert.ok(latencyMaxPs < DELAY_BOUND_PS, String(latencyMaxPs));
    }
    assert.ok(off.at(-1)!.bulkDrops > 0);

    const on = curve('switches.mvtx2802.flowControl=true');
    assert.ok(on.every(({ bulkDrops }) => bulkDrops === 0));
    const full = on.slice(2);
    for (const { goodputBps, latencyMaxPs } of full) {
      assert.ok(goodputBps < 70e6, String(goodputBps));
      assert.ok(latencyMaxPs > 500e6, String(latencyMaxPs));
    }
    assert.ok(on[0]!.latencyMaxPs < DELAY_BOUND_PS, String(on[0]!.latencyMaxPs));
  });

  it('keep their bandwidth and delay with it where frames keep their class', () => {
    const set = ['switches.mvtx2802.flowControl=true', 'switches.mvtx2802.normalQos=true'];
    const full = curve(...set).slice(2);
    assert.ok(full.every(({ goodputBps }) => goodputBps > 74e6));
    assert.ok(full.every(({ latencyMaxPs }) => latencyMaxPs < DELAY_BOUND_PS));
  });
});
