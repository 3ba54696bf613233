import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import type { EngineTree } from './engine-trees.js';
import { executedMutations } from './executed.js';
import type { CompiledModule } from './modules.js';
import { inParallel } from './parallel.js';
import { runNode } from './processes.js';
import type { Surveyed } from './survey.js';

/** A test file of the fast tier that passes. */
export interface SurveyedTest {
  /** Below dist. */
  readonly file: string;
  readonly ms: number;
  readonly executed: readonly string[];
}

/** What executes the places of defects. */
export interface Knowledge {
  /** Of the sources that it was made of. */
  readonly key: string;
  readonly scenarios: readonly Surveyed[];
  readonly tests: readonly SurveyedTest[];
}

const FILE = join(ROOT, 'dist/mutants/knowledge.json');
/** Beginnings of their paths. */
const TESTS = [
  ...['engine', 'fabric', 'mechanisms', 'report', 'runtime', 'telemetry'].map(
    (of) => `unit/${of}/`,
  ),
  'validation/negative-controls',
  // Keys, defaults and wire formats, as the documents have them.
  'tidy/references',
  ...['credit-recovery', 'discovery-credit', 'mvtx2802-fabrics'].map((name) => `property/${name}`),
];
const MINUTE = 60_000;
const SURVEY_OCTETS = 6e9;

/** Kept from the last time, unless a source has changed since; `isOldEnough`: even then. */
export async function knowledge(
  tree: EngineTree,
  modules: readonly CompiledModule[],
  isOldEnough: boolean,
): Promise<Knowledge> {
  const key = keyOf(modules);
  if (existsSync(FILE)) {
    const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Knowledge;
    if (kept.key === key || isOldEnough) return kept;
  }
  console.error('surveying which scenarios and tests execute what: some minutes, once');
  const made = { key, scenarios: await surveyed(tree), tests: await surveyedTests(tree, modules) };
  mkdirSync(join(ROOT, 'dist/mutants'), { recursive: true });
  writeFileSync(FILE, JSON.stringify(made));
  return made;
}

function keyOf(modules: readonly CompiledModule[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of modules) hash.update(`${name}\n${text}`);
  for (const name of readdirSync(join(ROOT, 'examples')).filter((path) => path.endsWith('.yaml'))) {
    hash.update(`${name}\n${readFileSync(join(ROOT, 'examples', name), 'utf8')}`);
  }
  return hash.digest('hex');
}

async function surveyed(tree: EngineTree): Promise<Surveyed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-survey-'));
  const file = join(folder, 'survey.json');
  const words = [join(tree.folder, 'dist/test/mutants/survey.js'), file];
  const { code, stopped, stderr } = await runNode(words, {
    cpuMs: 60 * MINUTE,
    octets: SURVEY_OCTETS,
    cwd: tree.folder,
  });
  if (code !== 0) throw new Error(`the survey failed: ${stopped}${stderr}`);
  const text = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  return JSON.parse(text) as Surveyed[];
}

async function surveyedTests(
  tree: EngineTree,
  modules: readonly CompiledModule[],
): Promise<SurveyedTest[]> {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const folder = join(tree.folder, 'dist/test');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.test.js') && TESTS.some((beginning) => path.startsWith(beginning)),
  );
  const found: SurveyedTest[] = [];
  await inParallel(files.sort(), Math.ceil(availableParallelism() / 2), async (path) => {
    const file = `test/${path}`;
    const coverage = mkdtempSync(join(tmpdir(), 'selvage-survey-'));
    const startedAt = performance.now();
    const { code } = await runNode([join(tree.folder, 'dist', file)], {
      cpuMs: MINUTE,
      cwd: tree.folder,
      env: { NODE_V8_COVERAGE: coverage },
    });
    const ms = performance.now() - startedAt;
    if (code === 0) found.push({ file, ms, executed: executedIn(coverage, byName) });
    rmSync(coverage, { recursive: true });
  });
  return found.sort((a, b) => a.ms - b.ms);
}

function executedIn(folder: string, modules: ReadonlyMap<string, CompiledModule>): string[] {
  const ids = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: Parameters<typeof executedMutations>[0];
    };
    return executedMutations(result, modules);
  });
  return [...new Set(ids)];
}
