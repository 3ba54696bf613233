import type { Fabric } from '../fabric/assembly/fabric.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { largeFabric, preflightFabric, preflightRun, preflightSense } from './preflight.js';
import { loadScenario } from '../fabric/scenario/load-scenario.js';

export interface LoadedFabric {
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
}

/** A scenario file and the fabric that it describes, or its errors. */
export function loadFabric(file: string, set: readonly string[]): LoadedFabric {
  const loaded = loadScenario(file, { set: [...set] }, buildFabric);
  return { loaded, fabric: buildFabric(loaded) };
}

/** The same for a run, refused where it is too large, or tells nothing; `force`: it is not. */
export function loadRun(file: string, set: readonly string[], force = false): LoadedFabric {
  const loaded = loadScenario(file, { set: [...set] }, buildFabric);
  if (!force) preflightFabric(loaded);
  const large = largeFabric(loaded);
  if (large !== null) process.stderr.write(`${large}\n`);
  const fabric = buildFabric(loaded);
  if (force) return { loaded, fabric };
  preflightSense(loaded, fabric);
  preflightRun(loaded, fabric);
  return { loaded, fabric };
}
