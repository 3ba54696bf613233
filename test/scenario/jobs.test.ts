/** Jobs: ranks that compute, send and receive, over the frames of a fabric. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { measuresOf } from '../../services/report/comparison/measures.js';
import { outcomeOf } from '../../services/sweep/outcome.js';
import { nextSteps } from '../../services/report/next-steps.js';
import { evaluateExpectations } from '../../services/report/expectations.js';
import type { OperationResult } from '../../services/jobs/job-rows.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { ScenarioError } from '../../services/settings/errors.js';
import { runsAlike } from '../kit/alike.js';
import { run } from '../kit/emulate.js';

type Job = Readonly<Record<string, unknown>>;

const LINK = { rate: '100G', delay: '500ns' };
// Acknowledgements share a link with data of the other direction: few of them.
const RELIABLE = { reliable: { mtu: 4096, ackEvery: 64 } };

const star = (hosts: number, job: Job, more: object = {}): Fabric =>
  buildFabric(
    scenarioOfDocument('job.yaml', {
      selvage: 1,
      fabric: { generator: 'star', hosts, hostLink: LINK },
      load: [{ job, transport: RELIABLE }],
      ...more,
    }),
  );

/** What a job's error says, with its place. */
function refusal(hosts: number, job: Job): string {
  try {
    star(hosts, job);
  } catch (error) {
    if (error instanceof ScenarioError) return error.message;
    throw error;
  }
  return '';
}

const only = (results: RunResults): RunResults['jobs'][number] => {
  assert.equal(results.jobs.length, 1);
  return results.jobs[0]!;
};

const named = (results: RunResults, rank: number, name: string): OperationResult =>
  results.operations.find((one) => one.rank === rank && one.name === name)!;

describe('a job of steps', () => {
  it('takes the time of its computations and of its collective', () => {
    const steps = [{ compute: '10us' }, { 'all-reduce': '4MiB' }, { compute: '20us' }];
    const results = run(star(4, { steps }));
    const job = only(results);
    const [collective] = job.collectives;
    assert.equal(job.computing.maxPs, 30e6);
    assert.equal(job.iterationPs, collective!.timePs! + 30e6);
    assert.equal(job.exposed!.maxPs, collective!.timePs);
    assert.equal(job.doneOperations, job.operations);
    assert.equal(results.status, 'complete');
  });

  it('keeps closed forms on an idle star within half a percent', () => {
    // A packet of 4,096 octets takes 4,178 on the wire, 62 of headers and 20 of preamble and gap.
    const octets = 1 << 20;
    const wirePs = (payload: number): number => (payload / 4096) * 4178 * 80;
    const hopPs = 4178 * 80 + 2 * 500e3;
    for (const ranks of [2, 3, 5, 8]) {
      const part = octets * 4;
      const ring = only(run(star(ranks, { steps: [{ 'all-gather': String(part * ranks) }] })));
      const steps = ranks - 1;
      const expected = steps * (wirePs(part) + hopPs);
      const measured = ring.collectives[0]!.timePs!;
      assert.ok(Math.abs(measured / expected - 1) < 0.005, `${ranks}: ${measured} of ${expected}`);
    }
  });

  it('calls no message of a collective slow, and leads to what made the job late', () => {
    const results = run(star(4, { steps: [{ 'all-to-all': '64KiB' }] }));
    assert.ok(results.flows.length > 0 && results.flows.every(({ slowdown }) => slowdown === null));
    assert.equal(results.priorities[0]!.slowdown, null);
    const next = nextSteps(results, 's.yaml', 'r');
    assert.match(next, /why r --job job1 +the critical path/);
    assert.doesNotMatch(next, /--flow/);
  });

  it('waits for a straggler, and for nobody else', () => {
    const steps = [{ compute: '100us' }, { barrier: true }];
    const even = only(run(star(4, { steps }))).iterationPs!;
    const late = only(run(star(4, { steps, stragglers: { 2: 1.5 } }))).iterationPs!;
    assert.equal(late - even, 50e6);
  });

  it('keeps groups apart that have no rank in common', () => {
    const groups = {
      pairs: [
        [0, 1],
        [2, 3],
      ],
      one: [[0, 1]],
    };
    const both = only(run(star(4, { groups, steps: [{ 'all-reduce': '1MiB', in: 'pairs' }] })));
    const one = only(run(star(4, { groups, steps: [{ 'all-reduce': '1MiB', in: 'one' }] })));
    assert.equal(both.iterationPs, one.iterationPs);
    assert.equal(both.collectives[0]!.count, 2);
  });

  it('sends within a host without frames, at the rate of its box', () => {
    const job = {
      ...{ ranksPerHost: 2, hosts: 'h1', steps: [{ broadcast: '1000000' }] },
      box: { rate: '800G', latency: '3us' },
    };
    const results = run(star(2, job));
    assert.equal(only(results).iterationPs, 3e6 + 1_000_000 * 10);
    assert.equal(results.flows.length, 0);
  });

  it('that loses a raw frame for good is not done, and its flows say why', () => {
    const results = run(
      star(
        2,
        { steps: [{ broadcast: '100KB' }, { compute: '1us' }, { barrier: true }] },
        {
          load: [{ job: { steps: [{ broadcast: '100KB' }, { barrier: true }] }, transport: 'raw' }],
          faults: [
            { kind: 'loss', where: { port: 'h2:p1' }, probability: '100%', at: '2us', for: '1us' },
          ],
        },
      ),
    );
    assert.equal(only(results).iterationPs, null);
    assert.ok(results.causes.some(({ cause }) => cause === 'dropped'));
    assert.equal(
      results.flows.filter(({ cause }) => cause?.word === 'not-due').length,
      results.flows.filter(({ sentFrames }) => sentFrames === 0).length,
    );
  });
});

describe('what a scenario expects of a job', () => {
  const steps = [
    { compute: '10us' },
    { 'all-reduce': '1MiB' },
    { compute: '10us' },
    { barrier: true },
  ];
  const expect = [
    { metric: 'iteration', max: '1ms' },
    { metric: 'job.exposed', min: '1us' },
    { metric: 'busbw', min: '1G' },
    { metric: 'straggler', load: 'job1', equals: '5us' },
  ];

  it('is measured in its units, by load', () => {
    const fabric = star(4, { steps, stragglers: { 2: 1.25 } }, { expect });
    const found = evaluateExpectations(fabric.scenario.expect, run(fabric));
    assert.deepEqual(
      found.filter(({ ok }) => !ok),
      [],
    );
  });

  it('does not hold of a job that is not done, nor of none', () => {
    const faults = [{ kind: 'link-down', where: { link: 's1 h2' }, at: '1us' }];
    const cut = star(4, { steps }, { faults, duration: '200us', expect: [expect[0]] });
    const none = star(
      4,
      { steps },
      { load: [{ stream: { from: 'h1', to: 'h2' }, bytes: '1KB' }], expect: [expect[0]] },
    );
    for (const fabric of [cut, none]) {
      const { ok, actual } = evaluateExpectations(fabric.scenario.expect, run(fabric))[0]!;
      assert.deepEqual([ok, actual], [false, null]);
    }
  });
});

describe('a duel of jobs', () => {
  it('is decided by their iterations, and not by messages of their collectives', () => {
    const steps = [{ compute: '10us' }, { 'all-reduce': '1MiB' }];
    const results = run(star(4, { steps }));
    const measures = measuresOf(outcomeOf(results, null, new Set()));
    const iteration = measures.find(({ label }) => label === 'iteration of job1')!;
    assert.equal(iteration.value, only(results).iterationPs);
    assert.equal(iteration.weight, 'decides');
    assert.ok(measures.every(({ label }) => !label.includes('FCT')));
  });
});

describe('a job from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('of any other program has one result in threads, and resumed', async () => {
    const step = (s: number, type: string): string =>
      `<step s="${s}" type="${type}" srcbuf="i" srcoff="0" cnt="1" depid="-1" deps="-1"/>`;
    const msccl = file(
      'chain.xml',
      `<algo name="chain" nchunksperloop="1" ngpus="3" coll="broadcast">
${[
  ['1', '-1', 's'],
  ['2', '0', 'rcs'],
  ['-1', '1', 'r'],
]
  .map(
    ([send, receive, type], id) =>
      `<gpu id="${id}" i_chunks="1" o_chunks="0" s_chunks="0">
<tb id="0" send="${send!}" recv="${receive!}" chan="0">${step(0, type!)}</tb></gpu>`,
  )
  .join('\n')}
</algo>`,
    );
    const simai = file(
      'w.txt',
      `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 all_gpus: 4
1
l -1 1000 ALLREDUCE 40000 2000 NONE 0 500 ALLREDUCE 80000 10
`,
    );
    const htsim = file(
      'm.cm',
      `Nodes 4
Connections 3
Triggers 1
0->1 id 1 start 1 size 30000 recv_done_trigger 1
2->3 id 2 start 0 size 60000 send_done_trigger 1
3->0 id 3 trigger 1 size 5000
trigger id 1 barrier count 2
`,
    );
    const lossless = { priority: 3, transport: RELIABLE };
    const fabric = star(
      4,
      { htsim, sends: 'acknowledged' },
      {
        priorities: { 3: 'pfc' },
        load: [
          { name: 'matrix', job: { htsim, sends: 'acknowledged' }, ...lossless },
          { name: 'algorithm', job: { msccl, vector: '100KB' }, ...lossless },
          { name: 'workload', job: { simai, repeat: 2 }, ...lossless },
        ],
      },
    );
    const results = await runsAlike(fabric, Infinity, [3e6, 11_111_111]);
    assert.equal(results.status, 'complete');
    const [matrix, algorithm, workload] = results.jobs;
    assert.equal(algorithm!.collectives[0]!.kind, 'broadcast');
    assert.equal(workload!.computing.maxPs, 2 * 3_510_000);
    assert.equal(matrix!.doneOperations, matrix!.operations);
    const third = named(results, 3, 'connection 3');
    const [first, second] = ['connection 1', 'connection 2'].map((name, i) =>
      named(results, 2 * i, name),
    );
    assert.ok(third.startedPs > first!.donePs && third.startedPs > second!.donePs);
  });

  it('starts an operation when what it requires is done, or has started', () => {
    const goal = file(
      'edges.goal',
      `num_ranks 2
rank 0 {
s: send 1000000b to 1
c: calc 1000 cpu 1
d: calc 1000 cpu 1
c irequires s
d requires s
}
rank 1 {
r: recv 1000000b from 0
e: calc 5
e requires r
}`,
    );
    const handed = run(star(2, { goal }));
    const acknowledged = run(star(2, { goal, sends: 'acknowledged' }));
    for (const results of [handed, acknowledged]) {
      assert.equal(named(results, 0, 'c').startedPs, 0);
      assert.equal(named(results, 0, 'd').startedPs, named(results, 0, 's').donePs);
      assert.equal(named(results, 1, 'e').donePs, named(results, 1, 'r').donePs + 5000);
    }
    const [early, late] = [handed, acknowledged].map((results) => named(results, 0, 's').donePs);
    assert.ok(early! < named(handed, 1, 'r').donePs && late! > named(acknowledged, 1, 'r').donePs);
  });

  it('gives what arrives first to the receive of any source that was posted first', () => {
    const goal = file(
      'any.goal',
      `num_ranks 3
rank 0 {
a: recv 64b from -1 tag -1
b: recv 64b from -1 tag -1
}
rank 1 {
c: calc 9000
s: send 64b to 0 tag 5
s requires c
}
rank 2 {
s: send 64b to 0 tag 6
}`,
    );
    const results = run(star(3, { goal }));
    const from = (name: string): number => {
      const { took } = named(results, 0, name);
      return results.operations.find(({ operation }) => operation === took)!.rank;
    };
    assert.deepEqual([from('a'), from('b')], [2, 1]);
  });

  it('that cannot end is refused before it runs, with its line', () => {
    const goal = file(
      'cycle.goal',
      'num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n',
    );
    assert.match(
      refusal(2, { goal }),
      /cycle\.goal:3:1: a cycle, .*rank 0 a \(compute\), rank 0 b/,
    );
  });
});

describe('a job that is wrong', () => {
  for (const [job, expected] of [
    [{}, /it does nothing; write goal: FILE, chakra: FILE, .* or steps/],
    [{ chakra: 'no-such' }, /there is no file no-such\.0\.et, the trace of rank 0/],
    [{ chakra: 'a', goal: 'b' }, /both goal, chakra/],
    [{ steps: [{ compute: '1us', 'all-reduce': '1MB' }] }, /several steps in one: compute, all-re/],
    [{ steps: [{ chunks: 2 }] }, /no step; one of compute, all-reduce/],
    [
      { steps: [{ 'all-reduce': '1MB', algorithm: 'direct' }] },
      /all-reduce has no algorithm direct/,
    ],
    [{ steps: [{ barrier: true, in: 'tp' }] }, /unknown group: tp/],
    [{ steps: [{ barrier: true }], ranks: 9 }, /9 ranks, and 4 hosts have room for 4; ranksPerH/],
    [{ steps: [{ barrier: true }], groups: { a: [[0, 4]] } }, /there is no rank 4/],
    [{ steps: [{ barrier: true }], groups: { a: [[0, 1], [1]] } }, /rank 1 is in it twice/],
    [
      { steps: [{ barrier: true }], stragglers: { 7: 2 } },
      /there is no rank 7: 4 ranks are 0 to 3/,
    ],
    [
      { steps: [{ 'all-reduce': '1MB', algorithm: 'halving-doubling' }], ranks: 3 },
      /needs a power of two of ranks, and these are 3/,
    ],
    [{ goal: 'a.goal', repeat: 2 }, /a file has its own repeat; it is for steps/],
    [{ msccl: 'a.xml' }, /an algorithm of MSCCL is for any vector; write vector: 4MiB/],
    [{ simai: 'a.txt', vector: '1MB' }, /only an algorithm of MSCCL asks for the size/],
    [{ goal: 'a.goal', startUnit: 'ps' }, /only a connection matrix of htsim has starts/],
    [{ steps: [{ barrier: true }], edges: 'data' }, /only traces of Chakra have edges/],
    [{ goal: 'no-such.goal' }, /cannot read no-such\.goal/],
  ] as const) {
    it(`is refused: ${JSON.stringify(job)}`, () => {
      assert.match(refusal(4, job), expected);
    });
  }
});

describe('a job in every runner', () => {
  const mixed = (): Fabric =>
    buildFabric(
      scenarioOfDocument('mixed.yaml', {
        selvage: 1,
        fabric: { generator: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 3 },
        priorities: { 3: { flowControl: 'pfc', ecn: { min: '20KB', max: '80KB' } } },
        load: [
          {
            job: {
              ...{ ranks: 8, ranksPerHost: 2, placement: 'spread', repeat: 2 },
              groups: {
                tp: [
                  [0, 5],
                  [2, 7],
                ],
              },
              steps: [
                { compute: '2us' },
                { 'all-reduce': '60KB', algorithm: 'tree', chunks: 3 },
                { 'all-to-all': '40KB', algorithm: 'pairwise', in: 'tp' },
                { 'reduce-scatter': '33331' },
              ],
              stragglers: { 3: 2.5 },
            },
            ...{ priority: 3, congestion: 'dcqcn' },
          },
          { job: { hosts: 'h1..h4', steps: [{ 'all-gather': '50KB' }], sends: 'acknowledged' } },
          { incast: { from: 'h2..h6', to: 'h1' }, bytes: '30KB', priority: 3 },
        ],
        faults: [
          { kind: 'loss', where: { port: 'leaf1:p4' }, probability: '1%', at: '5us', for: '50us' },
        ],
      }),
    );

  it('has one result in threads, in services, and resumed in the middle', async () => {
    const fabric = mixed();
    const results = await runsAlike(fabric, Infinity, [9e6, 33_333_333]);
    assert.equal(results.status, 'complete');
    assert.ok(results.jobs.every(({ iterationPs }) => iterationPs !== null));
    const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
    cluster.run();
    assert.deepEqual(cluster.results(false), results);
  });
});
