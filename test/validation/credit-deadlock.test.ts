import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runScenario } from '../kit/emulate.js';

/** All hosts of a ring send to all others; accounts have room for one frame. */
function ring(switches: number, priority: number, credit: string): RunResults {
  return runScenario(`
fabric: { generator: ring, switches: ${switches}, hostsPerSwitch: 2 }
duration: 400us
observe: { episodes: true }
priorities: { ${priority}: credit }
credit: { ${credit} }
load: [{ all-to-all: {}, bytes: 8000B, priority: ${priority} }]
`);
}

describe('a ring whose accounts of credit are smaller than two frames', () => {
  // Frames of 1,086 octets take 17 units: what is left of some accounts is less than that, not none.
  for (const credit of [
    'grant: demand, request: never, unsolicited: true, buffer: 1100B',
    'grant: static, buffer: 1100B',
    'grant: static, buffer: 2000B',
  ]) {
    it(`locks up, and is found by --check with its ports (${credit})`, () => {
      const { status, failure, deadlocks } = ring(4, 0, credit);
      assert.equal(status, 'deadlocked');
      assert.match(failure!.reason, /^deadlock: s\d:p\d waits for s\d:p\d .*, and so round$/);
      assert.equal(deadlocks[0]!.openedPs, null);
      const devices = deadlocks[0]!.ring.map(({ device }) => device).sort();
      assert.deepEqual(devices, ['s1', 's2', 's3', 's4']);
    });
  }

  it('is not called locked up while credit is only on its way', () => {
    // Up and down a tree there is no circle, however short of credit all of them are.
    const { status, failure } = runScenario(`
fabric: { generator: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 2 }
duration: 200us
priorities: { 0: credit }
credit: { grant: static, buffer: 1100B }
load: [{ all-to-all: {}, bytes: 8000B, priority: 0 }]
`);
    assert.equal(failure, null);
    assert.equal(status, 'complete');
  });
});
