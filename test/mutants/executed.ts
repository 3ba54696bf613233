import type { Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import type { CompiledModule } from './modules.js';

/** Coverage of one script as V8 counts it. */
type Script = Pick<Profiler.ScriptCoverage, 'url' | 'functions'>;

const MODULE = /\/dist\/services\/((?:engine|mechanisms)\/.*)\.js$/;

/** The defects whose place was executed. */
export function executedMutations(
  scripts: readonly Script[],
  modules: ReadonlyMap<string, CompiledModule>,
): string[] {
  return scripts.flatMap((script) => {
    const name = script.url.startsWith('file:') ? MODULE.exec(fileURLToPath(script.url))?.[1] : '';
    const module = modules.get(name ?? '');
    if (module === undefined) return [];
    const counts = countsOf(script, module.text.length);
    return module.mutations.filter(({ start }) => counts[start]! > 0).map(({ id }) => id);
  });
}

/** By position: how often it was executed. Ranges are given from the outside in. */
function countsOf({ functions }: Script, length: number): Uint32Array {
  const counts = new Uint32Array(length);
  const ranges = functions.flatMap(({ ranges: own }) => own);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) {
    counts.fill(count, startOffset, endOffset);
  }
  return counts;
}
