import * as nodeModule from 'node:module';
import { compileFunction, constants, createContext, runInContext } from 'node:vm';
import type { PluginSource } from './source.js';
import { UnusablePlugin } from './source.js';

/** Sources of nondeterminism are absent, or throw when they are used. */
const PRELUDE = `'use strict';
{
  const refuse = (name, instead) => () => {
    throw new Error(name + ' differs from run to run; use ' + instead);
  };
  Math.random = refuse('Math.random', 'random() of the connection or load');
  const date = refuse('Date', 'now of the connection');
  globalThis.Date = new Proxy(function Date() {}, { apply: date, construct: date, get: date });
  for (const name of ['Intl', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics',
    'WebAssembly', 'console']) delete globalThis[name];
  Object.freeze(Math);
  Object.freeze(globalThis);
}`;

const EXPORT = /^export default\b/gm;
/** As long as what it replaces, so that errors have the right column. */
const ASSIGNMENT = 'plugin.value =';
const STRICT = "'use strict';";
const MODULE_SYNTAX = /^(?:import\b(?!\s*\()|export\b)/m;
const FILE_VARIABLE = /^(?:let|var)\s/m;
const MISSING_EXPORT =
  "no default export; write `export default { api: 1, kind: 'congestion-control', … }`";

/** The default export of a plugin, evaluated without clock, randomness and I/O. */
export function evaluate(source: PluginSource): unknown {
  const { file } = source;
  const script = scriptOf(source);
  const box: { value?: unknown } = {};
  try {
    // Absent in Node 22 before 22.8: the context then works, with slower globals.
    const vanilla = (constants as { readonly DONT_CONTEXTIFY?: unknown }).DONT_CONTEXTIFY as
      | object
      | undefined;
    const context = createContext(vanilla, { codeGeneration: { strings: false, wasm: false } });
    runInContext(PRELUDE, context);
    const run = compileFunction(STRICT + script, ['plugin'], {
      filename: file,
      columnOffset: -STRICT.length,
      parsingContext: context,
    }) as (plugin: { value?: unknown }) => void;
    run(box);
  } catch (error) {
    throw new UnusablePlugin(`${placeIn(file, error)}: ${reasonOf(error)}`);
  }
  if (box.value === undefined) throw new UnusablePlugin(`${file}: ${MISSING_EXPORT}`);
  return box.value;
}

/** Message of what was thrown, whichever context it comes from. */
export function reasonOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : String(error);
}

/** `file:line:column` of the innermost call in the plugin, or the file alone. */
export function placeIn(file: string, error: unknown): string {
  const stack = (error as { readonly stack?: unknown } | null)?.stack;
  if (typeof stack !== 'string') return file;
  const at = stack.indexOf(`${file}:`);
  return at < 0 ? file : file + (/^(?::\d+){1,2}/.exec(stack.slice(at + file.length))?.[0] ?? '');
}

/** A module of one default export as a function body that sets `plugin.value`. */
function scriptOf({ file, text }: PluginSource): string {
  const code = /\.[mc]?ts$/.test(file) ? withoutTypes(file, text) : text;
  if (!EXPORT.test(code)) throw new UnusablePlugin(`${file}: ${MISSING_EXPORT}`);
  EXPORT.lastIndex = 0;
  const script = code.replace(EXPORT, ASSIGNMENT);
  const other = MODULE_SYNTAX.exec(script);
  if (other !== null) {
    throw new UnusablePlugin(
      `${file}:${lineOf(script, other.index)}:1: a plugin is one file with one default export: ` +
        'it imports nothing but types and exports nothing else',
    );
  }
  const variable = FILE_VARIABLE.exec(script);
  if (variable === null) return script;
  throw new UnusablePlugin(
    `${file}:${lineOf(script, variable.index)}:1: a variable of the file would not be saved with ` +
      'a run; declare a field in state, or write const',
  );
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function withoutTypes(file: string, text: string): string {
  const { stripTypeScriptTypes: strip } = nodeModule as {
    readonly stripTypeScriptTypes?: (code: string) => string;
  };
  if (strip === undefined) {
    throw new UnusablePlugin(
      `${file}: Node ${process.versions.node} cannot strip types; use Node 22.18 or later, or ` +
        `compile it (npx tsc --target es2022 --module es2022 ${file}) and name the .js file`,
    );
  }
  try {
    return strip(text);
  } catch (error) {
    throw new UnusablePlugin(`${file}: ${reasonOf(error)}`);
  }
}
