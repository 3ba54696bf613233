import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import type { Fleet } from '../../services/cli/fleet/fleet.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { LiveFaults } from '../../services/runtime/live-faults.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { run, sourceOf } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { skipUnlessLong } from '../kit/long-suite.js';

const EXAMPLE = 'leaf-spine-all-to-all.yaml';
const set = ['load.0.bytes=192KB'];
const PATIENCE_MS = 60_000;
const skip = isInstalled() ? false : 'no nats-server on the PATH';
const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
type Status = selvage.v1.RunStatus;

async function until(fleet: Fleet, holds: (status: Status) => boolean): Promise<Status> {
  return fleet.client.follow(() => undefined, holds, PATIENCE_MS);
}

async function paused(fleet: Fleet): Promise<Status> {
  await fleet.client.steer(Action.ACTION_PAUSE);
  return until(fleet, ({ phase }) => phase === Phase.PHASE_PAUSED);
}

/** Kills a process, and waits until the run has begun again without it. */
async function killed(fleet: Fleet, name: string): Promise<void> {
  const { epoch } = await until(fleet, () => true);
  fleet.signal(name, 'SIGKILL');
  await until(
    fleet,
    ({ epoch: now, phase }) =>
      now > epoch && (phase === Phase.PHASE_PAUSED || phase === Phase.PHASE_RUNNING),
  );
}

/** What a fault does when it comes late takes other steps to the same end. */
function measured({ events: _, ...results }: RunResults): Omit<RunResults, 'events'> {
  return results;
}

/** Faults come and go while what executes them dies. */
async function harm(fleet: Fleet): Promise<void> {
  const { client } = fleet;
  await until(fleet, ({ phase, virtualPs }) => phase === Phase.PHASE_RUNNING && virtualPs > 0);
  await paused(fleet);
  const rain =
    '{ kind: loss, where: { device: leaf1, peer: spine* }, probability: 3%, name: rain }';
  assert.ok((await client.inject(rain)).done);
  await killed(fleet, 'service 1');
  assert.ok((await client.inject('{ kind: link-down, where: { device: leaf2 }, for: 2us }')).done);
  await client.steer(Action.ACTION_RESUME);
  await until(fleet, ({ checkpointPs }) => checkpointPs > 0);
  await killed(fleet, 'coordinator');
  await paused(fleet);
  assert.deepEqual(
    (await client.faults()).map(({ injected }) => injected),
    [true, true],
  );
  assert.ok((await client.clear('rain')).done);
  await killed(fleet, 'service 0');
  await client.steer(Action.ACTION_STOP);
}

describe(
  'faults injected into a run whose processes are killed',
  { skip, timeout: 540_000 },
  () => {
    const check = async (placed: readonly string[]): Promise<void> => {
      const { loaded, fabric } = sourceOf(`examples/${EXAMPLE}`, ...set);
      const options = fleetFor(EXAMPLE, 2, placed, { set, patienceSeconds: 60 });
      let harmed = Promise.resolve();
      const { results, state, steps } = await runFleet(options, (fleet) => {
        harmed = harm(fleet);
      });
      await harmed;
      assert.equal(results.status, 'interrupted');
      assert.equal(steps.length, 3);
      const resumed = await runFleet({ ...options, from: state, steps });
      const repeated = new LiveFaults(loaded, fabric);
      repeated.repeat(steps);
      assert.deepEqual(measured(resumed.results), measured(run(repeated.fabric)));
      assert.notEqual(resumed.results.digest, run(fabric).digest);
    };

    it('are there once each, and the run goes on to the end that a repetition has', () =>
      check(['--services=2', '--threads=2']));

    it('are so where services have one thread', { skip: skipUnlessLong }, () =>
      check(['--services=2']),
    );
  },
);
