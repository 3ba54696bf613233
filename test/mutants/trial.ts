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

const TESTS_MOST = 6;
const SCENARIOS_MOST = 16;
/** A run without a defect takes a tenth of it, with all that starts before it. */
const TIMES_LONGER = 10;
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

/** The quickest that execute it. What a module does when it is loaded shows in all that use it. */
function choose(module: CompiledModule, mutation: Mutation, options: TrialOptions): Chosen {
  const { knowledge, budgetMs } = options;
  const executes = ({ executed }: Pick<Surveyed, 'executed'>): boolean =>
    executed.includes(mutation.id);
  const prefix = `${module.name}#`;
  const uses = ({ executed }: Pick<Surveyed, 'executed'>): boolean =>
    executed.some((id) => id.startsWith(prefix));
  const byRuns = knowledge.scenarios.filter(executes);
  const byTests = knowledge.tests.filter(executes);
  const isLoaded = byRuns.length === 0 && byTests.length > TESTS_MOST;
  const scenarios = isLoaded ? knowledge.scenarios.filter(uses) : byRuns;
  const tests = isLoaded ? byTests.filter(uses) : byTests;
  return {
    scenarios: within(
      isLoaded && scenarios.length === 0 ? knowledge.scenarios : scenarios,
      budgetMs,
    ),
    tests: tests.slice(0, TESTS_MOST),
  };
}

/** Examples and worlds in turn, the quickest first. */
function within(scenarios: readonly Surveyed[], budgetMs: number): Surveyed[] {
  const sorted = [...scenarios].sort((a, b) => a.ms - b.ms);
  const examples = sorted.filter(({ document }) => document === null);
  const worlds = sorted.filter(({ document }) => document !== null);
  const mixed = sorted
    .flatMap((_, i) => [examples[i], worlds[i]])
    .filter((one) => one !== undefined);
  const chosen: Surveyed[] = [];
  let rest = budgetMs;
  for (const scenario of mixed) {
    if (chosen.length === SCENARIOS_MOST) break;
    if (chosen.length > 0 && scenario.ms > rest) continue;
    rest -= scenario.ms;
    chosen.push(scenario);
  }
  return chosen;
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
  const ms = scenarios.reduce((sum, scenario) => sum + scenario.ms, 0) * tiers.length;
  const ended = await runNode([join(tree.folder, 'dist/test/mutants/judge.js'), file], {
    cpuMs: START_MS + TIMES_LONGER * ms,
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

async function byTests(tree: EngineTree, tests: readonly SurveyedTest[]): Promise<Noticed | null> {
  for (const { file, ms } of tests) {
    const limits = { cpuMs: START_MS + TIMES_LONGER * ms, cwd: tree.folder };
    const { code, stopped } = await runNode([join(tree.folder, 'dist', file)], limits);
    if (code !== 0) return { tier: TEST_TIER, by: file, reason: stopped || 'the test fails' };
  }
  return null;
}
