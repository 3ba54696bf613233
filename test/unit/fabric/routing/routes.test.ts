import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ROUTE } from '../../../../services/engine/routing/shortest-paths.js';
import { computeRoutes } from '../../../../services/fabric/routing/routes.js';
import type { Topology } from '../../../../services/fabric/topology/topology.js';
import { hostCount } from '../../../../services/fabric/topology/topology.js';
import { build, buildExplicit, SMALL } from '../topology/fabrics.js';
import { fc } from '../../../kit/properties.js';

/** Distances in links between all devices, hosts never on the way (Floyd and Warshall). */
function allDistances(topology: Topology): number[][] {
  const size = topology.devices.length;
  const distance = topology.devices.map((_, i) =>
    topology.devices.map((_, j) => (i === j ? 0 : Infinity)),
  );
  for (const { a, b } of topology.links) {
    distance[a.device]![b.device] = 1;
    distance[b.device]![a.device] = 1;
  }
  for (let via = hostCount(topology); via < size; via++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const way = distance[i]![via]! + distance[via]![j]!;
        if (way < distance[i]![j]!) distance[i]![j] = way;
      }
    }
  }
  return distance;
}

/** The device behind each port of a device. */
function neighbors(topology: Topology, device: number): Map<number, number> {
  const behind = new Map<number, number>();
  for (const { a, b } of topology.links) {
    if (a.device === device) behind.set(a.port, b.device);
    if (b.device === device) behind.set(b.port, a.device);
  }
  return behind;
}

/** Every set holds exactly the ports whose neighbor is one link nearer. */
function checkRoutes(topology: Topology): void {
  const distance = allDistances(topology);
  const routes = computeRoutes(topology);
  const hosts = hostCount(topology);
  for (let device = hosts; device < topology.devices.length; device++) {
    const { setOfHost, sets } = routes.of(device);
    const behind = neighbors(topology, device);
    for (let host = 0; host < hosts; host++) {
      const left = distance[device]![host]!;
      const nearer = left === Infinity ? NaN : left - 1;
      const expected = [...behind.keys()]
        .filter((port) => distance[behind.get(port)!]![host] === nearer)
        .filter((port) => behind.get(port)! >= hosts || behind.get(port) === host)
        .sort((a, b) => a - b);
      const set = setOfHost[host]!;
      assert.deepEqual(set === NO_ROUTE ? [] : [...sets[set]!], expected);
    }
  }
  for (let from = 0; from < hosts; from++) {
    for (let to = 0; to < hosts; to++) {
      assert.equal(routes.hopsBetween(from, to), distance[from]![to]);
      assert.equal(routes.reachable(from, to), distance[from]![to] !== Infinity);
    }
  }
}

/** Any number of switches with any links between them, parallel ones included, and hosts. */
const anyFabric = fc
  .tuple(
    fc.integer({ min: 1, max: 8 }),
    fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 16 }),
    fc.array(fc.nat(7), { minLength: 1, maxLength: 6 }),
  )
  .map(([switches, pairs, attached]) => {
    const name = (n: number): string => `s${(n % switches) + 1}`;
    const links = pairs.filter(([a, b]) => name(a) !== name(b));
    const names = [...attached.map((_, i) => `h${i + 1}`)];
    for (let n = 0; n < switches; n++) names.push(name(n));
    return buildExplicit(names.join(' '), [
      ...attached.map((n, i) => `h${i + 1} ${name(n)}`),
      ...links.map(([a, b]) => `${name(a)} ${name(b)}`),
    ]);
  });

describe('routes', () => {
  it('are all the shortest ones in every generated fabric, and every pair is reachable', () => {
    for (const generator of SMALL) {
      const fabric = build(generator);
      checkRoutes(fabric);
      const routes = computeRoutes(fabric);
      const hosts = hostCount(fabric);
      for (let a = 0; a < hosts; a++) {
        for (let b = 0; b < hosts; b++) assert.ok(routes.reachable(a, b), generator.kind);
      }
    }
  });

  it('are all the shortest ones in any fabric', () => {
    fc.assert(fc.property(anyFabric, checkRoutes), { numRuns: 60, seed: 1 });
  });

  it('are as long one way as the other', () => {
    fc.assert(
      fc.property(anyFabric, (fabric) => {
        const routes = computeRoutes(fabric);
        const hosts = hostCount(fabric);
        for (let a = 0; a < hosts; a++) {
          for (let b = 0; b < a; b++) {
            assert.equal(routes.hopsBetween(a, b), routes.hopsBetween(b, a));
          }
        }
      }),
      { numRuns: 60, seed: 2 },
    );
  });

  it('of a fat-tree split over k/2 ports on the way up and take one on the way down', () => {
    const k = 8;
    const fabric = build({ kind: 'fat-tree', k });
    const routes = computeRoutes(fabric);
    const sizes = new Map<string, Set<number>>();
    const far = hostCount(fabric) - 1;
    fabric.devices.forEach(({ kind, tier }, device) => {
      if (kind === 'host') return;
      const { setOfHost, sets } = routes.of(device);
      // The first pod climbs to the last host; the last pod descends to it.
      const number = Number(/\d+$/.exec(fabric.devices[device]!.name)![0]);
      const pod = tier === 'core' ? 0 : Math.ceil(number / (k / 2));
      const key = pod === k ? `${tier} below` : tier;
      if (pod !== 0 && pod !== 1 && pod !== k) return;
      sizes.set(key, (sizes.get(key) ?? new Set()).add(sets[setOfHost[far]!]!.length));
    });
    assert.deepEqual(Object.fromEntries([...sizes].map(([key, set]) => [key, [...set]])), {
      edge: [k / 2],
      aggregation: [k / 2],
      core: [1],
      // The edge switch of the host itself has one port to it, its neighbors climb again.
      'edge below': [k / 2, 1],
      'aggregation below': [1],
    });
  });

  it('of a fat-tree are 2, 4 or 6 links long', () => {
    const routes = computeRoutes(build({ kind: 'fat-tree', k: 4 }));
    assert.deepEqual(
      [0, 1, 2, 3, 4, 15].map((host) => routes.hopsBetween(0, host)),
      [0, 2, 4, 4, 6, 6],
    );
  });

  it('share sets of ports between hosts', () => {
    const routes = computeRoutes(build({ kind: 'fat-tree', k: 8 }));
    const core = routes.of(routes.adjacency.firstSlot.length - 2);
    assert.equal(core.sets.length, 8);
  });

  it('lead along links that follow each other from source to destination', () => {
    const fabric = build({ kind: 'fat-tree', k: 4 });
    const path = computeRoutes(fabric).pathBetween(0, 15)!;
    let at = 0;
    for (const link of path) {
      const { a, b } = fabric.links[link]!;
      assert.ok(a.device === at || b.device === at);
      at = a.device === at ? b.device : a.device;
    }
    assert.equal(at, 15);
  });

  it('do not exist between islands', () => {
    const routes = computeRoutes(buildExplicit('h1 h2 h3 s1 s2', ['h1 s1', 'h2 s1', 'h3 s2']));
    assert.equal(routes.reachable(0, 2), false);
    assert.equal(routes.hopsBetween(2, 1), Infinity);
    assert.equal(routes.pathBetween(0, 2), null);
    assert.equal(routes.hopsBetween(0, 1), 2);
  });

  it('of a pair are its cable', () => {
    const routes = computeRoutes(buildExplicit('h1 h2 h3 h4', ['h1 h2', 'h3 h4']));
    assert.deepEqual(routes.pathBetween(1, 0), [0]);
    assert.equal(routes.reachable(0, 2), false);
  });
});
