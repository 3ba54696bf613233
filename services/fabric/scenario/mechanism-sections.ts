/** Settings of mechanisms: each section is declared, and checked, by its slice. */

import { MECHANISMS } from '../../mechanisms/registry.js';
import { CollectedErrors } from '../../settings/collected-errors.js';
import { mapping, overriding } from '../../settings/parts.js';
import type { Places } from '../../mechanisms/rate-control-slice.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';

/** By name of a mechanism: its settings, or (of a device) those that differ. */
export type MechanismSections = Readonly<Record<string, object>>;
/** By name of a mechanism: the value of its key of a priority. */
export type PriorityKeys = Readonly<Record<string, unknown>>;

/** Spread into a schema: the result is read by name. */
export function sectionKeys(): object {
  return Object.fromEntries(
    MECHANISMS.flatMap(({ name, section }) =>
      section === undefined
        ? []
        : [[name, mapping(section.keys).describe(section.help).prefault({})]],
    ),
  );
}

export function changeKeys(): object {
  return Object.fromEntries(
    MECHANISMS.flatMap(({ name, section }) =>
      section === undefined
        ? []
        : [
            [
              name,
              mapping(overriding(section.keysOfDevices ?? section.keys))
                .describe(section.helpOfChanges)
                .exactOptional(),
            ],
          ],
    ),
  );
}

export function priorityKeys(): object {
  return Object.fromEntries(
    MECHANISMS.flatMap(({ name, priority }) =>
      priority === undefined ? [] : [[name, priority.schema]],
    ),
  );
}

export function mechanismSections(input: object, path: Path, located: Located): MechanismSections {
  const errors = new CollectedErrors();
  const sections = MECHANISMS.map(({ name, section: declared }) => {
    const section = (input as Record<string, object | undefined>)[name] ?? {};
    errors.attempt(() => {
      declared?.check?.(section, [...path, name], located);
    });
    return [name, section] as const;
  });
  errors.settle();
  return Object.fromEntries(sections);
}

/** The values of mechanisms' `keys` of a priority; only those that are set. */
export function mechanismKeys(keys: object): PriorityKeys {
  const named = MECHANISMS.map(
    ({ name }) => [name, (keys as Record<string, unknown>)[name]] as const,
  );
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

/** Throws where a mechanism's key of a priority, written at `path`, contradicts itself. */
export function checkMechanismKeys(keys: object, path: Path, places: Places): void {
  for (const { name, priority } of MECHANISMS) {
    const value = (keys as Record<string, unknown>)[name];
    if (value !== undefined) priority?.check?.(value, [...path, name], places);
  }
}

export function changedSections(
  sections: MechanismSections,
  changes: MechanismSections,
): MechanismSections {
  return Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, { ...section, ...changes[name] }]),
  );
}
