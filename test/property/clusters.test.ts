/** Clusters of random fabrics with mixed delays: whatever they are, devices do what they always do. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../../services/engine/device/engine.js';
import type { Cluster, Hop } from '../../services/fabric/assembly/clusters.js';
import { clustersOf } from '../../services/fabric/assembly/clusters.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { hopsOf } from '../../services/fabric/assembly/lookahead.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { fabricOf } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';
import { narrowWindows } from '../kit/narrow-windows.js';
import { fc } from '../kit/properties.js';

const UNTIL_PS = 12e6;

const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const metres = pick('0m', '1m', '3m', '10m', '30m', '31m', '80m', '200m', '1km');

/** A tree of switches with links more, which may close circles of odd length, and hosts at them. */
const graph = fc.record({
  switches: fc.array(fc.record({ at: fc.nat(), metres }), { maxLength: 6 }),
  more: fc.array(fc.record({ from: fc.nat(), to: fc.nat(), metres }), { maxLength: 4 }),
  hosts: fc.array(fc.record({ at: fc.nat(), metres }), { minLength: 2, maxLength: 8 }),
  pipelineNs: pick(0, 40, 500),
  cutThrough: fc.boolean(),
  /** Where windows end between, and the devices that are executed first. */
  stopsPs: fc.array(fc.nat(UNTIL_PS), { maxLength: 3 }),
  border: fc.array(fc.nat(), { maxLength: 3 }),
});

type Graph = typeof graph extends fc.Arbitrary<infer T> ? T : never;

function fabricFrom({ switches, more, hosts, pipelineNs, cutThrough }: Graph): Fabric {
  const names = ['s1', ...switches.map((_, i) => `s${i + 2}`)];
  const name = (n: number): string => names[n % names.length]!;
  const link = (a: string, b: string, length: string): string =>
    `    - { between: [${a}, ${b}], length: ${length} }`;
  const links = [
    ...switches.map(({ at, metres: length }, i) =>
      link(names[i + 1]!, names[at % (i + 1)]!, length),
    ),
    ...more.flatMap(({ from, to, metres: length }) =>
      name(from) === name(to) ? [] : link(name(from), name(to), length),
    ),
    ...hosts.map(({ at, metres: length }, i) => link(`h${i + 1}`, name(at), length)),
  ];
  const devices = [
    ...hosts.map((_, i) => `    - { name: h${i + 1}, kind: host }`),
    ...names.map((own) => `    - { name: ${own}, kind: switch }`),
  ];
  return fabricOf(`fabric:
  devices:
${devices.join('\n')}
  links:
${links.join('\n')}
duration: ${UNTIL_PS / 1e6}us
switches: { pipeline: ${pipelineNs}ns, cutThrough: ${cutThrough}, buffer: { size: 8MB } }
priorities: { 3: { flowControl: pfc, xoff: 20KB, xonGap: 4KB, ecn: { step: 10KB } } }
load:
  - { permutation: { hosts: all, shift: 1 }, rate: line, priority: 3, transport: raw }
  - { incast: { from: h2..h${hosts.length}, to: h1 }, bytes: 30KB, priority: 3 }
`);
}

function devicesOf({ near, far }: Cluster): number[] {
  return [near, far].flatMap(({ devices, clusters }) => [
    ...devices,
    ...clusters.flatMap(devicesOf),
  ]);
}

/** No hop joins two members of a side, and none is shorter than the cluster says. */
function checkSides({ near, far, therePs, backPs, aroundPs }: Cluster, hops: readonly Hop[]): void {
  const sides = [near, far].map(({ devices, clusters }) => [
    ...devices.map((device) => [device]),
    ...clusters.map(devicesOf),
  ]);
  const memberOf = new Map<number, number>();
  const sideOf = new Map<number, number>();
  sides.forEach((members, side) => {
    members.forEach((devices) => {
      for (const device of devices) {
        memberOf.set(device, devices[0]!);
        sideOf.set(device, side);
      }
    });
  });
  const hasTwo = sides[1]!.length > 0;
  for (const { from, to, lookaheadPs } of hops) {
    if (!sideOf.has(from) || !sideOf.has(to) || memberOf.get(from) === memberOf.get(to)) continue;
    if (hasTwo) assert.notEqual(sideOf.get(from), sideOf.get(to));
    assert.ok(lookaheadPs >= (sideOf.get(from) === 0 ? therePs : backPs));
  }
  assert.equal(aroundPs, hasTwo ? therePs + backPs : therePs);
  for (const { clusters } of [near, far]) for (const inner of clusters) checkSides(inner, hops);
}

function digestsOf({ shared, devices }: Engine): string[] {
  return devices.map((_, d) => shared.digests.hex(d));
}

it('devices in clusters execute what they execute in windows of the least lookahead', () => {
  const property = fc.property(graph, (drawn) => {
    const fabric = fabricFrom(drawn);
    checkSides(fabric.cluster, hopsOf(fabric.specs, fabric.linkEnds.flat()));
    const count = fabric.specs.length;
    const all = devicesOf(fabric.cluster).sort((a, b) => a - b);
    assert.deepEqual(all, [...fabric.specs.keys()]);
    const expected = wholeEngine(fabric);
    narrowWindows(expected, fabric.lookaheadPs).run(UNTIL_PS);
    const engine = wholeEngine(fabric);
    const border = drawn.border.map((device) => device % count);
    const windows = new Windows(engine, fabric.cluster, border);
    for (const stopPs of drawn.stopsPs.sort((a, b) => a - b)) {
      windows.runFirst(stopPs);
      const { horizon } = engine.shared;
      for (const device of border) assert.ok(horizon[device]! >= stopPs);
      windows.run(stopPs);
      assert.ok(windows.nextTime() >= stopPs);
    }
    windows.run(UNTIL_PS);
    assert.deepEqual(digestsOf(engine), digestsOf(expected));
  });
  fc.assert(property, { numRuns: isLong ? 2_000 : 25 });
});

const link = (from: number, to: number, therePs: number, backPs = therePs): Hop[] => [
  { from, to, lookaheadPs: therePs },
  { from: to, to: from, lookaheadPs: backPs },
];

it('a rack is a cluster among longer links, and a pod around racks', () => {
  // Two racks of two hosts, 4 and 5 their switches; 6 is above them, 7 is farther away.
  const racks = [
    ...link(0, 4, 5, 1),
    ...link(1, 4, 6, 1),
    ...link(2, 5, 5, 1),
    ...link(3, 5, 5, 1),
  ];
  const hops = [...racks, ...link(4, 6, 20), ...link(5, 6, 22), ...link(6, 7, 100)];
  const rack = (first: number, top: number): Cluster => ({
    near: { devices: [first, first + 1], clusters: [] },
    far: { devices: [top], clusters: [] },
    ...{ therePs: 5, backPs: 1, aroundPs: 6 },
  });
  const pod: Cluster = {
    near: { devices: [], clusters: [rack(0, 4), rack(2, 5)] },
    far: { devices: [6], clusters: [] },
    ...{ therePs: 20, backPs: 20, aroundPs: 40 },
  };
  assert.deepEqual(clustersOf(8, hops), {
    near: { devices: [], clusters: [pod] },
    far: { devices: [7], clusters: [] },
    ...{ therePs: 100, backPs: 100, aroundPs: 200 },
  });
});

it('links in a circle of odd length leave one side, and pairs are never apart', () => {
  const circle = [...link(0, 1, 7), ...link(1, 2, 8), ...link(2, 0, 9)];
  const none = { devices: [], clusters: [] };
  assert.deepEqual(clustersOf(3, circle), {
    near: { devices: [0, 1, 2], clusters: [] },
    far: none,
    ...{ therePs: 7, backPs: 7, aroundPs: 7 },
  });
  const paired = clustersOf(4, [...link(0, 2, 7), ...link(1, 3, 7), ...link(2, 3, 7)], [[0, 1]]);
  const [pair] = paired.near.clusters;
  assert.deepEqual(pair!.near.devices, [0, 1]);
  assert.equal(pair!.aroundPs, Infinity);
  assert.deepEqual(devicesOf(paired).sort(), [0, 1, 2, 3]);
});

it('islands are members of one fabric that never wait for each other', () => {
  const { near, far, aroundPs } = clustersOf(5, [...link(0, 3, 7), ...link(1, 4, 9)]);
  assert.deepEqual([near.devices, near.clusters.length, far.devices], [[2], 2, []]);
  assert.equal(aroundPs, Infinity);
  assert.deepEqual(devicesOf(clustersOf(1, [])), [0]);
});
