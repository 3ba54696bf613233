import { RandomStream } from '../../services/engine/kernel/random.js';
import type { CompiledModule } from './modules.js';
import type { Kind, Mutation } from './mutations.js';
import type { Candidate } from './trial.js';

/**
 * So many defects in random order: lines are drawn, each as likely as any other, then a kind of
 * those that the line can have, then one of these. A long line is not drawn more often.
 */
export function draw(modules: readonly CompiledModule[], seed: number, count: number): Candidate[] {
  const lines = modules.flatMap((module) =>
    [...byLine(module).values()].map((mutations) => ({ module, mutations })),
  );
  const stream = new RandomStream(seed, 'mutants');
  stream.shuffle(lines);
  return lines.slice(0, count).map(({ module, mutations }) => {
    const kinds = [...new Set(mutations.map(({ kind }) => kind))];
    const kind = picked(kinds, stream);
    return { module, mutation: picked(ofKind(mutations, kind), stream) };
  });
}

function byLine({ mutations, lineOf }: CompiledModule): Map<number, Mutation[]> {
  const lines = new Map<number, Mutation[]>();
  for (const mutation of mutations) {
    const line = lineOf(mutation.start);
    lines.set(line, [...(lines.get(line) ?? []), mutation]);
  }
  return lines;
}

function ofKind(mutations: readonly Mutation[], wanted: Kind): Mutation[] {
  return mutations.filter(({ kind }) => kind === wanted);
}

function picked<T>(values: readonly T[], stream: RandomStream): T {
  return values[stream.below(values.length)]!;
}
