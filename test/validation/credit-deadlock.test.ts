import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run, runScenario } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

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
  // Frames of 1,086 octets take 17 units: what is left of some accounts is less than that, not
  // none.
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
    // Up and down a tree there is no cycle, however short of credit all of them are.
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

/**
 * Adjacent switches have two links between them, and flows of both go two switches further: what an
 * account stores leaves by two ports.
 */
function doubleRing(switches: number, hops: number, credit: string): string {
  const numbers = Array.from({ length: switches }, (_, s) => s + 1);
  const after = (s: number, steps: number): number => ((s - 1 + steps) % switches) + 1;
  const link = (a: string, b: string): string => `    - { between: [${a}, ${b}], rate: 10G }`;
  const hostsOf = (s: number): string[] => [`h${2 * s - 1}`, `h${2 * s}`];
  const links = numbers.flatMap((s) => {
    const ring = link(`s${s}`, `s${after(s, 1)}`);
    return [ring, ring, ...hostsOf(s).map((host) => link(host, `s${s}`))];
  });
  const loads = numbers.flatMap((s) =>
    hostsOf(after(s, hops)).map(
      (to) =>
        `  - { stream: { from: [${hostsOf(s).join()}], to: ${to} }, rate: line, frame: 1086 }`,
    ),
  );
  return `
fabric:
  devices:
${numbers.map((s) => `    - { name: s${s}, kind: switch }`).join('\n')}
${numbers.flatMap((s) => hostsOf(s).map((host) => `    - { name: ${host}, kind: host }`)).join('\n')}
  links:
${links.join('\n')}
duration: 150us
observe: { episodes: true }
priorities: { 0: credit }
credit: { ${credit} }
load:
${loads.join('\n')}
`;
}

describe('a ring in which what an account stores leaves by two ports', () => {
  for (const credit of [
    'buffer: 2200B',
    'buffer: 3400B',
    'grant: demand, request: never, buffer: 2200B',
  ]) {
    it(`locks up, and is found by --check with its ports (${credit})`, () => {
      const results = runScenario(doubleRing(5, 2, credit));
      assert.equal(results.status, 'deadlocked');
      assert.match(
        results.failure!.reason,
        /^deadlock: s\d:p\d waits for s\d:p\d .*, and so round$/,
      );
      const devices = results.deadlocks[0]!.ring.map(({ device }) => device).sort();
      assert.deepEqual(devices, ['s1', 's2', 's3', 's4', 's5']);
    });
  }

  it('is not called locked up where the last switch of every way goes on', () => {
    const { status, failure, deadlocks } = runScenario(doubleRing(3, 1, 'buffer: 2200B'));
    assert.equal(failure, null);
    assert.equal(status, 'complete');
    assert.deepEqual(deadlocks, []);
  });

  it('is found in a run that expects it, the same in threads', async () => {
    const scenario = `${doubleRing(5, 2, 'buffer: 2200B')}
expect: [ { metric: deadlocks, min: 1 } ]
`;
    const fabric = fabricOf(scenario);
    const alone = run(fabric);
    assert.equal(alone.status, 'deadlocked');
    const threads = (await inThreads(fabric, 3).run()).results;
    assert.deepEqual(threads.deadlocks, alone.deadlocks);
    assert.equal(threads.digest, alone.digest);
  });
});
