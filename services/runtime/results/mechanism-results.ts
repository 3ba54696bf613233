import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { RunView } from '../../mechanisms/mechanism-slice.js';
import type { MechanismResults } from '../../mechanisms/registry.js';

/** Results of mechanisms, from an engine that has the whole fabric. */
export function mechanismResults(fabric: Fabric, engine: Engine, nowPs: number): MechanismResults {
  const views = viewsOf(fabric, engine, nowPs);
  const results = fabric.mechanisms.map(({ slice }, i) => slice.results.collect(views[i]!));
  return Object.assign({}, ...results) as MechanismResults;
}

/** The part of them that monitoring systems read while the run goes on. */
export function sampledResults(
  fabric: Fabric,
  engine: Engine,
  nowPs: number,
): Partial<MechanismResults> {
  const views = viewsOf(fabric, engine, nowPs);
  const samples = fabric.mechanisms.map(
    ({ slice }, i) => slice.results.instruments?.sample(views[i]!) ?? {},
  );
  return Object.assign({}, ...samples) as Partial<MechanismResults>;
}

function viewsOf({ mechanisms, topology }: Fabric, engine: Engine, nowPs: number): RunView[] {
  const names = topology.devices.map(({ name }) => name);
  return mechanisms.map(({ context, plan }) => ({ engine, nowPs, context, plan, names }));
}
