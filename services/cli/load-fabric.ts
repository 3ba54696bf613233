import type { Fabric } from '../fabric/assembly/fabric.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
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
