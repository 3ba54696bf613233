/** Tables of a `config_db.json`, or of a dump of the database, whose keys are flat. */

import type { FileErrors, FilePlace } from './file-errors.js';
import type { JsonNode } from './json-source.js';

interface Field {
  readonly text: string;
  readonly place: FilePlace;
}

export interface Entry {
  /** Behind the name of the table, as written: `Ethernet0|3-4`. */
  readonly key: string;
  readonly place: FilePlace;
  readonly fields: ReadonlyMap<string, Field>;
}

export type Tables = ReadonlyMap<string, readonly Entry[]>;

export function tablesOf(file: string, root: JsonNode, errors: FileErrors): Tables {
  const tables = new Map<string, Entry[]>();
  const add = (table: string, key: string, node: JsonNode): void => {
    const place = { file, line: node.line, key: key === '' ? table : `${table} ${key}` };
    const fields = fieldsOf(node, place, errors);
    if (fields === null) return;
    const entries = tables.get(table) ?? [];
    tables.set(table, entries);
    entries.push({ key, place, fields });
  };
  if (!(root.value instanceof Map)) {
    errors.add({ file, line: root.line, key: '' }, 'no tables: the file is not a JSON mapping');
    return tables;
  }
  for (const [name, node] of root.value) {
    const bar = name.indexOf('|');
    if (bar >= 0) {
      add(name.slice(0, bar), name.slice(bar + 1), valueOfDump(node));
      continue;
    }
    if (!(node.value instanceof Map)) {
      errors.add({ file, line: node.line, key: name }, 'a table is a mapping of entries');
      continue;
    }
    // A map, such as PORT_QOS_MAP, may stand in a file with flat fields of one entry.
    for (const [key, entry] of node.value) add(name, key, entry);
  }
  return tables;
}

/** A dump of Redis has the kind of each value beside it. */
function valueOfDump(node: JsonNode): JsonNode {
  if (!(node.value instanceof Map)) return node;
  const inner = node.value.get('value');
  return node.value.get('type')?.value === 'hash' && inner?.value instanceof Map ? inner : node;
}

function fieldsOf(
  node: JsonNode,
  place: FilePlace,
  errors: FileErrors,
): ReadonlyMap<string, Field> | null {
  if (!(node.value instanceof Map)) {
    errors.add(place, 'an entry is a mapping of fields');
    return null;
  }
  const fields = new Map<string, Field>();
  for (const [name, { line, value }] of node.value) {
    const at = { file: place.file, line, key: `${place.key} ${name}` };
    if (typeof value === 'string') fields.set(name, { text: value.trim(), place: at });
    else if (typeof value === 'number') fields.set(name, { text: String(value), place: at });
    else if (Array.isArray(value)) fields.set(name, { text: listOf(value), place: at });
    else if (name !== 'NULL') errors.add(at, 'a field is a text, a number or a list');
  }
  return fields;
}

function listOf(items: readonly JsonNode[]): string {
  return items.map(({ value }) => (typeof value === 'object' ? '' : String(value))).join(',');
}

/** A reference: a name, or `[TABLE|name]` in older files. */
export function nameIn(text: string): string {
  return /^\[[^|\]]+\|([^\]]+)\]$/.exec(text)?.[1] ?? text;
}

/** `3`, `3-4` or `3,4`; null if it is none of them. */
export function numbersIn(text: string): number[] | null {
  const numbers: number[] = [];
  for (const part of text.split(',')) {
    const [, from, to] = /^\s*(\d)(?:-(\d))?\s*$/.exec(part) ?? [];
    if (from === undefined) return null;
    const last = Number(to ?? from);
    for (let n = Number(from); n <= last; n++) numbers.push(n);
  }
  return numbers.every((n) => n <= 7) && numbers.length > 0 ? numbers : null;
}
