import type { FabricSection } from '../scenario/scenario.js';
import type { Fail } from './cabling.js';
import { Cabling } from './cabling.js';
import { GENERATOR_PATH, generate } from './generators.js';
import type { Topology } from './topology.js';

/** The devices and links of the generator, and those that the scenario adds. */
export function buildTopology(section: FabricSection, fail: Fail): Topology {
  const cabling = new Cabling(fail);
  const plan = generate(section, fail);
  for (const device of plan.devices) cabling.place(device, GENERATOR_PATH);
  section.devices.forEach((device, i) => {
    cabling.place(device, ['fabric', 'devices', i]);
  });
  cabling.connect(plan.links, () => GENERATOR_PATH);
  cabling.connect(section.links, (i) => ['fabric', 'links', i]);
  const topology = cabling.finish();
  if (topology.devices.length === 0) throw fail(['fabric'], 'the fabric has no devices');
  return topology;
}
