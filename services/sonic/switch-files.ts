/**
 * What belongs to one switch: one file, or several that each have a part of its tables, such as
 * buffers.json, qos.json, a minigraph and port_config.ini. A file that says whose it is begins a
 * switch; those behind it that do not are its own.
 */

import type { FileErrors } from './file-errors.js';
import type { Entry, Field, Tables } from './tables.js';

/** Tables whose keys are ports. */
const OF_PORTS = ['PORT', 'DEVICE_NEIGHBOR'];

export interface TablesOfFile {
  readonly file: string;
  readonly tables: Tables;
  /** Its ports have the names of their vendor. */
  readonly hasAliases?: boolean;
}

/** By switch: its first file, and the tables of all. */
export function switchesOf(files: readonly TablesOfFile[], errors: FileErrors): TablesOfFile[] {
  const groups: TablesOfFile[][] = [];
  const early: TablesOfFile[] = [];
  for (const own of files) {
    const isNamed = namesSwitch(own.tables);
    if (isNamed) groups.push([own]);
    else (groups.at(-1) ?? early).push(own);
  }
  // Files before the first that has a name are of that switch, too.
  if (groups.length === 0) groups.push(early);
  else groups[0]!.push(...early);
  return groups
    .filter((group) => group.length > 0)
    .map((group) => ({ file: group[0]!.file, tables: merged(group, errors) }));
}

function namesSwitch(tables: Tables): boolean {
  const entries = tables.get('DEVICE_METADATA') ?? [];
  return entries.some(({ key, fields }) => key === 'localhost' && fields.has('hostname'));
}

/** Minigraphs call ports as their vendor does; everything else has names such as Ethernet4. */
function merged(group: readonly TablesOfFile[], errors: FileErrors): Tables {
  const names = new Map(
    group
      .flatMap(({ tables }) => tables.get('PORT') ?? [])
      .flatMap(({ key, fields }) => {
        const alias = fields.get('alias')?.text;
        return alias === undefined ? [] : [[alias, key] as const];
      }),
  );
  const named = group.map((own) => {
    if (own.hasAliases !== true) return own;
    return {
      ...own,
      tables: withNames(own.tables, names, { errors, isAlone: group.length === 1 }),
    };
  });
  return group.length === 1 ? named[0]!.tables : joined(named, errors);
}

function withNames(
  tables: Tables,
  names: ReadonlyMap<string, string>,
  { errors, isAlone }: { readonly errors: FileErrors; readonly isAlone: boolean },
): Tables {
  const changed = OF_PORTS.map((table) => {
    const entries = (tables.get(table) ?? []).flatMap((entry) => {
      const key = names.get(entry.key) ?? (isAlone ? entry.key : nameIn(entry.key));
      if (key !== null) return [{ ...entry, key }];
      const message = `no port has this alias: give the port_config.ini of the switch, too`;
      errors.add(entry.place, message);
      return [];
    });
    return [table, entries] as const;
  });
  return new Map([...tables, ...changed]);
}

/** A port that a minigraph calls as the switch does. */
function nameIn(key: string): string | null {
  return /^Ethernet(?:-[A-Za-z]+)?\d+$/.test(key) ? key : null;
}

/** Entries of all files; a field may be in several where it is the same. */
function joined(group: readonly TablesOfFile[], errors: FileErrors): Tables {
  const tables = new Map<string, Map<string, Entry>>();
  for (const { tables: own } of group) {
    for (const [table, entries] of own) {
      const known = tables.get(table) ?? new Map<string, Entry>();
      tables.set(table, known);
      for (const entry of entries) {
        const before = known.get(entry.key);
        known.set(entry.key, before === undefined ? entry : both(before, entry, errors));
      }
    }
  }
  return new Map([...tables].map(([table, entries]) => [table, [...entries.values()]]));
}

function both(before: Entry, now: Entry, errors: FileErrors): Entry {
  const fields = new Map<string, Field>(before.fields);
  for (const [name, field] of now.fields) {
    const first = fields.get(name);
    if (first === undefined) fields.set(name, field);
    else if (first.text !== field.text) {
      const { file, line } = first.place;
      const message = `${field.text} here, and ${first.text} in ${file}:${line}: which is it?`;
      errors.add(field.place, message);
    }
  }
  return { ...before, fields };
}
