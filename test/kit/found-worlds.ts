import { parse } from 'yaml';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import { isLong } from './long-suite.js';

export const SEEDS = isLong ? [1, 2, 3] : [1, 2];

export function fabricOfYaml(yaml: string): Fabric {
  const document: unknown = parse(`selvage: 1\n${yaml}`);
  return buildFabric(scenarioOfDocument('world.yaml', document));
}

/** Of several choices of windows, cuts and placements; null if nothing is. */
export function wrongWith(yaml: string): (string | null)[] {
  const fabric = fabricOfYaml(yaml);
  return SEEDS.map((seed) => whatIsWrong(fabric, seed));
}

export const fine = SEEDS.map(() => null);
