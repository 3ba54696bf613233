/** Scenario files that a test writes, loads and throws away. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { assertJudgedAlike } from '../../../kit/json-schema.js';
import { ScenarioError } from '../../../../services/settings/errors.js';
import { buildFabric } from '../../../../services/fabric/assembly/fabric.js';
import type { LoadedScenario } from '../../../../services/fabric/scenario/load-scenario.js';
import { loadScenario } from '../../../../services/fabric/scenario/load-scenario.js';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Calls `use` with the path of a directory that holds these files. */
export function withFiles<Result>(files: Files, use: (directory: string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'scenario-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), content);
    }
    return use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Loads `main.yaml`, or the first file if there is none of that name. */
export function load(files: Files | string, set: readonly string[] = []): LoadedScenario {
  const all = typeof files === 'string' ? { 'main.yaml': files } : files;
  const main = 'main.yaml' in all ? 'main.yaml' : Object.keys(all)[0]!;
  return withFiles(all, (directory) => loadScenario(join(directory, main), { set }));
}

/** One whole file, if it is YAML at all, is judged by the published schema as by the program. */
function judge(text: string): void {
  const document = parseDocument(text);
  const hasAliases = /[\s[,]\*[a-z]/.test(text);
  const isWhole = document.errors.length === 0 && !hasAliases && !document.has('extends');
  if (isWhole) assertJudgedAlike(document.toJS());
}

/** The message that loading, or building, ends with, without the directory of the files. */
export function problemOf(files: Files | string, set: readonly string[] = []): string {
  const all = typeof files === 'string' ? { 'main.yaml': files } : files;
  const main = 'main.yaml' in all ? 'main.yaml' : Object.keys(all)[0]!;
  if (typeof files === 'string' && set.length === 0) judge(files);
  return withFiles(all, (directory) => {
    try {
      buildFabric(loadScenario(join(directory, main), { set }, buildFabric));
    } catch (error) {
      if (error instanceof ScenarioError) return error.message.replaceAll(`${directory}/`, '');
      throw error;
    }
    return 'no problem';
  });
}

/** A scenario of two hosts, on two lines; what follows is line 3. */
export const PAIR = 'selvage: 1\nfabric: { generator: pair }\n';
