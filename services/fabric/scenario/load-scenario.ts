/** From a scenario file (YAML or JSON) to a checked scenario, or to its errors. */

import { basename, extname } from 'node:path';
import { checkScenario } from './check-scenario.js';
import { ScenarioError } from '../../settings/errors.js';
import { findFurther } from './further-errors.js';
import { applySetting, layersOf, readLayers } from './layers.js';
import type { NamedFile } from './located.js';
import { Located } from './located.js';
import { withNicsOfHosts } from './nic-layers.js';
import { normalise } from './normalise.js';
import { readPlugins } from './read-plugins.js';
import { isPipe, parseSource } from './read-source.js';
import type { Scenario } from './scenario.js';
import { scenarioSchemaWith } from './schema.js';
import type { Path, SourceNode } from '../../settings/source-tree.js';
import { startOf, withValue } from '../../settings/source-tree.js';

export interface LoadOptions {
  /** `path=value` settings on top of the file, in order; the value is YAML. */
  readonly set?: readonly string[];
}

export interface LoadedScenario {
  readonly scenario: Scenario;
  readonly file: string;
  /** Plain values after `extends` and settings: the scenario as one file would have it. */
  readonly document: unknown;
  /** Files that the document names, and does not contain. */
  readonly files: readonly NamedFile[];
  /** An error at the location of `path` in the file, as `['load', 0, 'incast', 'to']`. */
  errorAt(path: Path, message: string): ScenarioError;
  /** Whether the file has a value at `path`. */
  has(path: Path): boolean;
  /** The same scenario with one value set; `source` names its origin in errors. */
  with(path: Path, value: unknown, source: string): LoadedScenario;
}

/** `check` judges a scenario beyond this, so that it adds to the errors of one that has some. */
export function loadScenario(
  file: string,
  options: LoadOptions = {},
  check?: (loaded: LoadedScenario) => unknown,
): LoadedScenario {
  const written = (options.set ?? []).reduce<SourceNode>(applySetting, readLayers(file));
  return scenarioOf(file, written, check);
}

/** The same from the values of a file; `file` is where relative paths start. */
export function scenarioOfDocument(
  file: string,
  document: unknown,
  options: LoadOptions = {},
): LoadedScenario {
  const tree = layersOf(file, textOf(file, document));
  return scenarioOf(file, (options.set ?? []).reduce<SourceNode>(applySetting, tree));
}

/** The same from the text that a file would have. */
export function scenarioOfText(file: string, text: string): LoadedScenario {
  return scenarioOf(file, layersOf(file, text));
}

/** As JSON, which leaves out, or cannot have, what no file says. */
function textOf(file: string, document: unknown): string {
  const refuse = (message: string): Error => new ScenarioError(startOf(file), [], message);
  try {
    const text = JSON.stringify(document, (key, value: unknown) => {
      const isNumber = typeof value === 'number' && !Number.isFinite(value);
      if (!isNumber && !['function', 'symbol', 'bigint'].includes(typeof value)) return value;
      throw refuse(`${key}: no value of a scenario: ${isNumber ? value : `a ${typeof value}`}`);
    }) as string | undefined;
    return text ?? '';
  } catch (error) {
    if (error instanceof ScenarioError) throw error;
    throw refuse('the object contains itself');
  }
}

function scenarioOf(
  file: string,
  written: SourceNode,
  check?: (loaded: LoadedScenario) => unknown,
): LoadedScenario {
  try {
    return soundScenario(file, written);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    findFurther(error, written, (rest, reach) => {
      const own = reach === 'topology' ? check : undefined;
      const loaded = scenarioOf(file, rest, own);
      own?.(loaded);
    });
    throw error;
  }
}

/** Of a scenario that does not say its own. */
function nameOf(file: string): string {
  return isPipe(file) ? 'scenario' : basename(file, extname(file));
}

/** Throws the errors of the first step that finds some. */
function soundScenario(file: string, written: SourceNode): LoadedScenario {
  const { tree, plugins } = readPlugins(written);
  const located = new Located(withNicsOfHosts(tree));
  // Compiling the schema takes longer than what one small file gains from it.
  const parsed = scenarioSchemaWith(plugins).safeParse(located.document, { jitless: true });
  if (!parsed.success) throw located.errorOf(parsed.error.issues);
  const scenario = normalise(parsed.data, plugins, nameOf(file), located);
  checkScenario(scenario, located);
  return {
    scenario,
    file,
    document: located.document,
    files: located.files,
    errorAt: (path, message) => located.errorAt(path, message),
    has: (path) => located.has(path),
    with: (path, value, source) => {
      const node = parseSource(source, JSON.stringify(value), false)!;
      return scenarioOf(file, withValue(tree, path, node));
    },
  };
}
