import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineTree } from './engine-trees.js';
import type { Job, Line } from './judge.js';
import type { Knowledge, SurveyedTest } from './knowledge.js';
import type { CompiledModule } from './modules.js';
import type { Mutation } from './mutations.js';
import { runNode } from './processes.js';
import type { Scenario } from './runs.js';
import type { Surveyed } from './survey.js';
import type { RunTier } from './tiers.js';
import { GOLDEN_TIER, RECORDED_TIER, TEST_TIER } from './tiers.js';

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

export interface TrialOptions {
  readonly knowledge: Knowledge;
  readonly tiers: readonly RunTier[];
  /** Processor time of the plain runs for one defect. */
  readonly budgetMs: number;
  /** What runs leave without a defect. */
  readonly sound: SoundRuns;
  /** Whether tests are tried, too. */
  readonly hasTests: boolean;
}

const OF_DOCUMENTS = 'test/tidy/references.test.js';
const TESTS_MOST = 6;
const TESTS_QUICKEST = 3;
const SCENARIOS_MOST = 16;
/** So that the quickest are not chosen for nothing else. */
const START_OF_RUN_MS = 50;
const START_OF_TEST_MS = 500;
/** A run without a defect takes a tenth of it, with all that starts before it. */
const TIMES_LONGER = 10;
/** Of the first run of a tier, which may take longer than its budget. */
const MOST_MS = 500;
const START_MS = 10_000;
const LONGEST_MS = 60_000;
/** Times a plain run that one takes whose checks and places are counted. */
const SURVEYED_COST = 5;
const SURVIVED = { tier: null, by: '', reason: '' } as const;

/** Plants a defect, and runs until something notices it. */
export async function tryOut(
  tree: EngineTree,
  { module, mutation }: Candidate,
  options: TrialOptions,
): Promise<Verdict> {
  const scenarios = await chooseRuns(module, mutation, options);
  const mend = tree.plant(module, mutation);
  try {
    const byRun = await byRuns(tree, scenarios, options);
    if (byRun !== null || !options.hasTests) {
      return { ...(byRun ?? SURVIVED), isExecuted: scenarios.length > 0 };
    }
    const tests = await chooseTests(module, mutation, options);
    const isExecuted = scenarios.length + tests.length > 0;
    return { ...((await byTests(tree, tests)) ?? SURVIVED), isExecuted };
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

const executing = (id: string) => (one: { readonly executed: readonly string[] }) =>
  one.executed.includes(id);

const using = (prefix: string) => (one: { readonly executed: readonly string[] }) =>
  one.executed.some((id) => id.startsWith(prefix));

/** Hooks of a mechanism are called without it, too: what else is done in it tells who uses it. */
const folderOf = ({ name }: CompiledModule): string => name.slice(0, name.lastIndexOf('/') + 1);

/** The quickest that execute it. What a module does when it is loaded shows in all that use it. */
async function chooseRuns(
  module: CompiledModule,
  mutation: Mutation,
  { knowledge, budgetMs }: TrialOptions,
): Promise<readonly Surveyed[]> {
  const all = await knowledge.scenarios;
  const those = all.filter(executing(knowledge.placeKnown(module, mutation)));
  const users = those.length > 0 ? those : all.filter(using(`${module.name}#`));
  return within(folderOf(module), users.length > 0 ? users : all, budgetMs);
}

/** The same of tests; what nothing but the start of a program executes is in documents. */
async function chooseTests(
  module: CompiledModule,
  mutation: Mutation,
  { knowledge }: TrialOptions,
): Promise<readonly SurveyedTest[]> {
  const those = (await knowledge.tests).filter(executing(knowledge.placeKnown(module, mutation)));
  const users = those.filter(using(folderOf(module)));
  const documents = those.filter(({ file }) => file === OF_DOCUMENTS);
  return [...new Set([...likely(folderOf(module), users), ...documents])];
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
  let rest = budgetMs * SURVEYED_COST;
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

/** What runs print that is compared: by scenario, its fingerprint. */
interface Judged {
  readonly noticed: Noticed | null;
  readonly prints: ReadonlyMap<string, string>;
}

/** Runs of a copy without a defect. */
export class SoundRuns {
  private readonly noticed = new Map<string, Promise<Judged>>();
  private readonly prints = new Map<string, string>();

  constructor(private readonly tree: EngineTree) {}

  async isNoticed(scenario: Scenario, tier: RunTier): Promise<boolean> {
    const key = `${tier.name} ${scenario.name}`;
    const kept = this.noticed.get(key) ?? judged(this.tree, [scenario], { tiers: [tier] });
    this.noticed.set(key, kept);
    return (await kept).noticed !== null;
  }

  /** Of each that ends well; those that are not known are run in one process. */
  async printsOf(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, string>> {
    const unknown = scenarios.filter(({ name }) => !this.prints.has(name));
    if (unknown.length > 0) {
      const { prints } = await judged(this.tree, unknown, {
        tiers: [RECORDED_TIER],
        budgetMs: LONGEST_MS,
      });
      for (const [name, print] of prints) this.prints.set(name, print);
    }
    return this.prints;
  }
}

async function byRuns(
  tree: EngineTree,
  scenarios: readonly Surveyed[],
  options: TrialOptions,
): Promise<Noticed | null> {
  if (scenarios.length === 0) return null;
  const { sound, tiers } = options;
  const { noticed, prints } = await judged(tree, scenarios, options);
  if (noticed !== null) {
    const { by, tier } = noticed;
    const one = scenarios.find(({ name }) => name === by);
    const asTold = tiers.find(({ name }) => name === tier);
    if (one === undefined || asTold === undefined) return noticed;
    if (!(await sound.isNoticed(one, asTold))) return noticed;
    // It does not end well without the defect either, which says nothing.
    const others = scenarios.filter((own) => own !== one);
    return byRuns(tree, others, options);
  }
  const expected = await sound.printsOf(scenarios.filter(({ name }) => prints.has(name)));
  const changed = [...prints].find(([name, print]) => print !== (expected.get(name) ?? print));
  if (changed === undefined) return null;
  return { tier: GOLDEN_TIER, by: changed[0], reason: 'another fingerprint' };
}

async function judged(
  tree: EngineTree,
  scenarios: readonly Scenario[],
  { tiers, budgetMs = 0 }: Pick<TrialOptions, 'tiers'> & { readonly budgetMs?: number },
): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-judge-'));
  const file = join(folder, 'job.json');
  const job: Job = {
    ...{ tiers, budgetMs, resumes: tiers.length > 1 },
    scenarios: scenarios.map(({ name, document }) => ({ name, document })),
  };
  writeFileSync(file, JSON.stringify(job));
  const times = tiers.reduce((sum, { cost }) => sum + cost, 0);
  const ended = await runNode([join(tree.folder, 'dist/test/mutants/judge.js'), file], {
    cpuMs: START_MS + times * Math.max(TIMES_LONGER * MOST_MS, 2 * budgetMs),
    cwd: tree.folder,
  });
  rmSync(folder, { recursive: true });
  const lines = ended.stdout.split('\n').filter((line) => line.startsWith('{'));
  const told = lines.map((line) => JSON.parse(line) as Line);
  const ofPrints = told.filter(({ event }) => event === 'print');
  const prints = new Map(ofPrints.map(({ scenario, reason }) => [scenario, reason]));
  const last = told.at(-1);
  if (last?.event === 'ends') return { noticed: null, prints };
  const isTold = last?.event === 'noticed';
  const reason = ended.stopped === '' ? `crash: ${errorIn(ended.stderr)}` : ended.stopped;
  const [tier, by] = [last?.tier ?? tiers[0]!.name, last?.scenario ?? 'start'];
  return { noticed: { tier, by, reason: isTold ? last.reason : reason }, prints };
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
