import { before, describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { placementOf } from '../../services/fabric/placement/placement-of.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { examplesInProcesses } from '../kit/crossing.js';
import { fabricOf } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { assertGolden, RECORD } from '../kit/golden.js';
import { isLong, skipUnlessLong } from '../kit/long-suite.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';

/** A placement as a scenario would say it: two services. */
function atRandom(fabric: Fabric, random: RandomStream): string {
  const groups: string[][] = [[], []];
  for (const { name } of fabric.topology.devices) groups[random.below(2)]!.push(name);
  const named = groups.flatMap((names, i) => (names.length === 0 ? [] : [[`part${i}`, names]]));
  return `placement=${JSON.stringify(Object.fromEntries(named))}`;
}

/**
 * Whose devices are in threes, and in the long suite alone, a process for each: one of each kind of
 * mechanism. `secrets` and `hostile` have no other placement than that.
 */
const IN_THREES = ['credit-tenants', 'mixed-methods', 'nic-groups'];

const recorded = { set: RECORD };

for (const name of examplesInProcesses) {
  describe(`${name} in processes`, { skip }, () => {
    const example = name.replace(/\.yaml$/, '');
    let fabric: Fabric;
    before(() => {
      fabric = fabricOf(`examples/${name}`);
    });

    const isInThrees = IN_THREES.includes(example);
    const skip = isInThrees ? skipUnlessLong : false;
    it('gives the results of one process with a placement that it says', { skip }, async () => {
      const set = atRandom(fabric, new RandomStream(2, name));
      const placed = fabricOf(`examples/${name}`, set);
      const options = fleetFor(name, placed.placement.length, [], {
        set: [...RECORD, set],
      });
      assertGolden(name, await runFleet(options));
    });

    if (isLong && isInThrees) {
      it('gives them with a service per device', async () => {
        assertGolden(name, await runFleet(fleetFor(name, fabric.specs.length, [], recorded)));
      });
    }

    if (isInThrees) {
      it('gives them with three devices per service', async () => {
        const request = { devicesPerService: 3, services: null };
        const services = placementOf(fabric, request).length;
        const options = fleetFor(name, services, ['--devices-per-service', '3'], recorded);
        assertGolden(name, await runFleet(options));
      });
    }
  });
}
