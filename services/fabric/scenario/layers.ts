/** A scenario's layers, lowest first: base files, the file itself, `--set` settings. */

import { dirname, isAbsolute, join } from 'node:path';
import { ScenarioError, show } from '../../settings/errors.js';
import { isPipe, parseSource, readText } from './read-source.js';
import type { MapNode, SourceNode } from '../../settings/source-tree.js';
import { merge, plainValue, positionOf, startOf, withValue } from '../../settings/source-tree.js';

const EXTENDS_DEPTH_MAX = 32;

/** A path as written in `file`, relative to the working directory; there, too, is a pipe's text. */
export function besideFile(file: string, path: string): string {
  return isAbsolute(path) || isPipe(file) ? path : join(dirname(file), path);
}

/** The file merged onto what it extends. */
export function readLayers(file: string): MapNode {
  return layersOf(file, readText(file));
}

/** The same of a text, whose base files are beside `file`. */
export function layersOf(file: string, text: string): MapNode {
  return new LayerReader().read(file, text, [file]);
}

class LayerReader {
  /** A base that several files extend is read once. */
  private readonly known = new Map<string, MapNode>();

  read(file: string, text: string, chain: readonly string[]): MapNode {
    const own = parseSource(file, text, true);
    if (own?.kind !== 'map') {
      const problem = own === null ? 'the file is empty' : 'not a mapping of keys';
      const position = own === null ? startOf(file) : positionOf(own.place);
      throw new ScenarioError(position, [], `${problem}; a scenario begins with selvage: 1`);
    }
    const entries = new Map(own.entries);
    const bases = basesOf(own).map((base) => this.readBase(file, base, chain));
    entries.delete('extends');
    return [...bases, { ...own, entries }].reduce(merge);
  }

  private readBase(file: string, written: SourceNode, chain: readonly string[]): MapNode {
    const fail = (message: string): ScenarioError =>
      new ScenarioError(positionOf(written.place), ['extends'], message);
    const name = plainValue(written);
    if (typeof name !== 'string') throw fail(`not a base file: ${show(name)}; write a file name`);
    const base = besideFile(file, name);
    if (chain.includes(base)) throw fail(`a cycle of files that extend each other: ${show(name)}`);
    if (chain.length > EXTENDS_DEPTH_MAX) {
      throw fail(`files extend each other too deeply; at most ${EXTENDS_DEPTH_MAX} levels`);
    }
    const known =
      this.known.get(base) ?? this.read(base, readBaseText(base, fail), [...chain, base]);
    this.known.set(base, known);
    return known;
  }
}

/** An error of a base file as a whole is reported at the file that names it. */
function readBaseText(base: string, fail: (message: string) => ScenarioError): string {
  try {
    return readText(base);
  } catch (error) {
    if (error instanceof ScenarioError) throw fail(`unusable base file: ${error.message}`);
    throw error;
  }
}

function basesOf(tree: MapNode): readonly SourceNode[] {
  const node = tree.entries.get('extends')?.node;
  if (node === undefined) return [];
  return node.kind === 'list' ? node.items : [node];
}

/** Applies one `path=value` of the command line; the value is YAML. */
export function applySetting(tree: SourceNode, setting: string): SourceNode {
  const source = { name: `--set ${setting}`, lines: null };
  const place = { source, offset: 0 };
  const [path = '', ...value] = setting.split('=');
  const steps = path.split('.');
  const unusable = ['', '__proto__'];
  if (value.length === 0 || steps.some((step) => unusable.includes(step))) {
    const message = 'not a setting; write path=value, such as load.0.bytes=1MB';
    throw new ScenarioError(positionOf(place), [], message);
  }
  if (steps[0] === 'extends') {
    throw new ScenarioError(positionOf(place), steps, 'extends is possible in files only');
  }
  const node = parseSource(source.name, value.join('='), false);
  return withValue(tree, steps, node ?? { kind: 'scalar', place, value: null });
}
