/** A file's values, each with its location; merging and errors work on these. */

import type { LineCounter } from 'yaml';
import type { Position } from './errors.js';
import { ScenarioError, show } from './errors.js';

export type Path = readonly (string | number)[];

/** A file, or one setting of the command line (which has no lines). */
export interface Source {
  readonly name: string;
  readonly lines: LineCounter | null;
}

/** Lines are counted only when an error needs them. */
export interface Place {
  readonly source: Source;
  readonly offset: number;
}

interface ScalarNode {
  readonly kind: 'scalar';
  readonly place: Place;
  readonly value: string | number | boolean | null;
}

interface ListNode {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: readonly SourceNode[];
}

export interface MapEntry {
  readonly keyPlace: Place;
  readonly node: SourceNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly place: Place;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export type SourceNode = ScalarNode | ListNode | MapNode;

export function positionOf(place: Place): Position {
  const { name, lines } = place.source;
  if (lines === null) return { file: name, line: 0, column: 0 };
  const { line, col } = lines.linePos(place.offset);
  return { file: name, line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The start of a file, for errors of it as a whole. */
export function startOf(file: string): Position {
  return { file, line: 1, column: 1 };
}

/** Mappings are merged key by key; everything else in `over` replaces `base`. */
export function merge(base: MapNode, over: MapNode): MapNode {
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key)?.node;
    const both = below?.kind === 'map' && entry.node.kind === 'map';
    entries.set(key, both ? { ...entry, node: merge(below, entry.node) } : entry);
  }
  return { ...over, entries };
}

/** Items of lists such as `load` and `faults` have names. */
function nameOfItem(item: SourceNode): string | null {
  const name = item.kind === 'map' ? item.entries.get('name')?.node : undefined;
  return name?.kind === 'scalar' && typeof name.value === 'string' ? name.value : null;
}

/**
 * The tree with `value` at `path`, where an item of a list goes by its number or its name; mappings
 * on the path are created where there are none.
 */
export function withValue(tree: SourceNode, path: Path, value: SourceNode): SourceNode {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const { place } = value;
  if (tree.kind === 'map') {
    const key = String(step);
    const below = tree.entries.get(key)?.node;
    const node = withValue(below ?? { kind: 'map', place, entries: new Map() }, rest, value);
    return { ...tree, entries: new Map(tree.entries).set(key, { keyPlace: place, node }) };
  }
  if (tree.kind === 'list') {
    const names = tree.items.map(nameOfItem);
    const index = /^\d+$/.test(String(step)) ? Number(step) : names.indexOf(String(step));
    const below = tree.items[index];
    if (below !== undefined && names.indexOf(String(step)) !== names.lastIndexOf(String(step))) {
      const message = `several items have the name ${show(step)}; write the number of one`;
      throw new ScenarioError(positionOf(place), path, message);
    }
    if (below === undefined) {
      const known = names.flatMap((name) => (name === null ? [] : [name]));
      const orName = known.length === 0 ? '' : `, or a name: ${known.join(', ')}`;
      const most = tree.items.length - 1;
      const allowed = most >= 0 ? `0 to ${most}${orName}` : 'none; it is empty';
      const message = `no such item of the list: ${show(step)}; allowed: ${allowed}`;
      throw new ScenarioError(positionOf(place), path, message);
    }
    return { ...tree, items: tree.items.with(index, withValue(below, rest, value)) };
  }
  const found = `it is ${show(tree.value)}, not a mapping`;
  const message = `no such key: ${show(step)}; ${found}`;
  throw new ScenarioError(positionOf(place), path, message);
}

/** The tree without the key at the end of `path`; null where no mapping has it. */
export function withoutKey(tree: SourceNode, path: Path): SourceNode | null {
  const [step, ...rest] = path;
  if (tree.kind === 'list') {
    const below = tree.items[Number(step)];
    const node = below === undefined ? null : withoutKey(below, rest);
    return node === null ? null : { ...tree, items: tree.items.with(Number(step), node) };
  }
  const entry = tree.kind === 'map' ? tree.entries.get(String(step)) : undefined;
  if (tree.kind !== 'map' || entry === undefined) return null;
  const entries = new Map(tree.entries);
  if (rest.length === 0) {
    entries.delete(String(step));
    return { ...tree, entries };
  }
  const node = withoutKey(entry.node, rest);
  if (node === null) return null;
  return { ...tree, entries: entries.set(String(step), { ...entry, node }) };
}

/** Plain values, as `JSON.parse` returns them. */
export function plainValue(node: SourceNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainValue);
    case 'map':
      return Object.fromEntries(
        [...node.entries].map(([key, entry]) => [key, plainValue(entry.node)]),
      );
  }
}

/**
 * Location of the value at `path`: a mapping or list at its key, anything else at itself. For a
 * missing value, that of the deepest existing part of the path.
 */
export function locate(tree: SourceNode, path: Path, what: 'key' | 'value'): Place {
  let node = tree;
  let { place } = tree;
  for (const [depth, step] of path.entries()) {
    const entry = node.kind === 'map' ? node.entries.get(String(step)) : undefined;
    const next = node.kind === 'list' ? node.items[Number(step)] : entry?.node;
    if (next === undefined) return place;
    const isLast = depth === path.length - 1;
    const atKey = entry && (isLast && what === 'key' ? true : next.kind !== 'scalar');
    place = atKey ? entry.keyPlace : next.place;
    node = next;
  }
  return place;
}
