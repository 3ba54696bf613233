import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placeInServices } from '../../../services/fabric/placement/parts.js';
import type { LinkPlace, ServicePlan } from '../../../services/fabric/placement/service-plan.js';
import { devicesOf, planServices } from '../../../services/fabric/placement/service-plan.js';
import { fabricOf } from '../../kit/emulate.js';

const fabric = fabricOf('examples/leaf-spine-all-to-all.yaml');
const placement = placeInServices(fabric, 3);

/** The link of a link as its end here sees it: own device and port, then those of the partner. */
function linkOf({ parts }: ServicePlan, { part, channel, link }: LinkPlace): string[] {
  const plan = parts[part]!;
  const { inPorts, outPorts } = plan.channels[channel]!;
  const devices = [...plan.specs, ...plan.proxyDevices];
  return [inPorts, outPorts].map((ports) => {
    const { place, port } = ports[link]!;
    return `${devices[place]!.name}:${port}`;
  });
}

it('services have their devices, whatever the number of threads, each in one of these', () => {
  for (const threads of [1, 2, 3]) {
    const plans = planServices(fabric, { placement, threads, jams: false });
    assert.deepEqual(
      plans.map((plan) => devicesOf(plan).sort((a, b) => a - b)),
      placement.map(({ devices }) => devices),
    );
    for (const { parts } of plans) assert.equal(parts.length, threads);
  }
});

it('two services have one channel, whose links are in the same order at both ends', () => {
  const plans = planServices(fabric, { placement, threads: 3, jams: false });
  let count = 0;
  for (const plan of plans) {
    assert.equal(new Set(plan.channels.map(({ peer }) => peer)).size, plan.channels.length);
    for (const { peer, links, lookaheadOutPs } of plan.channels) {
      const other = plans[peer]!;
      const back = other.channels.find((channel) => channel.peer === plan.service)!;
      assert.deepEqual(
        links.map((link) => linkOf(plan, link)),
        back.links.map((link) => linkOf(other, link).reverse()),
      );
      assert.equal(lookaheadOutPs, back.lookaheadInPs);
      count += links.length;
    }
  }
  assert.ok(count > 0);
});

it('a service has no more threads than devices', () => {
  const alone = [...placement.slice(1), { name: 'one', devices: [placement[0]!.devices[0]!] }];
  const rest = { name: 'rest', devices: placement[0]!.devices.slice(1) };
  const plans = planServices(fabric, { placement: [...alone, rest], threads: 4, jams: false });
  assert.equal(plans[2]!.parts.length, 1);
});
