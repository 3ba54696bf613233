import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../kit/emulate.js';
import type { Mutation } from './mutations.js';
import { mutationsOf } from './mutations.js';

/** Where defects are planted, below `services`. */
const ROOMS = ['engine', 'mechanisms'];

/**
 * A module as it is compiled, before the build writes constants to where they are used: a defect in
 * a constant is then one everywhere.
 */
export interface CompiledModule {
  /** Below `services`, without a suffix. */
  readonly name: string;
  readonly text: string;
  readonly mutations: readonly Mutation[];
  /** The line of the source that a place in the compiled text comes from, from 1. */
  readonly lineOf: (at: number) => number;
}

/** All modules of engine and mechanisms. */
export function compiledModules(): CompiledModule[] {
  return ROOMS.flatMap((room) =>
    readdirSync(join(ROOT, 'services', room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .sort()
      .map((path) => compiled(`${room}/${path.slice(0, -3).replaceAll('\\', '/')}`)),
  );
}

function compiled(name: string): CompiledModule {
  const source = readFileSync(join(ROOT, 'services', `${name}.ts`), 'utf8');
  const { outputText, sourceMapText } = ts.transpileModule(source, {
    fileName: `${name}.ts`,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      sourceMap: true,
    },
  });
  const text = outputText.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  const map = new SourceMap(
    JSON.parse(sourceMapText!) as ConstructorParameters<typeof SourceMap>[0],
  );
  const lineOf = (at: number): number => {
    const before = text.slice(0, at).split('\n');
    const entry = map.findEntry(before.length - 1, before.at(-1)!.length);
    return 'originalLine' in entry ? entry.originalLine + 1 : 1;
  };
  return { name, text, mutations: mutationsOf(name, text), lineOf };
}
