/** Workloads of SimAI: who takes part in what, and what waits for what. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMPUTE, SEND } from '../../../services/engine/contract/operations.js';
import { defectsOf } from '../../../services/jobs/check-job.js';
import { type JobGraph, rankOf } from '../../../services/jobs/graph.js';
import { isWorkload, readWorkload } from '../../../services/jobs/simai/read-workload.js';
import { workloadJob } from '../../../services/jobs/simai/workload-job.js';
import { JobSource } from '../../../services/jobs/source.js';
import { errorsOf } from './samples.js';

const POLICY = 'HYBRID_TRANSFORMER_FWD_IN_BCKWD';
const HEAD = 'model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4';
const TWO_LAYERS = `${POLICY} ${HEAD} checkpoints: 0 checkpoint_initiates: 0
2
attention -1 10000 ALLREDUCE 1048576 20000 ALLREDUCE 1048576 5000 NONE 0 100
mlp -1 30000 NONE 0 40000 NONE 0 6000 ALLREDUCE 2097152 200
`;
const layers = (count: number): string =>
  Array.from({ length: count }, (_, i) => `l${i} -1 ${i + 1} NONE 0 10 NONE 0 100 NONE 0 0`).join(
    '\n',
  );

const job = (text: string, passes = 1): JobGraph =>
  workloadJob(readWorkload(new JobSource('w.txt'), text), passes);

/** Names of what rank 0 computes, in the order in which it can. */
function computed(graph: JobGraph): string[] {
  const own: string[] = [];
  for (let one = 0; one < graph.firstOfRank[1]!; one++) {
    if (graph.kind[one] === COMPUTE && graph.nameOf(one) !== '') own.push(graph.nameOf(one));
  }
  return own;
}

/** Groups of each collective, by its kind and size. */
function groupsOf({ steps }: JobGraph): string[] {
  return steps.map(({ kind, group, octets }) => `${kind} ${octets}: ${group.join(' ')}`);
}

describe('a workload of SimAI', () => {
  it('goes forward through its layers, and backward', () => {
    const graph = job(TWO_LAYERS);
    assert.deepEqual(defectsOf(graph), []);
    assert.deepEqual(computed(graph), [
      'attention forward',
      'mlp forward',
      'mlp input gradient',
      'mlp weight gradient',
      'mlp update',
      'attention input gradient',
      'attention weight gradient',
      'attention update',
    ]);
    assert.deepEqual(groupsOf(graph), [
      'all-reduce 1048576: 0 1',
      'all-reduce 1048576: 2 3',
      'all-reduce 2097152: 0 2',
      'all-reduce 2097152: 1 3',
      'all-reduce 1048576: 0 1',
      'all-reduce 1048576: 2 3',
    ]);
  });

  it('does not wait for collectives of weights, but in the next pass', () => {
    const graph = job(TWO_LAYERS, 2);
    assert.deepEqual(defectsOf(graph), []);
    const names = computed(graph);
    assert.equal(names.filter((name) => name === 'mlp update').length, 2);
    const waits = (later: string, earlier: string, skip = 0): boolean => {
      const find = (name: string, nth: number): number => {
        for (let one = 0, seen = 0; one < graph.firstOfRank[1]!; one++) {
          if (graph.nameOf(one) === name && seen++ === nth) return one;
        }
        throw new Error(name);
      };
      const [from, to] = [find(earlier, 0), find(later, skip)];
      const seen = new Set([from]);
      for (const one of seen) {
        const { first, to: next } = graph.afterDone;
        for (let i = first[one]!; i < first[one + 1]!; i++) seen.add(next[i]!);
      }
      return seen.has(to);
    };
    assert.ok(!waits('attention input gradient', 'mlp update'));
    assert.ok(!waits('attention forward', 'mlp update', 1));
    assert.ok(waits('mlp forward', 'mlp update', 1));
    assert.ok(waits('attention forward', 'attention update', 1));
  });

  it('repeats the forward pass from a layer whose results are kept', () => {
    const text = `${POLICY} ${HEAD} checkpoints: 2 0 2 checkpoint_initiates: 2 1 3
4
${layers(4)}
`;
    const forward = computed(job(text)).filter((name) => / (forward|input)/.test(name));
    assert.deepEqual(forward, [
      ...['l0 forward', 'l1 forward', 'l2 forward', 'l3 forward'],
      ...['l2 forward', 'l3 input gradient', 'l2 input gradient'],
      ...['l0 forward', 'l1 input gradient', 'l0 input gradient'],
    ]);
  });

  it('has groups of experts, and of their copies', () => {
    const head = HEAD.replace('ep: 1', 'ep: 2').replace('all_gpus: 4', 'all_gpus: 8');
    const text = `${POLICY} ${head}
1
moe -1 1 ALLTOALL_EP 4096 1 NONE 0 1 ALLREDUCE_DP_EP 8192 0
`;
    assert.deepEqual(groupsOf(job(text)), [
      ...['all-to-all 4096: 0 2', 'all-to-all 4096: 4 6'],
      ...['all-to-all 4096: 1 3', 'all-to-all 4096: 5 7'],
      ...['all-reduce 8192: 0 4', 'all-reduce 8192: 2 6'],
      ...['all-reduce 8192: 1 5', 'all-reduce 8192: 3 7'],
    ]);
  });

  it('divides ranks among stages of a pipeline', () => {
    const head = HEAD.replace('pp: 1', 'pp: 2').replace('all_gpus: 4', 'all_gpus: 8');
    const text = `${POLICY} ${head} pp_comm 4096\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 64 0\n`;
    assert.deepEqual(groupsOf(job(text)), [
      ...['all-reduce 64: 0 4', 'all-reduce 64: 1 5', 'all-reduce 64: 2 6', 'all-reduce 64: 3 7'],
    ]);
  });

  it('counts a small collective of the forward pass as one of 4,096 octets', () => {
    const text = `${POLICY} ${HEAD}\n1\nl -1 1 ALLREDUCE 8 1 ALLREDUCE 8 1 NONE 0 0\n`;
    const graph = job(text);
    const octets = new Map<string, number>();
    for (let one = 0; one < graph.count; one++) {
      if (graph.kind[one] !== SEND || rankOf(graph, one) !== 0) continue;
      const key = String(graph.step[one]);
      octets.set(key, (octets.get(key) ?? 0) + graph.amount[one]!);
    }
    assert.deepEqual([...octets.values()], [4096, 8]);
  });

  it('is known by its content', () => {
    assert.ok(isWorkload(TWO_LAYERS));
    assert.ok(!isWorkload('num_ranks 2\n'));
  });

  for (const [text, expected] of [
    [TWO_LAYERS.replace(POLICY, 'DATA'), /w\.txt:1:1: the order of passes is DATA/],
    [TWO_LAYERS.replace('all_gpus: 4', 'all_gpus: 5'), /:1:1: 5 ranks are no multiple of 2/],
    [TWO_LAYERS.replace('ep: 1', 'ep: 3'), /:1:1: ep: 3 does not divide the 2 ranks/],
    [TWO_LAYERS.replace('all_gpus: 4', ''), /:1:1: all_gpus: is missing/],
    [TWO_LAYERS.replace('\n2\n', '\n3\n'), /:2:1: it says 3 layers, and the file has 2/],
    [TWO_LAYERS.replace('ALLREDUCE 1', 'ALLREDUCEALLTOALL 1'), /:3:1: ALLREDUCEALLTOALL is no/],
    [TWO_LAYERS.replace('10000', '-1'), /:3:1: -1 is no time in whole nanoseconds/],
    [TWO_LAYERS.replace(' 200\n', '\n'), /:4:1: 11 fields; a layer has 12/],
    [TWO_LAYERS.replace('checkpoints: 0', 'checkpoints: 1 2'), /:1:1: checkpoints: 1 2 is no/],
  ] as const) {
    it(`is refused: ${expected.source}`, () => {
      assert.match(errorsOf(() => job(text)).join('\n'), expected);
    });
  }

  it('survives any octet that is wrong', () => {
    for (let at = 0; at < TWO_LAYERS.length; at++) {
      for (const other of ['', '\n', ' ', '-', '9', 'é']) {
        const wrong = TWO_LAYERS.slice(0, at) + other + TWO_LAYERS.slice(at + 1);
        errorsOf(() => readWorkload(new JobSource('w.txt'), wrong));
      }
    }
  });
});
