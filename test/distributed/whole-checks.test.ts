import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { CycleCheck } from '../../services/runtime/checks/cycle-check.js';
import type { Failure, RunResults } from '../../services/runtime/results/results.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, run } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';

const CIRCLE = ['expect=[]', 'observe={}'];
const LOSSY = [
  'credit.counts=incremental',
  'faults=[{ kind: control, where: { device: h2 }, frames: ce-grant, action: lose, ' +
    'probability: 50%, at: 20us, for: 50us, recover: 20us }]',
];

const LATE = [
  'faults=[{ kind: link-down, where: { device: h2 }, at: 50us, for: 10us, every: 50us, times: 3, ' +
    'recover: 20ns }]',
];

async function inThreads(fabric: Fabric): Promise<Failure | null> {
  return (await seenInThreads(fabric)).failure;
}

async function seenInThreads(fabric: Fabric): Promise<RunResults> {
  const placement = placeInServices(fabric, 2);
  const plans = planPartitions(fabric, placement, CycleCheck.isWanted(fabric));
  const { results } = await new ThreadsRun(fabric, plans, { check: true, from: null }).run();
  return results;
}

describe('a check that needs to see the whole fabric', () => {
  it('finds the same cycle of waits in threads, closed at the same moment', async () => {
    const fabric = fabricOf('examples/ring-deadlock.yaml', ...CIRCLE);
    const failure = await inThreads(fabric);
    assert.match(failure!.reason, /^deadlock: /);
    assert.deepEqual(failure, run(fabric).failure);
  });

  it('finds a link that does not recover, in threads, too', async () => {
    const fabric = fabricOf('examples/incast-credit.yaml', ...LOSSY);
    const failure = await inThreads(fabric);
    assert.match(failure!.reason, /^no recovery in time: .* credit are lost$/);
    assert.deepEqual(failure, run(fabric).failure);
  });

  it('finds a link that recovered, but too late, in threads and processes', async () => {
    const late = fabricOf('examples/incast-credit.yaml', ...LATE);
    const expected = run(late).failure;
    assert.match(expected!.reason, /^no recovery in time: .* credit is not agreed upon$/);
    assert.deepEqual(await inThreads(late), expected);
    if (!isInstalled()) return;
    const options = fleetFor('incast-credit.yaml', 2, ['--services', '2'], { set: LATE });
    assert.deepEqual((await runFleet(options)).results.failure, expected);
  });

  it('finds no fault with a link that recovered in time, and sees the same run', async () => {
    const set = [LATE[0]!.replace('20ns', '100us')];
    const fabric = fabricOf('examples/incast-credit.yaml', ...set);
    const { digest } = run(fabric);
    const seen = await seenInThreads(fabric);
    assert.deepEqual([seen.failure, seen.digest], [null, digest]);
    if (!isInstalled()) return;
    const options = fleetFor('incast-credit.yaml', 2, ['--services', '2'], { set });
    const { results } = await runFleet(options);
    assert.deepEqual([results.failure, results.digest], [null, digest]);
  });

  it('finds a cycle of waits that a watchdog broke before the end, in threads, too', async () => {
    const fabric = fabricOf('examples/ring-deadlock-watchdog.yaml', ...CIRCLE);
    const failure = await inThreads(fabric);
    assert.match(failure!.reason, /^deadlock: /);
    assert.deepEqual(failure, run(fabric).failure);
  });
});
