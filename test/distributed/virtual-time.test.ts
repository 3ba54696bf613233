import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import type { Placement } from '../../services/fabric/placement/placement.js';
import { placeInGroups, placeInServices } from '../../services/fabric/placement/parts.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));
const SHORT_PS = 20e6;
/** Of a message: most have to be cut. */
const SMALL_PAYLOAD = 4096 + 10 * 64;

/** An example, cut short; not before its faults and its load begin. */
function shortened(name: string): Fabric {
  const { faults, load } = fabricOf(`examples/${name}`).scenario;
  const begun = [...faults, ...load].map(({ startPs }) => startPs + SHORT_PS / 4);
  return fabricOf(`examples/${name}`, `duration=${Math.max(SHORT_PS, ...begun)}ps`);
}

function atRandom(fabric: Fabric, random: RandomStream): Placement {
  const services = 1 + random.below(fabric.specs.length);
  const groups: number[][] = Array.from({ length: services }, () => []);
  fabric.specs.forEach((_, device) => groups[random.below(services)]!.push(device));
  return groups
    .filter((devices) => devices.length > 0)
    .map((devices, service) => ({ name: `service${service}`, devices }));
}

/** Those that each suite has in groups and with every device alone, too. */
const inAllWays = new Set(examples.filter((_, i) => isLong || i % 8 === 0));

for (const name of examples) {
  describe(`${name} in several services`, () => {
    let fabric: Fabric;
    let expected: RunResults;
    before(() => {
      fabric = shortened(name);
      expected = run(fabric);
    });
    const random = new RandomStream(5, name);

    it('gives the results of one process when services are lost and return to a checkpoint', () => {
      const placement = atRandom(fabric, random);
      const cluster = new Cluster(fabric, placement, random, {
        unkindness: { lose: 0.05, repeat: 0.1, reorder: 0.3 },
        maxPayload: SMALL_PAYLOAD,
      });
      cluster.run(5e6);
      cluster.recover(null);
      cluster.run(10e6);
      const saved = cluster.save();
      cluster.run(15e6);
      cluster.recover(saved);
      cluster.run();
      assert.deepEqual(cluster.results(), expected);
    });

    if (!inAllWays.has(name)) return;

    it('gives them with every device alone', () => {
      const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), random);
      cluster.run();
      assert.deepEqual(cluster.results(), expected);
    });

    it('gives them in groups when messages are repeated and overtake each other', () => {
      const placement = placeInGroups(fabric, 2);
      const cluster = new Cluster(fabric, placement, random, {
        unkindness: { lose: 0.1, repeat: 0.1, reorder: 0.3 },
        maxPayload: SMALL_PAYLOAD,
      });
      cluster.run();
      assert.deepEqual(cluster.results(), expected);
    });
  });
}

describe('a run with mechanisms that go on for ever', () => {
  for (const name of ['incast-credit.yaml', 'incast-cbfc.yaml']) {
    it(`ends after services were lost, too: ${name}`, () => {
      const fabric = fabricOf(`examples/${name}`, 'load.0.bytes=32KB');
      const expected = run(fabric);
      const random = new RandomStream(6, name);
      const cluster = new Cluster(fabric, placeInServices(fabric, 3), random);
      cluster.run(7e6);
      cluster.recover(null);
      cluster.run(9e6);
      const saved = cluster.save();
      cluster.run(14e6);
      cluster.recover(saved);
      cluster.run(16e6);
      cluster.recover(saved);
      cluster.run();
      assert.deepEqual(cluster.results(), expected);
    });
  }
});

describe('messages that take effect at one port at one time', () => {
  it('do so in the same order however devices are placed', () => {
    // PFC and LLDP of one link partner coincide at 8,613,762,720 ps.
    const fabric = fabricOf('examples/discovery-island.yaml', 'duration=8614us');
    const random = new RandomStream(7, 'messages');
    const cluster = new Cluster(fabric, placeInServices(fabric, 3), random);
    cluster.run();
    assert.deepEqual(cluster.results(), run(fabric));
  });
});
