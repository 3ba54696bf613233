import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './emulate.js';

/** Of a table of claims: what a document says, where it is, and which tests show it. */
export interface Row {
  readonly claim: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** Words of one test's name, where a row says them. */
  readonly name: string;
}

/** Of a page of docs/seeds. */
export function rowsOf(page: string): Row[] {
  const lines = readFileSync(join(ROOT, 'docs/seeds', page), 'utf8').split('\n');
  const cells = lines
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return cells.slice(2).map(([, claim = '', sources = '', shown = '']) => {
    const [, name = ''] = /^`[^`]+`: (.+)$/.exec(shown) ?? [];
    return { claim, sources: pathsOf(sources), tests: pathsOf(shown), name };
  });
}

function pathsOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+\/[^`]+)`/g)].map(([, path]) => path!);
}
