import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Flow } from '../../../../services/fabric/load/flow.js';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import { build } from '../topology/fabrics.js';
import { allReduce, expand } from './loads.js';

type Algorithm = 'ring' | 'halving-doubling' | 'tree';

function reduction(algorithm: Algorithm, hosts: number, bytes: number, chunks: number): Flow[] {
  const topology = build({ kind: 'star', hosts });
  return expand([allReduce({ algorithm, bytes, chunks })], { topology });
}

function sentBy(flows: readonly Flow[], host: number): number {
  return flows
    .filter((flow) => flow.source === host)
    .reduce((sum, flow) => sum + flow.messages * flow.messageBytes, 0);
}

/**
 * Delivers messages in rounds, each as early as its prerequisites allow, and returns in how many
 * rounds all were delivered; fails when some never may start.
 */
function roundsOf(flows: readonly Flow[]): number {
  const delivered = flows.map(() => 0);
  for (let round = 0; ; round++) {
    if (flows.every((flow, i) => delivered[i] === flow.messages)) return round;
    const before = [...delivered];
    flows.forEach((flow, i) => {
      const free = Math.min(...flow.after.map((p) => before[p.flow]! + p.lead), flow.messages);
      if (before[i]! < free) delivered[i]!++;
    });
    assert.notDeepEqual(delivered, before, 'the reduction stands still');
  }
}

/**
 * Delivers one message after the other, in any order that the prerequisites allow, and returns how
 * many hosts' parts each host has in the end: a message carries all parts that its sender has.
 */
function knowledge(flows: readonly Flow[], hosts: number, random: RandomStream): number[] {
  const known = Array.from({ length: hosts }, (_, host) => new Set([host]));
  const delivered = flows.map(() => 0);
  for (;;) {
    const ready = flows.filter(({ messages, after }, i) => {
      return delivered[i]! < Math.min(messages, ...after.map((p) => delivered[p.flow]! + p.lead));
    });
    if (ready.length === 0) return known.map((set) => set.size);
    const flow = ready[random.below(ready.length)]!;
    delivered[flows.indexOf(flow)]!++;
    for (const host of known[flow.source]!) known[flow.destination]!.add(host);
  }
}

const ALGORITHMS: Algorithm[] = ['ring', 'halving-doubling', 'tree'];

describe('all-reduce', () => {
  for (const algorithm of ALGORITHMS) {
    it(`by ${algorithm} waits only for flows to the same host, and comes to its end`, () => {
      for (const chunks of [1, 3]) {
        const flows = reduction(algorithm, 8, 24_000, chunks);
        for (const flow of flows) {
          for (const { flow: other } of flow.after) {
            assert.equal(flows[other]!.destination, flow.source);
          }
        }
        roundsOf(flows);
      }
    });

    it(`by ${algorithm} brings something of every host to every host, in any order`, () => {
      const flows = reduction(algorithm, 8, 8000, 1);
      for (let seed = 0; seed < 50; seed++) {
        const heard = knowledge(flows, 8, new RandomStream(seed, algorithm));
        assert.deepEqual(heard, new Array(8).fill(8));
      }
    });
  }

  it('by ring and by halving moves 2(N-1)/N of the vector from every host', () => {
    for (const algorithm of ['ring', 'halving-doubling'] as const) {
      for (const [hosts, chunks] of [
        [2, 1],
        [4, 5],
        [8, 2],
      ] as const) {
        const bytes = hosts * chunks * 700;
        const flows = reduction(algorithm, hosts, bytes, chunks);
        for (let host = 0; host < hosts; host++) {
          assert.equal(sentBy(flows, host), (2 * (hosts - 1) * bytes) / hosts);
        }
      }
    }
  });

  it('by ring is one flow to the next host, a step ahead of what it waits for', () => {
    const flows = reduction('ring', 3, 3000, 2);
    assert.deepEqual(
      flows.map(({ name, messages, messageBytes, after }) => [name, messages, messageBytes, after]),
      [
        ['h1->h2', 8, 500, [{ flow: 2, lead: 2 }]],
        ['h2->h3', 8, 500, [{ flow: 0, lead: 2 }]],
        ['h3->h1', 8, 500, [{ flow: 1, lead: 2 }]],
      ],
    );
  });

  it('takes as many rounds as its algorithm has steps', () => {
    assert.equal(roundsOf(reduction('ring', 8, 8000, 1)), 14);
    assert.equal(roundsOf(reduction('halving-doubling', 8, 8000, 1)), 6);
    assert.equal(roundsOf(reduction('tree', 7, 8000, 1)), 4);
  });

  it('by tree moves the whole vector up and down every edge', () => {
    const flows = reduction('tree', 7, 7000, 2);
    assert.equal(flows.length, 12);
    assert.ok(flows.every((flow) => flow.messages * flow.messageBytes === 7000));
    assert.deepEqual(
      flows.slice(0, 6).map((flow) => [flow.source, flow.destination]),
      [
        [1, 0],
        [2, 0],
        [3, 1],
        [4, 1],
        [5, 2],
        [6, 2],
      ],
    );
  });

  it('rounds parts up, so that nothing of the vector is missing', () => {
    assert.equal(reduction('ring', 3, 100, 1)[0]!.messageBytes, 34);
  });

  it('finds its own flows behind those of other loads', () => {
    const flows = expand([
      allReduce({ name: 'a', hosts: ['h1..h4'] }),
      allReduce({ name: 'b', algorithm: 'tree', hosts: ['h1..h4'] }),
      allReduce({ name: 'c', algorithm: 'halving-doubling', hosts: ['h1..h4'] }),
    ]);
    for (const flow of flows) {
      for (const { flow: other } of flow.after) {
        assert.equal(flows[other]!.load, flow.load);
        assert.equal(flows[other]!.destination, flow.source);
      }
    }
  });

  it('refuses what cannot be done', () => {
    assert.throws(
      () => reduction('halving-doubling', 6, 600, 1),
      /^Error: load\.0\.hosts: halving-doubling needs a power of two of hosts, and these are 6/,
    );
    assert.throws(() => reduction('ring', 1, 600, 1), /one host; at least two are needed/);
    assert.throws(() => reduction('ring', 2, 600, 0), /load\.0\.chunks: 0 chunks/);
    assert.throws(
      () => expand([allReduce({ transport: { kind: 'raw', frameBytes: 1500 } })]),
      /load\.0\.transport: .* must be reliable/,
    );
  });
});
