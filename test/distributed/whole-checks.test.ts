import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { planParts } from '../../services/fabric/placement/part-plan.js';
import { placeInServices } from '../../services/fabric/placement/placement.js';
import { CycleCheck } from '../../services/runtime/cycle-check.js';
import type { Failure } from '../../services/runtime/results.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import { fabricOf, run } from '../kit/emulate.js';

const CIRCLE = ['expect=[]', 'observe={}'];
const LOSSY = [
  'credit.counts=incremental',
  'faults=[{ kind: control, where: { device: h2 }, frames: ce-grant, action: lose, ' +
    'probability: 50%, at: 20us, for: 50us, recover: 20us }]',
];

async function inThreads(fabric: Fabric): Promise<Failure | null> {
  const placement = placeInServices(fabric.topology, 2);
  const plans = planParts(fabric, placement, CycleCheck.isWanted(fabric));
  const { results } = await new ThreadsRun(fabric, plans, { check: true, from: null }).run();
  return results.failure;
}

describe('a check that needs to see the whole fabric', () => {
  it('finds the same circle of waits in threads, closed at the same moment', async () => {
    const fabric = fabricOf('examples/ring-deadlock.yaml', ...CIRCLE);
    const failure = await inThreads(fabric);
    assert.match(failure!.reason, /^deadlock: /);
    assert.deepEqual(failure, run(fabric).failure);
  });

  it('finds a link that does not recover, in threads, too', async () => {
    const fabric = fabricOf('examples/incast-credit.yaml', ...LOSSY);
    const failure = await inThreads(fabric);
    assert.match(failure!.reason, /^no recovery in time: .* credit are lost$/);
    assert.match(run(fabric).failure!.reason, /^no recovery in time: .* credit are lost$/);
  });
});
