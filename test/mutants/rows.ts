import { join } from 'node:path';
import { rowsOf, type Row } from '../kit/claims.js';
import { draw } from './draw.js';
import { EngineTree } from './engine-trees.js';
import type { CompiledModule } from './modules.js';
import { runNode } from './processes.js';
import { changeOf, placeOf } from './report.js';
import { tryTests } from './trial.js';

interface RowsOptions {
  readonly seed: number;
  /** Of each row. */
  readonly count: number;
  /** Rows whose claim has these words. */
  readonly claim: string;
}

/** Far more than a test takes without a defect. */
const TEST_MS = 300_000;

/**
 * Whether the tests that a row of a table of claims names notice defects of the sources that it
 * names: a row shows nothing if other tests do. Tells of each defect, and returns the rows in which
 * one survived.
 */
export async function tryRows(
  page: string,
  modules: readonly CompiledModule[],
  { seed, count, claim }: RowsOptions,
): Promise<string[]> {
  const tree = new EngineTree(modules);
  const weak: string[] = [];
  try {
    for (const row of rowsOf(page).filter((own) => own.claim.includes(claim))) {
      const survivors = await survivorsOf(row, tree, drawnOf(row, modules, { seed, count }));
      if (survivors.length === 0) continue;
      weak.push(`${row.claim}\n${survivors.map((text) => `  ${text}`).join('\n')}`);
    }
  } finally {
    tree.remove();
  }
  return weak;
}

function drawnOf(
  { sources }: Row,
  modules: readonly CompiledModule[],
  { seed, count }: Pick<RowsOptions, 'seed' | 'count'>,
): ReturnType<typeof draw> {
  const own = modules.filter(({ name }) => sources.includes(`services/${name}.ts`));
  const most = own.reduce((sum, { mutations }) => sum + mutations.length, 0);
  return own.length === 0 ? [] : draw(own, seed, Math.min(count, most));
}

async function survivorsOf(
  { tests, claim }: Row,
  tree: EngineTree,
  drawn: ReturnType<typeof draw>,
): Promise<string[]> {
  const timed = [];
  for (const test of drawn.length === 0 ? [] : tests) {
    const file = test.replace(/\.ts$/, '.js');
    const from = performance.now();
    const { code } = await runNode([join(tree.folder, 'dist', file)], {
      cpuMs: TEST_MS,
      cwd: tree.folder,
    });
    if (code !== 0) return [`${test} fails without a defect`];
    timed.push({ file, ms: performance.now() - from });
  }
  const survivors: string[] = [];
  for (const one of drawn) {
    const by = await tryTests(tree, one, timed);
    const what = `${placeOf(one)} ${changeOf(one.mutation)}`;
    console.error(`${claim}: ${what}: ${by ?? 'survives'}`);
    if (by === null) survivors.push(what);
  }
  return survivors;
}
