import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { placementOf } from '../../services/fabric/placement/placement-of.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { assertGolden, RECORD_WIRE } from '../kit/golden.js';
import { isLong } from '../kit/long-suite.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';

/** A placement as a scenario would say it: two services. */
function atRandom(fabric: Fabric, random: RandomStream): string {
  const groups: string[][] = [[], []];
  for (const { name } of fabric.topology.devices) groups[random.below(2)]!.push(name);
  const named = groups.flatMap((names, i) => (names.length === 0 ? [] : [[`part${i}`, names]]));
  return `placement=${JSON.stringify(Object.fromEntries(named))}`;
}

/**
 * What crosses processes in ways of its own: a mechanism's messages, faults, discovery, groups,
 * plugins. The long suite runs all examples; `virtual-time.test` has all in services in memory.
 */
const CROSSING = [
  'chaos',
  'credit-loss',
  'credit-tenants',
  'discovery-cee-host',
  'discovery-classes',
  'discovery-credit-change',
  'failover',
  'flap',
  'forged-cnp',
  'forged-sfcm',
  'incast-aim',
  'incast-cbfc',
  'incast-ci',
  'incast-dcqcn',
  'incast-hpcc',
  'incast-pfc',
  'incast-qcn',
  'incast-swift',
  'incast-timely',
  'lossy-and-lossless',
  'mixed-methods',
  'mvtx2802-multicast',
  'nic-groups',
  'nic-qcn',
  'reboot-leaf',
  'ring-all-reduce',
  'sfc-proxy',
  'slow-receiver',
  'storm-watchdog',
  'victim-behind-sfc',
];

const examples = readdirSync(join(ROOT, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .filter((name) => isLong || CROSSING.includes(name.replace(/\.yaml$/, '')));

/** Whose devices are alone, and in threes, as well: one of each kind of mechanism. */
const APART = ['incast-pfc', 'credit-tenants', 'victim-behind-sfc', 'incast-dcqcn', 'nic-groups'];

const recorded = { set: [RECORD_WIRE] };

for (const name of examples) {
  describe(`${name} in processes`, { skip }, () => {
    const fabric = fabricOf(`examples/${name}`);

    it('gives the results of one process with a placement that the scenario says', async () => {
      const set = atRandom(fabric, new RandomStream(2, name));
      const placed = fabricOf(`examples/${name}`, set);
      const options = fleetFor(name, placed.placement.length, [], {
        set: [RECORD_WIRE, set],
      });
      assertGolden(name, (await runFleet(options)).results);
    });

    if (!APART.some((example) => name === `${example}.yaml`)) return;

    it('gives them with a service per device', async () => {
      const { results } = await runFleet(fleetFor(name, fabric.specs.length, [], recorded));
      assertGolden(name, results);
    });

    it('gives them with three devices per service', async () => {
      const request = { devicesPerService: 3, services: null };
      const services = placementOf(fabric, request).length;
      const options = fleetFor(name, services, ['--devices-per-service', '3'], recorded);
      assertGolden(name, (await runFleet(options)).results);
    });
  });
}
