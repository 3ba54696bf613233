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
import type { Mutation } from './mutations.js';
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

/** What is kept of either: names of places once, and a bit each for what executed them. */
interface Kept<T> {
  readonly places: readonly string[];
  readonly those: readonly (Omit<T, 'executed'> & { readonly executed: string })[];
}

const FOLDER = join(ROOT, 'dist/mutants');
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

/**
 * What executes the places of defects. A survey is kept when sources change: it only tells where to
 * look, and places have names of their text (`placeKnown`). `isDue`: it is made again.
 */
export class Knowledge {
  private readonly known = new Set<string>();
  private scenariosMade: Promise<readonly Surveyed[]> | null = null;
  private testsMade: Promise<readonly SurveyedTest[]> | null = null;

  constructor(
    private readonly tree: EngineTree,
    private readonly modules: readonly CompiledModule[],
    private readonly isDue: boolean,
  ) {}

  get scenarios(): Promise<readonly Surveyed[]> {
    this.scenariosMade ??= this.kept('scenarios', () => surveyed(this.tree));
    return this.scenariosMade;
  }

  /** Surveyed when the first defect is not noticed otherwise. */
  get tests(): Promise<readonly SurveyedTest[]> {
    this.testsMade ??= this.kept('tests', () => surveyedTests(this.tree, this.modules));
    return this.testsMade;
  }

  /** The place itself or, where its line has changed since, the one before it in its module. */
  placeKnown({ mutations }: CompiledModule, { start, id }: Mutation): string {
    const before = mutations.filter((own) => own.start <= start && this.known.has(own.id));
    return before.at(-1)?.id ?? id;
  }

  private async kept<T extends { readonly executed: readonly string[] }>(
    name: string,
    survey: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const file = join(FOLDER, `${name}.json`);
    if (!existsSync(file) || this.isDue) {
      console.error(`surveying ${name} that execute defects: minutes, once`);
      mkdirSync(FOLDER, { recursive: true });
      const places = this.modules.flatMap(({ mutations }) => mutations.map(({ id }) => id));
      writeFileSync(file, JSON.stringify(packed(places, await survey())));
    }
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept<T>;
    for (const id of kept.places) this.known.add(id);
    return unpacked(kept);
  }
}

function packed<T extends { readonly executed: readonly string[] }>(
  places: readonly string[],
  those: readonly T[],
): Kept<T> {
  const at = new Map(places.map((id, number) => [id, number]));
  return {
    places,
    those: those.map((one) => {
      const bits = Buffer.alloc(Math.ceil(places.length / 8));
      for (const id of one.executed) bits[at.get(id)! >> 3]! |= 1 << (at.get(id)! & 7);
      return { ...one, executed: bits.toString('base64') };
    }),
  };
}

function unpacked<T>({ places, those }: Kept<T>): T[] {
  return those.map((one) => {
    const bits = Buffer.from(one.executed, 'base64');
    const executed = places.filter((_, i) => (bits[i >> 3]! & (1 << (i & 7))) !== 0);
    return { ...one, executed } as T;
  });
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
