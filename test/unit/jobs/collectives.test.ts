import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SEND } from '../../../services/engine/contract/operations.js';
import { defectsOf } from '../../../services/jobs/check-job.js';
import { type JobGraph, rankOf } from '../../../services/jobs/graph.js';
import { binaryTree, COLLECTIVES, partsOf } from '../../../services/jobs/steps/collectives.js';
import { weaveSteps } from '../../../services/jobs/steps/steps.js';

interface Shape {
  readonly what: string;
  readonly ranks: number;
  readonly octets?: number;
  readonly algorithm?: string;
  readonly chunks?: number;
}

function collective({ what, ranks, octets = 1000, algorithm, chunks = 1 }: Shape): JobGraph {
  const group = Array.from({ length: ranks }, (_, rank) => rank);
  const own = algorithm ?? Object.keys(COLLECTIVES[what]!.algorithms)[0]!;
  const step = { kind: 'collective' as const, what, octets, chunks, group, algorithm: own };
  return weaveSteps({ ranks, steps: [step], repeat: 1, slowdown: new Map() });
}

/** By rank. */
function sentOctets(graph: JobGraph): number[] {
  const sent = Array.from({ length: graph.ranks }, () => 0);
  for (let one = 0; one < graph.count; one++) {
    if (graph.kind[one] === SEND) sent[rankOf(graph, one)]! += graph.amount[one]!;
  }
  return sent;
}

const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

describe('parts of a vector', () => {
  it('have the octets of the vector, however many there are', () => {
    for (const [octets, parts] of [
      [10, 3],
      [7, 7],
      [3, 8],
      [1 << 20, 64],
    ] as const) {
      assert.equal(total(partsOf(octets, parts)), octets);
    }
  });
});

describe('a collective', () => {
  const counts = [2, 3, 4, 5, 7, 8, 16, 64];
  for (const [what, { algorithms }] of Object.entries(COLLECTIVES)) {
    for (const algorithm of Object.keys(algorithms)) {
      it(`${what} by ${algorithm} ends, for any number of ranks and chunks`, () => {
        for (const ranks of counts) {
          if (algorithm === 'halving-doubling' && !Number.isInteger(Math.log2(ranks))) continue;
          for (const chunks of [1, 3]) {
            const graph = collective({ what, ranks, algorithm, chunks });
            assert.deepEqual(defectsOf(graph), [], `${ranks} ranks, ${chunks} chunks`);
          }
        }
      });
    }
  }

  it('all-reduce sends 2 (n - 1) parts of the vector from each rank', () => {
    for (const ranks of counts) {
      const sent = sentOctets(collective({ what: 'all-reduce', ranks, octets: 840 * ranks }));
      assert.deepEqual(sent, Array(ranks).fill(2 * (ranks - 1) * 840));
    }
  });

  it('all-gather and reduce-scatter send n - 1 parts, all-to-all as well', () => {
    for (const what of ['all-gather', 'reduce-scatter', 'all-to-all']) {
      for (const ranks of counts) {
        const sent = sentOctets(collective({ what, ranks, octets: 840 * ranks }));
        assert.deepEqual(sent, Array(ranks).fill((ranks - 1) * 840), what);
      }
    }
  });

  it('by a tree sends the vector up once and down once, over each edge', () => {
    const sent = sentOctets(collective({ what: 'all-reduce', ranks: 8, algorithm: 'tree' }));
    assert.equal(total(sent), 2 * 7 * 1000);
    // Two trees, and no rank is inner in both: nobody sends more than twice the vector.
    assert.ok(Math.max(...sent) <= 2000, String(sent));
  });

  it('a broadcast and a reduction cross n - 1 edges', () => {
    for (const what of ['broadcast', 'reduce']) {
      for (const ranks of counts) {
        assert.equal(total(sentOctets(collective({ what, ranks }))), (ranks - 1) * 1000);
      }
    }
  });
});

describe("NCCL's tree", () => {
  it('is the one of 8 ranks that its source draws', () => {
    const parents = Array.from({ length: 8 }, (_, rank) => binaryTree(rank, 8).parent);
    assert.deepEqual(parents, [null, 2, 4, 2, 0, 6, 4, 6]);
  });

  it('has each rank once, as a child of its parent', () => {
    for (let ranks = 2; ranks < 70; ranks++) {
      const children = Array.from({ length: ranks }, (_, rank) => binaryTree(rank, ranks).children);
      assert.deepEqual(
        children.flat().toSorted((a, b) => a - b),
        Array.from({ length: ranks - 1 }, (_, i) => i + 1),
        `${ranks} ranks`,
      );
      children.forEach((own, rank) => {
        for (const child of own) assert.equal(binaryTree(child, ranks).parent, rank);
      });
    }
  });
});

describe('a job of steps', () => {
  it('has slower computations at a straggler, and at nobody else', () => {
    const group = [0, 1];
    const graph = weaveSteps({
      ...{ ranks: 2, repeat: 3, slowdown: new Map([[1, 1.5]]) },
      steps: [{ kind: 'compute', durationPs: 1000, group }],
    });
    assert.deepEqual([...graph.amount], [1000, 1000, 1000, 1500, 1500, 1500]);
  });
});
