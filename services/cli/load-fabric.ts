import type { Fabric } from '../fabric/assembly/fabric.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { loadScenario } from '../fabric/scenario/load-scenario.js';

/** A scenario file and the fabric that it describes, or its errors. */
export function loadFabric(
  file: string,
  set: readonly string[],
): { loaded: LoadedScenario; fabric: Fabric } {
  const loaded = loadScenario(file, { set: [...set] }, buildFabric);
  return { loaded, fabric: buildFabric(loaded) };
}
