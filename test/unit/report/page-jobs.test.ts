import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../../services/fabric/scenario/load-scenario.js';
import { jobViews } from '../../../services/report/page/page-jobs.js';
import type { JobView } from '../../../services/report/page/page-jobs-data.js';
import type { RunResults } from '../../../services/runtime/results/results.js';
import { run } from '../../kit/emulate.js';

function jobOf(hosts: number, job: object): { view: JobView; results: RunResults } {
  const fabric = buildFabric(
    scenarioOfDocument('job.yaml', {
      selvage: 1,
      fabric: { generator: 'star', hosts },
      load: [{ name: 'step', job, transport: { reliable: { mtu: 4096 } } }],
    }),
  );
  const results = run(fabric);
  const [{ job: place }] = fabric.jobs as [(typeof fabric.jobs)[number]];
  const [view] = jobViews(results, () => place.graph.steps);
  return { view: view!, results };
}

const STEPS = [{ compute: '20us' }, { 'all-reduce': '64KiB' }];

describe('a job on a page', () => {
  const { view, results } = jobOf(4, { steps: STEPS, repeat: 2, stragglers: { 2: 1.5 } });

  it('has what each rank computes, and each collective as one bar', () => {
    assert.equal(view.endPs, results.jobs[0]!.iterationPs);
    assert.deepEqual(
      view.ranks.map(({ rank, host }) => [rank, host]),
      [0, 1, 2, 3].map((rank) => [rank, `h${rank + 1}`]),
    );
    for (const { rank, bars } of view.ranks) {
      assert.deepEqual(
        bars.map(({ kind, what }) => [kind, what]),
        [0, 1].flatMap((turn) => [
          ['compute', 'computing'],
          ['communicate', `all-reduce of 65.5 KB (${turn})`],
        ]),
      );
      const [computing, reducing] = bars;
      assert.equal(computing!.endPs - computing!.startPs, rank === 2 ? 30e6 : 20e6);
      // It begins with its first send, and ends with its last receive.
      assert.ok(reducing!.startPs >= computing!.endPs);
      assert.ok(reducing!.flows.length > 0);
    }
  });

  it('has the critical path without a gap, through the straggler', () => {
    const { path } = view;
    assert.equal(path[0]!.startPs, 0);
    assert.equal(path.at(-1)!.endPs, view.endPs);
    path.slice(1).forEach(({ startPs }, i) => {
      assert.equal(startPs, path[i]!.endPs);
    });
    const { kind, rank } = path[0]!;
    assert.deepEqual([kind, rank], ['compute', 2]);
  });

  it('has as many ranks and parts as a screen, the critical path among them', () => {
    const steps = [{ compute: '1us' }, { barrier: true }];
    const large = jobOf(48, { steps, repeat: 60, stragglers: { 45: 2 } }).view;
    assert.deepEqual([large.ranks.length, large.rankCount], [32, 48]);
    assert.ok(large.ranks.some(({ rank }) => rank === 45));
    assert.ok(large.path.length <= 600);
    assert.ok(large.ranks.every(({ bars }) => bars.length <= 400));
    large.path.slice(1).forEach(({ startPs }, i) => {
      assert.equal(startPs, large.path[i]!.endPs);
    });
    assert.equal(large.path.at(-1)!.endPs, large.endPs);
  });
});
