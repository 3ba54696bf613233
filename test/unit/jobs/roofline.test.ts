/** The roofline of a job: what no network beats, and an idle star comes close to. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SEND, type SendsDone } from '../../../services/engine/contract/operations.js';
import type { JobGraph } from '../../../services/jobs/graph.js';
import { rooflineOf } from '../../../services/jobs/roofline.js';
import { type StepSpec, weaveSteps } from '../../../services/jobs/steps/steps.js';
import { goal } from './samples.js';

const LATENCY = 1000;

interface Network {
  readonly hosts?: number;
  readonly sendsDone?: SendsDone;
  readonly latencyPs?: number;
}

/** On hosts that send and receive an octet in a picosecond; rank r is at host r modulo these. */
function roofline(graph: JobGraph, network: Network = {}): number {
  const { hosts = graph.ranks, sendsDone = 'handed', latencyPs = LATENCY } = network;
  const column = (value: (octets: number) => number): Float64Array =>
    Float64Array.from(graph.amount, (octets, one) =>
      graph.kind[one] === SEND ? value(octets) : 0,
    );
  return rooflineOf({
    ...{ graph, sendsDone },
    hostOfRank: Int32Array.from({ length: graph.ranks }, (_, rank) => rank % hosts),
    times: {
      crossPs: column((octets) => octets + latencyPs),
      sendingPs: column((octets) => octets),
      receivingPs: column((octets) => octets),
      handedPs: column((octets) => octets),
    },
  });
}

type StepOf = (group: readonly number[]) => StepSpec;

const steps = (ranks: number, ...all: readonly StepOf[]): JobGraph => {
  const group = Array.from({ length: ranks }, (_, rank) => rank);
  const own = all.map((step) => step(group));
  return weaveSteps({ ranks, steps: own, repeat: 1, slowdown: new Map() });
};

const compute =
  (durationPs: number): StepOf =>
  (group) => ({ kind: 'compute', durationPs, group });

const collective =
  (what: string, octets: number, algorithm: string): StepOf =>
  (group) => ({ kind: 'collective', what, octets, algorithm, chunks: 1, group });

describe('the roofline of a job', () => {
  it('is the longest path where nothing waits for a turn', () => {
    const ring = steps(4, compute(500), collective('all-reduce', 4000, 'ring'), compute(70));
    assert.equal(roofline(ring), 500 + 6 * (1000 + LATENCY) + 70);
  });

  it('is what a link has to do where messages share it', () => {
    const all = steps(5, compute(300), collective('all-to-all', 5000, 'direct'), compute(40));
    assert.equal(roofline(all), 300 + 4 * 1000 + LATENCY + 40);
  });

  it('has an incast wait for the link of its receiver', () => {
    const sends = [1, 2, 3].map((rank) => `rank ${rank} {\ns: send 1000b to 0\n}`).join('\n');
    const receives = [1, 2, 3].map((rank) => `r${rank}: recv 1000b from ${rank}`).join('\n');
    const text = `num_ranks 4\nrank 0 {\n${receives}\n}\n${sends}\n`;
    assert.equal(roofline(goal(text)), 3 * 1000 + LATENCY);
  });

  it('takes the longest tail first, as the best schedule does', () => {
    // What is computed behind the first message is long: it goes first, whoever is asked first.
    const text = `num_ranks 3
rank 0 {
a: send 1000b to 1
b: send 1000b to 2
}
rank 1 {
r: recv 1000b from 0
}
rank 2 {
r: recv 1000b from 0
c: calc 50
c requires r
}
`;
    assert.equal(roofline(goal(text)), 1000 + LATENCY + 50_000);
  });

  it('has a stream do one thing after the other', () => {
    const text = 'num_ranks 1\nrank 0 {\na: calc 3\nb: calc 4\nc: calc 5 cpu 1\n}\n';
    assert.equal(roofline(goal(text)), 7000);
  });

  it('counts on nothing of a receive that may take any message', () => {
    const text = `num_ranks 2
rank 0 {
s: send 9000b to 1
}
rank 1 {
r: recv 9000b from -1
}
`;
    assert.equal(roofline(goal(text)), 9000 + LATENCY);
  });

  it('waits for acknowledgements where sends do', () => {
    const text = `num_ranks 2
rank 0 {
s: send 1000b to 1
c: calc 1
c requires s
}
rank 1 {
r: recv 1000b from 0
}
`;
    assert.equal(roofline(goal(text)), 1000 + 1000);
    assert.equal(roofline(goal(text), { sendsDone: 'acknowledged' }), 1000 + LATENCY + 1000);
  });

  it('is shared by ranks of one host', () => {
    const all = steps(4, collective('all-to-all', 4000, 'direct'));
    const alone = roofline(all);
    assert.ok(roofline(all, { hosts: 2 }) > alone);
  });
});
