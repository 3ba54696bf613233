/** The critical path of a job: what made its iteration as long as it was. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markOf } from '../../services/fabric/assembly/observer-plan.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { drawnJob } from '../../services/hunt/worlds/jobs.js';
import { Sampler } from '../../services/hunt/worlds/sampler.js';
import { flowsOnPath, type JobWhy, whyJob } from '../../services/report/jobs/job-why.js';
import { jobWhyText } from '../../services/report/jobs/job-why-text.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { run } from '../kit/emulate.js';

type Draft = Readonly<Record<string, unknown>>;

const fabricOf = (job: Draft, more: Draft = {}): Fabric =>
  buildFabric(
    scenarioOfDocument('job.yaml', {
      selvage: 1,
      fabric: { generator: 'leaf-spine', leaves: 2, spines: 1, hostsPerLeaf: 4 },
      priorities: { 3: 'pfc' },
      load: [{ name: 'step', job, priority: 3, transport: { reliable: { mtu: 4096 } } }],
      ...more,
    }),
  );

const SMALL = {
  priorities: { 3: { flowControl: 'pfc', alpha: 0.125 } },
  switches: { buffer: { size: '1MB' } },
};

const PLAIN = { good: String, bad: String, strong: String };

function why(fabric: Fabric, step: number | null = null): JobWhy {
  const { operations, jobs } = repeatRun(fabric, null, null).results;
  const job = jobs.find(({ job: name }) => name === 'step')!;
  const own = operations.filter((one) => one.job === 'step');
  const flows = flowsOnPath(own, step);
  const marks = flows.map((flow) => markOf(fabric, flow));
  const spec = { share: 1, priorities: 0xff, flows: marks, named: [], slowest: 0, dropped: false };
  return whyJob(fabric, job, repeatRun(fabric, null, spec), step);
}

const iterationOf = (fabric: Fabric): number => run(fabric).jobs[0]!.iterationPs!;
const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

function assertExact({ path, totalPs, shares }: JobWhy): void {
  assert.equal(sum(path.map(({ startPs, endPs }) => endPs - startPs)), totalPs);
  path.slice(1).forEach(({ startPs }, i) => {
    assert.equal(startPs, path[i]!.endPs, 'without a gap');
  });
  for (const part of path) {
    if (part.kind !== 'message') continue;
    assert.equal(sum(part.shares.map(({ ps }) => ps)), part.endPs - part.startPs, part.flow!);
  }
  assert.equal(sum(shares.map(({ ps }) => ps)), totalPs);
}

describe('the critical path of a job', () => {
  it('adds up to the iteration, part by part, for random jobs under faults and noise', () => {
    for (let turn = 0; turn < 12; turn++) {
      const sampler = new Sampler(turn, 'job-why');
      const job = drawnJob(sampler, 8);
      const fabric = fabricOf(job, {
        load: [
          { name: 'step', job, priority: 3 },
          { incast: { from: 'h2..h8', to: 'h1' }, bytes: '60KB', priority: 3 },
        ],
        faults: [
          { kind: 'loss', where: { port: 'spine1:p1' }, probability: '2%', at: '3us', for: '30us' },
        ],
      });
      const explained = why(fabric);
      const [result] = run(fabric).jobs;
      assert.equal(explained.totalPs, result!.iterationPs);
      assert.ok(result!.rooflinePs! <= result!.iterationPs!, 'no network beats the roofline');
      assertExact(explained);
    }
  });

  it('of one collective goes from the first rank that began it to the last that was done', () => {
    const steps = [{ compute: '20us' }, { 'all-reduce': '256KiB' }];
    const fabric = fabricOf({ steps, repeat: 3, stragglers: { 6: 1.5 } });
    const { operations } = run(fabric);
    for (const step of [0, 1, 2]) {
      const explained = why(fabric, step);
      assertExact(explained);
      const own = operations.filter(({ collective }) => collective === step);
      const beganPs = Math.min(...own.map(({ startedPs }) => startedPs));
      const donePs = Math.max(...own.map((one) => one.donePs));
      assert.equal(explained.path[0]!.startPs, beganPs);
      assert.equal(explained.totalPs, donePs - beganPs);
      // The others wait for the straggler, who goes on computing meanwhile.
      const [first] = explained.path;
      assert.deepEqual([first!.kind, first!.rank], ['compute', 6]);
      assert.deepEqual(
        explained.stragglers.map(({ rank }) => rank),
        [6],
      );
      assert.match(jobWhyText(explained, PLAIN, false), new RegExp(`^step, collective ${step} `));
    }
  });

  it('leads through a straggler, who is named with what it was late by itself', () => {
    const steps = [{ compute: '20us' }, { 'all-reduce': '256KiB' }];
    const fabric = fabricOf({ steps, repeat: 3, stragglers: { 6: 1.5 } });
    const { stragglers, path } = why(fabric);
    const [first] = stragglers;
    assert.deepEqual(
      { rank: first!.rank, ownPs: first!.ownPs, timesLast: first!.timesLast },
      { rank: 6, ownPs: 30e6, timesLast: 3 },
    );
    assert.ok(path.some(({ kind, rank }) => kind === 'compute' && rank === 6));
  });

  it('names the pause that a message on it waited for, and its root', () => {
    const steps = [{ compute: '1us' }, { broadcast: '200KB' }];
    const load = [
      { name: 'step', job: { hosts: ['h5', 'h1'], steps }, priority: 3 },
      { incast: { from: 'h6..h8', to: 'h2' }, bytes: '400KB', priority: 3 },
    ];
    const explained = why(fabricOf({}, { load, ...SMALL }));
    assertExact(explained);
    const paused = explained.shares.filter(({ what }) => what === 'blocked');
    assert.ok(paused.length > 0, JSON.stringify(explained.shares));
    // Four senders share one uplink.
    const named = paused.map(({ mechanism, root, port }) => [mechanism, root, port]);
    assert.deepEqual(named, [['pfc', 'leaf2:p5', 'h5:p1']]);
    assert.match(jobWhyText(explained, PLAIN, false), /paused by PFC, root leaf2:p5/);
  });

  it('gets shorter by what an operation on it is sped up, and not by one with slack', () => {
    const steps = (slow: string) => [
      { compute: slow, in: 'slow' },
      { compute: '10us', in: 'fast' },
      { barrier: true },
    ];
    const groups = { slow: [[3]], fast: [[5]] };
    const base = iterationOf(fabricOf({ groups, steps: steps('50us') }));
    assert.equal(base - iterationOf(fabricOf({ groups, steps: steps('30us') })), 20e6);
    const slack = { groups, steps: steps('50us'), stragglers: { 5: 0.1 } };
    assert.equal(iterationOf(fabricOf(slack)), base);
  });

  it('of a job that does not end names the messages that it waits for', () => {
    const explained = why(
      fabricOf(
        {},
        {
          load: [
            {
              name: 'step',
              job: { hosts: 'h1..h2', steps: [{ broadcast: '99KB' }] },
              transport: 'raw',
            },
          ],
          faults: [{ kind: 'loss', where: { port: 'h2:p1' }, probability: '100%' }],
          priorities: {},
        },
      ),
    );
    assert.equal(explained.isDone, false);
    assert.deepEqual(
      explained.unfinished.map(({ name }) => name),
      ['step/h1->h2'],
    );
    assert.match(jobWhyText(explained, PLAIN, false), /It waits for messages .*\n.*step\/h1->h2: /);
  });
});
