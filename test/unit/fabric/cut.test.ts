/** Cuts that know delay and load. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../../services/fabric/assembly/fabric.js';
import type { Placement } from '../../../services/fabric/placement/placement.js';
import {
  placeInGroups,
  placeInServices,
  placeInThreads,
  shortSteps,
} from '../../../services/fabric/placement/parts.js';
import { planPartitions } from '../../../services/fabric/placement/partition-plan.js';
import { workOf } from '../../../services/fabric/placement/work.js';
import { Windows } from '../../../services/runtime/embedded/windows.js';
import { wholeEngine } from '../../../services/runtime/whole-engine.js';
import { fabricOf } from '../../kit/emulate.js';

const RACKS = `
fabric: { generator: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4 }
duration: 20us
load: [{ permutation: { hosts: all, shift: 5 }, rate: line }]
`;

function lookaheadOf(fabric: Fabric, placement: Placement): number {
  const channels = planPartitions(fabric, placement).flatMap((plan) => plan.channels);
  return Math.min(...channels.map(({ lookaheadOutPs }) => lookaheadOutPs));
}

describe('a cut of racks', () => {
  const fabric = fabricOf(RACKS);
  const leafOf = (host: number): number => fabric.linkEnds[host]![0]!.peerDevice;

  it('leaves hosts with their switches, and the long links between services', () => {
    for (const services of [2, 3, 4, 5, 6]) {
      const placement = placeInServices(fabric, services);
      assert.equal(placement.length, services);
      for (const { devices } of placement) {
        for (const host of devices.filter((device) => device < 16))
          assert.ok(devices.includes(leafOf(host)), `${services} services`);
      }
      assert.equal(lookaheadOf(fabric, placement), 755_760);
      assert.equal(shortSteps(fabric, placement), null);
    }
  });

  it('goes through racks where there are more parts than racks and spines, and says so', () => {
    const placement = placeInServices(fabric, 8);
    assert.equal(placement.length, 8);
    assert.deepEqual(shortSteps(fabric, placement), {
      ...{ stepPs: 30_760, wholePs: 755_760, clusters: 6 },
    });
  });

  it('keeps to the size of a service', () => {
    const groups = placeInGroups(fabric, 5);
    assert.equal(shortSteps(fabric, groups), null);
    assert.deepEqual(
      groups.map(({ devices }) => devices.length).sort((a, b) => a - b),
      [2, 5, 5, 5, 5],
    );
    assert.ok(placeInGroups(fabric, 3).every(({ devices }) => devices.length <= 3));
  });

  it('goes through a rack if whole racks are so uneven that longer steps are not worth it', () => {
    const uneven = RACKS.replace('shift: 5 }', 'shift: 1 }').replace('hosts: all', 'hosts: h1..h4');
    const parts = placeInServices(fabricOf(uneven), 2);
    assert.equal(parts.length, 2);
  });
});

describe('the work of devices', () => {
  it('is what flows send over all their paths, as far as links carry it', () => {
    const fabric = fabricOf(`
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 3, link: { rate: 100G } }
duration: 1ms
load:
  - { stream: { from: h1, to: h4 }, bytes: 1000KB, transport: raw, frame: 1046 }
`);
    const work = workOf(fabric);
    const [h1 = 0, , , h4 = 0] = work;
    const [leaf1 = 0, leaf2 = 0, spine1 = 0, spine2 = 0] = work.slice(6);
    const near = (value: number, frames: number): boolean => Math.abs(value / frames - 1) < 0.1;
    assert.ok(near(h1, 1000) && near(h4, 1000));
    assert.ok(near(leaf1, 2000) && near(leaf2, 2000));
    assert.ok(near(spine1, 1000) && near(spine2, 1000));
    assert.ok(work.every((one) => one > 0));
  });

  it('of hosts that share a link is what the link carries', () => {
    const load = (from: string): string => `
fabric: { generator: star, hosts: 5 }
duration: 1ms
load: [{ incast: { from: ${from}, to: h1 }, transport: raw, bytes: 100MB }]
`;
    const [one, four] = ['h2', 'h2..h5'].map((from) => workOf(fabricOf(load(from)))) as [
      number[],
      number[],
    ];
    assert.ok(Math.abs(four[0]! / one[0]! - 1) < 0.05);
    assert.ok(Math.abs(four[1]! / one[1]! - 0.25) < 0.05);
  });

  it('is as even in parts as its events, where a quarter of the hosts is busy', () => {
    const fabric = fabricOf(`
fabric:
  generator: fat-tree
  k: 8
  hostLink: { length: 3m }
  fabricLink: { length: 200m }
duration: 30us
priorities: { 3: pfc }
load: [{ permutation: { hosts: h1..h32, shift: 17 }, rate: 90G, priority: 3 }]
`);
    const engine = wholeEngine(fabric);
    new Windows(engine, fabric.cluster).run(30e6);
    const { events } = engine.shared;
    for (const [parts, least] of [
      [2, 1.9],
      [4, 3.5],
    ] as const) {
      const placement = placeInServices(fabric, parts);
      const sums = placement.map(({ devices }) =>
        devices.reduce((sum, device) => sum + events[device]!, 0),
      );
      const speedUp = sums.reduce((a, b) => a + b) / Math.max(...sums);
      assert.ok(speedUp > least, `${parts}: ${speedUp}`);
      assert.equal(shortSteps(fabric, placement), null);
    }
  });
});

it('a cut has as many parts as were asked for, whatever the fabric and its load', () => {
  for (const fabric of [
    '{ generator: star, hosts: 9 }',
    '{ generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 20 }',
    '{ generator: fat-tree, k: 4 }',
    '{ generator: ring, switches: 5, hostsPerSwitch: 1 }',
  ]) {
    // Nobody sends, or one host does: most devices have no work.
    for (const load of ['', 'load: [{ stream: { from: h1, to: h2 }, bytes: 10KB }]\n']) {
      const own = fabricOf(`fabric: ${fabric}\n${load}`);
      for (let parts = 1; parts <= 9; parts++) {
        const placement = placeInServices(own, parts);
        assert.equal(placement.length, parts, `${fabric} ${load}`);
        const placed = placement.flatMap(({ devices }) => devices).sort((a, b) => a - b);
        assert.deepEqual(placed, [...own.specs.keys()]);
      }
    }
  }
});

it('two ports of one NIC are in one thread, though their service has nothing else', () => {
  const fabric = fabricOf(
    'fabric: { generator: star, hosts: 2 }\n' +
      'hosts: { nic: { model: 82599 } }\ndevices: { h2: { nic: { secondPortOf: h1 } } }\n',
  );
  const services = placeInServices(fabric, 2);
  const threads = placeInThreads(fabric, services, 2).flat();
  const withPair = threads.filter(({ devices }) => devices.includes(0) || devices.includes(1));
  assert.deepEqual(
    withPair.map(({ devices }) => devices),
    [[0, 1]],
  );
});
