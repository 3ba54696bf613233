import { compileFunction, constants, createContext, runInContext, runInNewContext } from 'node:vm';
import { freezeDeep } from './freeze.js';
import { MISSING_EXPORT, scriptOf } from './script.js';
import type { PluginSource } from './source.js';
import { UnusablePlugin } from './source.js';
import { placeIn, reasonOf } from './thrown.js';

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

const STRICT = "'use strict';";

/** A file that takes longer to evaluate, or to make flows, never ends. */
const LIMIT_MS = 10_000;

/** What a script sets. */
interface Box {
  value?: unknown;
  constants?: unknown;
}

/** The default export of a plugin, evaluated without clock, randomness and I/O. */
export function evaluate(source: PluginSource, limitMs = LIMIT_MS): unknown {
  const { file } = source;
  const script = scriptOf(source);
  const box: Box = {};
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
    }) as (plugin: Box) => void;
    withinLimit(() => {
      run(box);
      // What a call kept there would not be saved with a run, and would be there in the next one.
      freezeDeep(box.constants);
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
