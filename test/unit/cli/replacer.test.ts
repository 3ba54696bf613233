import assert from 'node:assert/strict';
import { it } from 'node:test';
import { selvage } from '#contracts';
import { Replacer } from '../../../services/cli/fleet/replacer.js';

const { PHASE_RECOVERING, PHASE_RUNNING } = selvage.v1.RunStatus.Phase;
const GRACE_MS = 1_000;

it('a service that hangs is ended, once it has had time to come back, and no other one', () => {
  const pids = new Map([
    ['service 0', 10],
    ['service 1', 11],
  ]);
  const killed: string[] = [];
  const fleet = {
    pidOf: (name: string) => pids.get(name),
    signal: (name: string, signal: NodeJS.Signals) => {
      killed.push(`${name} ${pids.get(name)} ${signal}`);
    },
  };
  const replacer = new Replacer(fleet, GRACE_MS);
  replacer.observe({ phase: PHASE_RECOVERING, missing: [1, 7] });
  replacer.check(0);
  replacer.check(GRACE_MS - 1);
  replacer.check(GRACE_MS);
  assert.deepEqual(killed.splice(0), ['service 1 11 SIGKILL']);
  // Others have its number by now, each with twice as long to start on a busy machine.
  pids.set('service 1', 12);
  replacer.check(GRACE_MS + 1);
  replacer.check(3 * GRACE_MS);
  assert.deepEqual(killed, []);
  replacer.check(3 * GRACE_MS + 1);
  assert.deepEqual(killed.splice(0), ['service 1 12 SIGKILL']);
  pids.set('service 1', 13);
  replacer.check(4 * GRACE_MS);
  replacer.check(8 * GRACE_MS - 1);
  assert.deepEqual(killed, []);
  replacer.check(8 * GRACE_MS);
  assert.deepEqual(killed, ['service 1 13 SIGKILL']);
  // It is there again, or the run has just begun.
  replacer.observe({ phase: PHASE_RUNNING, missing: [0, 1] });
  replacer.check(9 * GRACE_MS);
  replacer.check(99 * GRACE_MS);
  replacer.close();
  assert.equal(killed.length, 1);
});
