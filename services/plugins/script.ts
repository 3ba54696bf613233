import * as nodeModule from 'node:module';
import type { PluginSource } from './source.js';
import { UnusablePlugin } from './source.js';
import { reasonOf } from './thrown.js';

const EXPORT = /\bexport[ \t]+default\b/;
const ASSIGNMENT = 'plugin.value =';
const MODULE_SYNTAX = /^(?:import\b(?!\s*\()|export\b)/m;
/** Comments, and texts: they may have any word. */
const NO_CODE = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
/** What goes on after a call has returned, at no virtual time. */
const LATER = /\b(async|await|Promise)\b|\bimport\s*\(/;
const FILE_VARIABLE = /^(?:let|var)\s/m;
/** What lives as long as the file: also functions and classes have properties. */
const FILE_CONSTANT = /^(?:const|class|function\*?)\s+([A-Za-z_$][\w$]*)/gm;
export const MISSING_EXPORT =
  "no default export; write `export default { api: 1, kind: 'congestion-control', … }`";

/** A module of one default export as a function body that sets `plugin.value` and its constants. */
export function scriptOf({ file, text }: PluginSource): string {
  const code = /\.[mc]?ts$/.test(file) ? withoutTypes(file, text) : text;
  const { index, 0: written } = exportOf(code) ?? missing(file);
  // As long as what it replaces, so that errors have the right column.
  const assignment = ASSIGNMENT.padEnd(written.length);
  const script = code.slice(0, index) + assignment + code.slice(index + written.length);
  const blanked = blankedOf(script);
  const other = MODULE_SYNTAX.exec(blanked);
  if (other !== null) {
    throw new UnusablePlugin(
      `${file}:${lineOf(script, other.index)}:1: a plugin is one file with one default export: ` +
        'it imports nothing but types and exports nothing else',
    );
  }
  const later = LATER.exec(blanked);
  if (later !== null) {
    throw new UnusablePlugin(
      `${file}:${lineOf(blanked, later.index)}:${columnOf(blanked, later.index)}: ` +
        `${later[0]}: a call returns at once; use wakeAt and timer for what comes later`,
    );
  }
  const variable = FILE_VARIABLE.exec(script);
  if (variable === null) return script + constantsOf(blanked);
  throw new UnusablePlugin(
    `${file}:${lineOf(script, variable.index)}:1: a variable of the file would not be saved with ` +
      'a run; declare a field in state, or write const',
  );
}

function exportOf(code: string): RegExpExecArray | null {
  // A quotation mark in a regular expression blanks too much.
  return EXPORT.exec(blankedOf(code)) ?? /^export default\b/m.exec(code);
}

function missing(file: string): never {
  throw new UnusablePlugin(`${file}: ${MISSING_EXPORT}`);
}

function blankedOf(code: string): string {
  return code.replace(NO_CODE, (text) => text.replace(/[^\n]/g, ' '));
}

/** Hands out the constants of the file; one that a block begins a line with is not in reach. */
function constantsOf(blanked: string): string {
  const names = [...blanked.matchAll(FILE_CONSTANT)].map(([, name]) => name!);
  const values = names.map((name) => `typeof ${name} === 'undefined' ? null : ${name}`);
  return `\n;plugin.constants = [${values.join(', ')}];`;
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
