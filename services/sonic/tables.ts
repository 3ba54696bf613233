/** Tables of a `config_db.json`, or of a dump of the database, whose keys are flat. */

import type { FileErrors, FilePlace } from './file-errors.js';
import type { JsonNode } from './json-source.js';

export interface Field {
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
  /** As swssconfig takes them: an entry, and whether it is set. */
  function addOperation(item: JsonNode): void {
    const at = { file, line: item.line, key: '' };
    const entries = item.value instanceof Map ? [...item.value] : [];
    const operation = entries.find(([name]) => name === 'OP')?.[1].value ?? 'SET';
    const written = entries.filter(([name]) => name !== 'OP');
    const found = written.length === 1 ? flatKey(written[0]![0]) : null;
    if (found === null) errors.add(at, 'not one entry such as "BUFFER_PG_TABLE:Ethernet0:3-4"');
    else if (operation !== 'SET') errors.add(at, `OP is ${JSON.stringify(operation)}, not "SET"`);
    else add(found[0], found[1], written[0]![1]);
  }

  if (Array.isArray(root.value)) {
    for (const item of root.value as readonly JsonNode[]) addOperation(item);
    return tables;
  }
  if (!(root.value instanceof Map)) {
    errors.add({ file, line: root.line, key: '' }, 'no tables: the file is not a JSON mapping');
    return tables;
  }
  for (const [name, node] of root.value) {
    const [table, key] = flatKey(name) ?? [];
    if (table !== undefined) {
      add(table, key!, valueOfDump(node));
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

/** `TABLE|key` of CONFIG_DB, or `TABLE_TABLE:key` of APPL_DB, whose keys have colons. */
function flatKey(name: string): readonly [table: string, key: string] | null {
  const [, applied, rest] = /^([A-Z0-9_]+)_TABLE:(.+)$/.exec(name) ?? [];
  if (applied !== undefined) return [applied, rest!.replaceAll(':', '|')];
  const bar = name.indexOf('|');
  return bar < 0 ? null : [name.slice(0, bar), name.slice(bar + 1)];
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
