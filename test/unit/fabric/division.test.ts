import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cut } from '../../../services/fabric/placement/cut.js';
import type { WorkGraph } from '../../../services/fabric/placement/division.js';
import { Division } from '../../../services/fabric/placement/division.js';
import { hostCount } from '../../../services/fabric/topology/topology.js';
import { fabricOf } from '../../kit/emulate.js';
import { fc } from '../../kit/properties.js';

const DEVICES = 24;
const PARTS = 4;
const device = fc.nat(DEVICES - 1);

/** Links between random pairs, some of them double, and a part for each device. */
const divided = fc.record({
  links: fc.array(fc.tuple(device, device), { maxLength: 80 }),
  work: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: DEVICES, maxLength: DEVICES }),
  partOf: fc.array(fc.nat(PARTS - 1), { minLength: DEVICES, maxLength: DEVICES }),
});

function graphOf(links: readonly (readonly [number, number])[], work: number[]): WorkGraph {
  const neighbors = work.map(() => new Map<number, number>());
  for (const [a, b] of links) {
    if (a === b) continue;
    neighbors[a]!.set(b, (neighbors[a]!.get(b) ?? 0) + 1);
    neighbors[b]!.set(a, (neighbors[b]!.get(a) ?? 0) + 1);
  }
  return { neighbors, work };
}

/** Counted from the links, independently of the division. */
function cutOf({ neighbors }: WorkGraph, groups: readonly (readonly number[])[]): number {
  const partOf = new Map(groups.flatMap((devices, part) => devices.map((d) => [d, part])));
  const ends = neighbors.flatMap((others, d) =>
    [...others].flatMap(([other, links]) => (partOf.get(other) === partOf.get(d) ? [] : links)),
  );
  return ends.reduce((sum, links) => sum + links, 0) / 2;
}

it('refinement never cuts more links, exceeds the limit, empties a part or loses a device', () => {
  fc.assert(
    fc.property(divided, ({ links, work, partOf }) => {
      const graph = graphOf(links, work);
      const division = new Division(graph, [...partOf], PARTS);
      const { cut: before, heaviest } = division;
      const used = new Set(partOf).size;
      assert.equal(before, cutOf(graph, division.groups()));
      division.refine(heaviest);
      assert.equal(division.cut, cutOf(graph, division.groups()));
      assert.ok(division.cut <= before && division.heaviest <= heaviest);
      assert.equal(division.groups().filter(({ length }) => length > 0).length, used);
      const all = division.groups().flat();
      assert.deepEqual(
        all.sort((a, b) => a - b),
        work.map((_, d) => d),
      );
    }),
  );
});

/** A fabric, its parts, and the links that METIS 5.1 cuts when it may be 5 % uneven. */
const KNOWN = [
  ['generator: fat-tree, k: 4', 4, 14],
  ['generator: fat-tree, k: 8', 4, 96],
  ['generator: fat-tree, k: 8', 16, 191],
  ['generator: leaf-spine, leaves: 16, spines: 4, hostsPerLeaf: 16', 16, 60],
] as const;

for (const [fabric, parts, links] of KNOWN) {
  it(`${fabric} in ${parts} parts: no more than the ${links} links that METIS cuts`, () => {
    const { topology, specs } = fabricOf(`fabric: { ${fabric} }\n`);
    const ends = topology.links.map(({ a, b }) => [a.device, b.device] as const);
    const work = specs.map(({ ports }) => ports.length);
    const hops = ends.flatMap(([a, b]) => [
      { from: a, to: b, lookaheadPs: 1 },
      { from: b, to: a, lookaheadPs: 1 },
    ]);
    const groups = cut({ hosts: hostCount(topology), hops, pairs: [], work }, parts);
    assert.ok(cutOf(graphOf(ends, work), groups) <= links);
  });
}
