import { settingsOfVariant } from '../fabric/scenario/variants.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { type Axis, settingsAt } from './grid.js';

/** The axis whose values are variants, as `selvage duel` names them; it is no key of scenarios. */
export const VARIANTS = 'mechanism';

/** Loads a scenario with settings. */
type Load = (set: readonly string[]) => {
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
};

/** The fabric of one combination of values, each of the axis at its place. */
export function fabricAt(
  axes: readonly Axis[],
  values: readonly string[],
  base: readonly string[],
  load: Load,
): Fabric {
  const isVariant = (i: number): boolean => axes[i]!.path === VARIANTS;
  const own = values.flatMap((value, i) => (isVariant(i) ? [] : settingsAt(axes[i]!, value)));
  const set = [...base, ...own];
  const { loaded, fabric } = load(set);
  const variants = values.filter((_, i) => isVariant(i));
  if (variants.length === 0) return fabric;
  const [variant] = variants as [string];
  return load([...set, ...settingsOfVariant(variant, loaded, fabric.topology)]).fabric;
}
