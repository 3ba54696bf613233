import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markOf } from '../../services/fabric/assembly/observer-plan.js';
import { whyFlow } from '../../services/report/flow-why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { fabricOf } from '../kit/emulate.js';

function whyOfFlow(scenario: string, name: string): NonNullable<ReturnType<typeof whyFlow>> {
  const fabric = fabricOf(scenario);
  const flow = fabric.flows.findIndex((one) => one.name.startsWith(name));
  const flows = [markOf(fabric, flow)];
  const sampling = { share: 1, priorities: 0xff, flows, named: [], slowest: 0, dropped: false };
  const repeated = repeatRun(fabric, null, sampling);
  return whyFlow(fabric, repeated.results.flows[flow]!, repeated)!;
}

describe('the part of a flow in congestion', () => {
  it('is that of a victim, with the flows that fill what it waits for', () => {
    const { role, roots } = whyOfFlow('examples/victim-behind-pfc.yaml', 'victim');
    assert.equal(role, 'victim');
    const [root] = roots as [(typeof roots)[number]];
    assert.deepEqual([root.port, root.part, root.share], ['leaf2:p1', 'waits', null]);
    assert.equal(root.culprits.length, 3);
  });

  it('is that of a culprit, with its share and what limited its rate', () => {
    const { role, roots, limit } = whyOfFlow('examples/incast-dcqcn.yaml', 'burst');
    assert.equal(role, 'culprit');
    assert.ok(roots[0]!.share! > 0.05 && roots[0]!.share! < 0.25);
    assert.equal(limit!.control, 'dcqcn');
    assert.deepEqual(limit!.markedAt, ['s1:p1']);
    assert.ok(limit!.notifications > 0 && limit!.leastBps < limit!.lineBps);
  });

  for (const control of ['qcn', 'timely', 'hpcc', 'swift']) {
    it(`adds up to its completion time, and says what limits it: ${control}`, () => {
      const why = whyOfFlow(`examples/incast-${control}.yaml`, 'burst');
      assert.equal(
        why.shares.reduce((sum, { ps }) => sum + ps, 0),
        why.totalPs,
      );
      assert.equal(why.limit!.control, control);
    });
  }
});
