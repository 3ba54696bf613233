import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { MechanismResults } from '../../mechanisms/registry.js';

/** Results of mechanisms, from an engine that has the whole fabric. */
export function mechanismResults(
  { mechanisms, topology }: Fabric,
  engine: Engine,
  nowPs: number,
): MechanismResults {
  const names = topology.devices.map(({ name }) => name);
  const results = mechanisms.map(({ slice, context, plan }) =>
    slice.results.collect({ engine, nowPs, context, plan, names }),
  );
  return Object.assign({}, ...results) as MechanismResults;
}
