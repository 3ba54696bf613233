import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placeInGroups, placeInServices } from '../../../services/fabric/placement/parts.js';
import { placeEachAlone } from '../../../services/fabric/placement/placement.js';
import type { Placement } from '../../../services/fabric/placement/placement.js';
import { planPartitions } from '../../../services/fabric/placement/partition-plan.js';
import { fabricOf } from '../../kit/emulate.js';

const fatTree = fabricOf('fabric: { generator: fat-tree, k: 4 }\n');
const star = 'fabric: { generator: star, hosts: 3 }\n';

function devicesOf(placement: Placement): number[] {
  return placement.flatMap(({ devices }) => devices).sort((a, b) => a - b);
}

it('every placement has every device once', () => {
  const all = fatTree.topology.devices.map((_, device) => device);
  assert.deepEqual(devicesOf(placeEachAlone(fatTree.topology)), all);
  for (const count of [1, 2, 3, 7, 36, 99]) {
    assert.deepEqual(devicesOf(placeInGroups(fatTree, count)), all);
    assert.deepEqual(devicesOf(placeInServices(fatTree, count)), all);
    assert.ok(placeInGroups(fatTree, count).every(({ devices }) => devices.length <= count));
  }
});

it('two services of a fat-tree have two pods each, and equal work within a tenth', () => {
  const [left, right] = placeInServices(fatTree, 2);
  const names = (part: typeof left): string[] =>
    part!.devices.map((device) => fatTree.topology.devices[device]!.name);
  const ports = (part: typeof left): number =>
    part!.devices.reduce((sum, device) => sum + fatTree.specs[device]!.ports.length, 0);
  assert.ok(Math.abs(ports(left) / ports(right) - 1) < 0.1);
  assert.deepEqual(
    names(left).filter((name) => name.startsWith('h')),
    ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8'],
  );
});

it('a scenario places devices by name, and the rest alone', () => {
  const { placement } = fabricOf(`${star}placement: { pair: [h1, s1] }\n`);
  assert.deepEqual(
    placement.map(({ name, devices }) => [name, devices]),
    [
      ['pair', [0, 3]],
      ['h2', [1]],
      ['h3', [2]],
    ],
  );
});

it('a device placed twice, an unknown one, and a name that is taken are refused in place', () => {
  const refused = (placement: string, message: RegExp): void => {
    assert.throws(() => fabricOf(`${star}placement: ${placement}\n`), message);
  };
  refused('{ a: [h1], b: [h1, h2] }', /:3:\d+: h1 is already placed in a/);
  refused('{ a: [h9] }', /there is no device h9/);
  refused('{ h2: [h1] }', /h2 is a device with a service of its own/);
});

it('both ends of a channel number its in-flight queues alike', () => {
  const plans = planPartitions(fatTree, placeInGroups(fatTree, 5));
  for (const plan of plans) {
    const nameOf = (of: typeof plan, place: number): string =>
      [...of.specs, ...of.proxyDevices][place]!.name;
    for (const { peer, outPorts, lookaheadOutPs } of plan.channels) {
      const back = plans[peer]!.channels.find((channel) => channel.peer === plan.service)!;
      assert.deepEqual(
        outPorts.map(({ place, port }) => [nameOf(plan, place), port]),
        back.inPorts.map(({ place, port }) => [nameOf(plans[peer]!, place), port]),
      );
      assert.equal(lookaheadOutPs, back.lookaheadInPs);
    }
  }
});
