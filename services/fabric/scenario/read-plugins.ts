/** The files that a scenario names under `plugins`: read once, and carried with it from then on. */

import { MECHANISMS } from '../../mechanisms/registry.js';
import { pluginOf } from '../../plugins/plugins.js';
import type { PluginSource } from '../../plugins/source.js';
import { sha256Of, UnusablePlugin } from '../../plugins/source.js';
import { ScenarioError } from '../../settings/errors.js';
import type { MapEntry, Place, SourceNode } from '../../settings/source-tree.js';
import { positionOf, withValue } from '../../settings/source-tree.js';
import { EQUAL_COST } from './equal-cost.js';
import { besideFile } from './layers.js';
import { readTable } from './read-source.js';
import { LOAD_KINDS } from './schema-load.js';
import { scenarioSchema } from './schema.js';

const PLUGIN_CHARACTERS_MAX = 256 * 1024;

interface WithPlugins {
  /** With the text of each plugin in the place of its file's name. */
  readonly tree: SourceNode;
  readonly plugins: readonly PluginSource[];
}

/** Names that mean something else where a scenario, or a variant of a duel, has one. */
const TAKEN = [
  ...['none', 'constructor', ...Object.keys(scenarioSchema.shape), ...LOAD_KINDS],
  ...MECHANISMS.map(({ name }) => name),
  ...EQUAL_COST,
];

/** What is no list, or no plugin by its shape, is left to the schema to refuse. */
export function readPlugins(tree: SourceNode): WithPlugins {
  const list = tree.kind === 'map' ? tree.entries.get('plugins')?.node : undefined;
  if (list?.kind !== 'list') return { tree, plugins: [] };
  const names = new Set(TAKEN);
  const plugins: PluginSource[] = [];
  let carried = tree;
  list.items.forEach((node, index) => {
    const source = sourceOf(node, index);
    if (source === null) return;
    const fail = failureAt(node.place, index);
    const { name } = usable(source, fail);
    if (names.has(name)) throw fail(`${source.file}: the name ${name} is taken already`);
    names.add(name);
    plugins.push(source);
    carried = withValue(carried, ['plugins', index], nodeOf(source, node.place));
  });
  return { tree: carried, plugins };
}

function usable(source: PluginSource, fail: (message: string) => Error): { readonly name: string } {
  try {
    return pluginOf(source);
  } catch (error) {
    throw error instanceof UnusablePlugin ? fail(error.message) : error;
  }
}

/** The plugin in a file by itself; throws UnusablePlugin. */
export function readPlugin(path: string): PluginSource {
  const text = textOf(path, (message) => new UnusablePlugin(message));
  const source = { file: path, sha256: sha256Of(text), text };
  pluginOf(source);
  return source;
}

/** Null for a node without the shape of a plugin. */
function sourceOf(node: SourceNode, index: number): PluginSource | null {
  if (node.kind === 'scalar' && typeof node.value === 'string') {
    const { source } = node.place;
    const { value } = node;
    const path = source.lines === null ? value : besideFile(source.name, value);
    const text = textOf(path, failureAt(node.place, index));
    return { file: value, sha256: sha256Of(text), text };
  }
  if (node.kind !== 'map') return null;
  const { file, sha256, text } = Object.fromEntries(
    [...node.entries].map(([key, { node: inner }]) => [
      key,
      inner.kind === 'scalar' ? inner.value : null,
    ]),
  );
  const isWhole = [file, sha256, text].every((value) => typeof value === 'string');
  return isWhole ? ({ file, sha256, text } as PluginSource) : null;
}

function textOf(path: string, fail: (message: string) => Error): string {
  let text: string;
  try {
    text = readTable(path);
  } catch (error) {
    throw fail(`${path}: ${(error as Error).message}`);
  }
  if (text.length <= PLUGIN_CHARACTERS_MAX) return text;
  throw fail(`${path}: too long for a plugin; at most ${PLUGIN_CHARACTERS_MAX} characters`);
}

function failureAt(place: Place, index: number): (message: string) => ScenarioError {
  const path = ['plugins', index];
  return (message) => new ScenarioError(positionOf(place), path, `${path.join('.')}: ${message}`);
}

function nodeOf(source: PluginSource, place: Place): SourceNode {
  const entries = Object.entries(source).map(([key, value]): [string, MapEntry] => [
    key,
    { keyPlace: place, node: { kind: 'scalar', place, value: value as string } },
  ]);
  return { kind: 'map', place, entries: new Map(entries) };
}
