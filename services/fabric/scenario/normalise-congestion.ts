/** Sections of rate controls: each checked by its slice. */

import type { PluginSource } from '../../plugins/source.js';
import { rateControlsWith, switchPluginKeys } from '../../plugins/plugins.js';
import type { Located } from './located.js';
import type { RateControlSections } from './scenario.js';

/** `input` has a section for each kind, as the schema of the scenario puts them there. */
export function rateControlSections(
  input: Readonly<Record<string, unknown>>,
  plugins: readonly PluginSource[],
  located: Located,
): RateControlSections {
  const sections = rateControlsWith(plugins).map((slice) => {
    const { kind } = slice;
    slice.check?.(input[kind], located);
    return [kind, input[kind]] as const;
  });
  return Object.fromEntries(sections);
}

/** Sections of plugins of switches, by their names. */
export function switchPluginSections(
  input: Readonly<Record<string, unknown>>,
  plugins: readonly PluginSource[],
): Readonly<Record<string, object>> {
  const names = Object.keys(switchPluginKeys(plugins));
  return Object.fromEntries(
    names.map((name) => [name, Object.freeze({ ...(input[name] as object) })]),
  );
}
