import * as nodeModule from 'node:module';
import { compileFunction, constants, createContext, runInContext, runInNewContext } from 'node:vm';
import type { PluginSource } from './source.js';
import { UnusablePlugin } from './source.js';

/** Sources of nondeterminism are absent, or throw when they are used. */
const PRELUDE = `'use strict';
{
  const refuse = (name, instead) => () => {
    throw new Error(name + ' differs from run to run; use ' + instead);
  };
  Math.random = refuse('Math.random', 'random() of the connection or load');
  delete globalThis.Date;
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const { value } = Object.getOwnPropertyDescriptor(globalThis, name);
    // What is kept there would not be saved with a run, and would be there in the next one.
    if (typeof value === 'function' && value.prototype) Object.freeze(value.prototype);
    if (value !== globalThis && value !== null && typeof value !== 'number') Object.freeze(value);
  }
  const date = refuse('Date', 'now of the connection');
  globalThis.Date = new Proxy(function Date() {}, { apply: date, construct: date, get: date });
  for (const name of ['Intl', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics',
    'WebAssembly', 'console']) delete globalThis[name];
  Object.freeze(globalThis);
}`;

const EXPORT = /^export default\b/gm;
/** As long as what it replaces, so that errors have the right column. */
const ASSIGNMENT = 'plugin.value =';
const STRICT = "'use strict';";
const MODULE_SYNTAX = /^(?:import\b(?!\s*\()|export\b)/m;
/** Comments, and texts: they may have any word. */
const NO_CODE = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
/** What goes on after a call has returned, at no virtual time. */
const LATER = /\b(async|await|Promise)\b|\bimport\s*\(/;
const FILE_VARIABLE = /^(?:let|var)\s/m;
const MISSING_EXPORT =
  "no default export; write `export default { api: 1, kind: 'congestion-control', … }`";

/** A file that takes longer to evaluate, or to make flows, never ends. */
const LIMIT_MS = 10_000;

/** The default export of a plugin, evaluated without clock, randomness and I/O. */
export function evaluate(source: PluginSource, limitMs = LIMIT_MS): unknown {
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
    withinLimit(() => {
      run(box);
    }, limitMs);
  } catch (error) {
    throw new UnusablePlugin(`${placeIn(file, error)}: ${reasonOf(error)}`);
  }
  if (box.value === undefined) throw new UnusablePlugin(`${file}: ${MISSING_EXPORT}`);
  return box.value;
}

/** Ends what never returns: an error names it. */
export function withinLimit(work: () => void, limitMs = LIMIT_MS): void {
  try {
    runInNewContext('work()', { work }, { timeout: limitMs, displayErrors: false });
  } catch (error) {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`does not return within ${limitMs / 1000} s`, { cause: error });
  }
}

/** Message of what was thrown, whichever context it comes from. */
export function reasonOf(error: unknown): string {
  try {
    const message = (error as { readonly message?: unknown } | null)?.message;
    return typeof message === 'string' ? message : String(error);
  } catch {
    return 'a value that cannot be shown';
  }
}

/** `file:line:column` of the innermost call in the plugin, or the file alone. */
export function placeIn(file: string, error: unknown): string {
  const stack = stackOf(error);
  if (typeof stack !== 'string') return file;
  const at = stack.indexOf(`${file}:`);
  return at < 0 ? file : file + (/^(?::\d+){1,2}/.exec(stack.slice(at + file.length))?.[0] ?? '');
}

function stackOf(error: unknown): unknown {
  try {
    return (error as { readonly stack?: unknown } | null)?.stack;
  } catch {
    return undefined;
  }
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
  const blanked = script.replace(NO_CODE, (text) => text.replace(/[^\n]/g, ' '));
  const later = LATER.exec(blanked);
  if (later !== null) {
    throw new UnusablePlugin(
      `${file}:${lineOf(blanked, later.index)}:${columnOf(blanked, later.index)}: ` +
        `${later[0]}: a call returns at once; use wakeAt and timer for what comes later`,
    );
  }
  const variable = FILE_VARIABLE.exec(script);
  if (variable === null) return script;
  throw new UnusablePlugin(
    `${file}:${lineOf(script, variable.index)}:1: a variable of the file would not be saved with ` +
      'a run; declare a field in state, or write const',
  );
}

/** `plugin.value =` is as long as what it replaces. */
function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1);
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
