import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineTree } from './engine-trees.js';
import type { Job, Line } from './judge.js';
import type { Knowledge, SurveyedTest } from './knowledge.js';
import type { CompiledModule } from './modules.js';
import type { Mutation } from './mutations.js';
import { runNode } from './processes.js';
import type { Surveyed } from './survey.js';
import type { RunTier } from './tiers.js';
import { TEST_TIER } from './tiers.js';

export interface Candidate {
  readonly module: CompiledModule;
  readonly mutation: Mutation;
}

/** What became of a defect. */
export interface Verdict {
  /** The tier that noticed it; null: it survived. */
  readonly tier: string | null;
  /** By what: a scenario, or a test file. */
  readonly by: string;
  readonly reason: string;
  /** Whether anything executes its place. */
  readonly isExecuted: boolean;
}

/** What is run for a defect, of what executes its place. */
interface Chosen {
  readonly scenarios: readonly Surveyed[];
  readonly tests: readonly SurveyedTest[];
}

export interface TrialOptions {
  readonly knowledge: Knowledge;
  readonly tiers: readonly RunTier[];
  /** Processor time of the plain runs for one defect. */
  readonly budgetMs: number;
}

/** Where nothing but the start of a program executes a line, what it declares is in documents. */
const OF_DOCUMENTS = 'test/tidy/references.test.js';
const TESTS_MOST = 6;
const TESTS_QUICKEST = 3;
const SCENARIOS_MOST = 24;
/** So that the quickest are not chosen for nothing else. */
const START_OF_RUN_MS = 50;
const START_OF_TEST_MS = 500;
/** A run without a defect takes a tenth of it, with all that starts before it. */
const TIMES_LONGER = 10;
/** Of runs with checks, which take long anyway; those that do not end do not in plain runs. */
const TIMES_LONGER_CHECKED = 3;
const START_MS = 10_000;
const SURVIVED = { tier: null, by: '', reason: '' } as const;

/** Plants a defect, and runs until something notices it. */
export async function tryOut(
  tree: EngineTree,
  { module, mutation }: Candidate,
  options: TrialOptions,
): Promise<Verdict> {
  const chosen = choose(module, mutation, options);
  const isExecuted = chosen.scenarios.length + chosen.tests.length > 0;
  const mend = tree.plant(module, mutation);
  try {
    const noticed =
      (await byRuns(tree, chosen.scenarios, options)) ?? (await byTests(tree, chosen.tests));
    return { ...(noticed ?? SURVIVED), isExecuted };
  } finally {
    mend();
  }
}

/** The same by some tests alone. */
export async function tryTests(
  tree: EngineTree,
  { module, mutation }: Candidate,
  tests: readonly TimedTest[],
): Promise<string | null> {
  const mend = tree.plant(module, mutation);
  try {
    return (await byTests(tree, tests))?.by ?? null;
  } finally {
    mend();
  }
}

/** The quickest that execute it. What a module does when it is loaded shows in all that use it. */
function choose(module: CompiledModule, mutation: Mutation, options: TrialOptions): Chosen {
  const { knowledge, budgetMs } = options;
  const executes = ({ executed }: Pick<Surveyed, 'executed'>): boolean =>
    executed.includes(mutation.id);
  const prefix = `${module.name}#`;
  const uses = ({ executed }: Pick<Surveyed, 'executed'>): boolean =>
    executed.some((id) => id.startsWith(prefix));
  // Hooks of a mechanism are called without it, too: what else is done tells who uses it.
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const byRuns = knowledge.scenarios.filter(executes);
  const byTests = knowledge.tests.filter(executes);
  const isLoaded = byRuns.length === 0 && byTests.length > TESTS_MOST;
  const scenarios = isLoaded ? knowledge.scenarios.filter(uses) : byRuns;
  const documents = byTests.filter(({ file }) => isLoaded && file === OF_DOCUMENTS);
  const tests = isLoaded ? byTests.filter(uses) : byTests;
  return {
    scenarios: within(
      folder,
      isLoaded && scenarios.length === 0 ? knowledge.scenarios : scenarios,
      budgetMs,
    ),
    tests: [...new Set([...documents, ...likely(folder, tests)])],
  };
}

/** The quickest, and before them those that do most in the folder for their time. */
function likely(folder: string, tests: readonly SurveyedTest[]): SurveyedTest[] {
  const doing = ({ executed, ms }: SurveyedTest): number =>
    executed.filter((id) => id.startsWith(folder)).length / (ms + START_OF_TEST_MS);
  const most = [...tests].sort((a, b) => doing(b) - doing(a)).slice(0, TESTS_MOST);
  return [...new Set([...most, ...tests.slice(0, TESTS_QUICKEST)])];
}

/**
 * Those that do most that the ones before them do not, in the folder, for their time; again and
 * again, as one that does the same may show it in another way.
 */
function within(folder: string, scenarios: readonly Surveyed[], budgetMs: number): Surveyed[] {
  const left = new Map(
    scenarios.map((one) => [one, one.executed.filter((id) => id.startsWith(folder))]),
  );
  const chosen: Surveyed[] = [];
  const seen = new Set<string>();
  let rest = budgetMs;
  while (left.size > 0 && chosen.length < SCENARIOS_MOST) {
    const [best, isNew] = bestOf(left, seen);
    if (!isNew && seen.size > 0) {
      seen.clear();
      continue;
    }
    for (const id of left.get(best)!) seen.add(id);
    left.delete(best);
    if (chosen.length > 0 && best.ms > rest) continue;
    rest -= best.ms;
    chosen.push(best);
  }
  return chosen.sort((a, b) => a.ms - b.ms);
}

function bestOf(
  left: ReadonlyMap<Surveyed, readonly string[]>,
  seen: ReadonlySet<string>,
): readonly [best: Surveyed, isNew: boolean] {
  let best: Surveyed | null = null;
  let most = -1;
  for (const [one, ids] of left) {
    const value = ids.filter((id) => !seen.has(id)).length / (one.ms + START_OF_RUN_MS);
    if (value <= most) continue;
    best = one;
    most = value;
  }
  return [best!, most > 0];
}

type Noticed = Omit<Verdict, 'isExecuted'>;

async function byRuns(
  tree: EngineTree,
  scenarios: readonly Surveyed[],
  { tiers }: TrialOptions,
): Promise<Noticed | null> {
  if (scenarios.length === 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'selvage-judge-'));
  const file = join(folder, 'job.json');
  const job: Job = {
    tiers,
    scenarios: scenarios.map(({ executed: _, ...scenario }) => scenario),
  };
  writeFileSync(file, JSON.stringify(job));
  const ms = scenarios.reduce((sum, scenario) => sum + TIMES_LONGER * scenario.ms, 0);
  const checkedMs = scenarios.reduce(
    (sum, scenario) => sum + TIMES_LONGER_CHECKED * scenario.checkedMs,
    0,
  );
  const ended = await runNode([join(tree.folder, 'dist/test/mutants/judge.js'), file], {
    cpuMs: START_MS + ms + checkedMs,
    cwd: tree.folder,
  });
  rmSync(folder, { recursive: true });
  const lines = ended.stdout.split('\n').filter((line) => line.startsWith('{'));
  const last = lines.length === 0 ? null : (JSON.parse(lines.at(-1)!) as Line);
  if (last?.event === 'ends') return null;
  if (last?.event === 'noticed') {
    return { tier: last.tier, by: last.scenario, reason: last.reason };
  }
  const reason = ended.stopped === '' ? `crash: ${errorIn(ended.stderr)}` : ended.stopped;
  return { tier: last?.tier ?? tiers[0]!.name, by: last?.scenario ?? 'start', reason };
}

function errorIn(stderr: string): string {
  return stderr.split('\n').find((line) => /^\w*(Error|Assertion)\b/.test(line)) ?? 'no message';
}

type TimedTest = Pick<SurveyedTest, 'file' | 'ms'>;

async function byTests(tree: EngineTree, tests: readonly TimedTest[]): Promise<Noticed | null> {
  for (const { file, ms } of tests) {
    const limits = { cpuMs: START_MS + TIMES_LONGER * ms, cwd: tree.folder };
    const { code, stopped } = await runNode([join(tree.folder, 'dist', file)], limits);
    if (code !== 0) return { tier: TEST_TIER, by: file, reason: stopped || 'the test fails' };
  }
  return null;
}
