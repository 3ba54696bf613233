/** What a scenario says of mechanisms: each section is declared, and checked, by its slice. */

import type { z } from 'zod';
import { MECHANISMS } from '../../mechanisms/registry.js';
import { mapping, overriding } from '../../settings/parts.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';

/** By name of a mechanism: its settings, or (of a device) those that differ. */
export type MechanismSections = Readonly<Record<string, object>>;
/** By name of a mechanism: whether it watches a priority. */
export type MechanismFlags = Readonly<Record<string, boolean>>;

type Keys = Readonly<Record<string, z.ZodType>>;

/** Spread into a schema: what it has of them is read by name. */
export function sectionKeys(): object {
  return Object.fromEntries(
    MECHANISMS.map(({ name, keys, help }) => [name, mapping(keys).describe(help).prefault({})]),
  );
}

export function changeKeys(): object {
  return Object.fromEntries(
    MECHANISMS.map(({ name, keys, helpOfChanges }) => [
      name,
      mapping(overriding(keys as Keys))
        .describe(helpOfChanges)
        .exactOptional(),
    ]),
  );
}

export function priorityFlagKeys(): object {
  return Object.fromEntries(MECHANISMS.map(({ name, priority }) => [name, priority]));
}

export function mechanismSections(input: object, path: Path, located: Located): MechanismSections {
  const sections = MECHANISMS.map((slice) => {
    const { name } = slice;
    const section = (input as Record<string, object | undefined>)[name] ?? {};
    slice.check?.(section, [...path, name], located);
    return [name, section] as const;
  });
  return Object.fromEntries(sections);
}

/** Those that `keys` of a priority has something to say of. */
export function mechanismFlags(keys: object): MechanismFlags {
  const flags = MECHANISMS.map(
    ({ name }) => [name, (keys as Record<string, boolean | undefined>)[name]] as const,
  );
  return Object.fromEntries(flags.filter(([, flag]) => flag !== undefined)) as MechanismFlags;
}

export function changedSections(
  sections: MechanismSections,
  changes: MechanismSections,
): MechanismSections {
  return Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, { ...section, ...changes[name] }]),
  );
}
