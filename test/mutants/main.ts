import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { draw } from './draw.js';
import { EngineTree } from './engine-trees.js';
import { EQUIVALENT } from './equivalent.js';
import { Knowledge } from './knowledge.js';
import type { CompiledModule } from './modules.js';
import { compiledModules } from './modules.js';
import { inParallel } from './parallel.js';
import type { Tried } from './report.js';
import { changeOf, goalsText, placeOf, scoreTable, survivorsText, triedOf } from './report.js';
import { RUN_TIERS } from './tiers.js';
import type { Candidate } from './trial.js';
import { tryRows } from './rows.js';
import { SoundRuns, tryOut } from './trial.js';

// `npm run mutants` plants defects of one line, one after the other, and tells which were noticed by
// what. See README.md.

const EXIT_USAGE = 2;

interface Options {
  readonly seed: string;
  readonly count: string;
  readonly folder: string;
  readonly only: readonly string[];
  readonly list: boolean;
  readonly json?: string;
  readonly jobs: string;
  readonly budget: string;
  readonly survey: boolean;
  readonly tests: boolean;
  readonly rows?: string;
  readonly claim: string;
}

function refuse(message: string): never {
  console.error(`error: ${message}`);
  process.exit(EXIT_USAGE);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) refuse(`--${name} ${text}: a whole number`);
  return Number(text);
}

function candidates(modules: readonly CompiledModule[], options: Options): Candidate[] {
  const { seed, count, folder, only } = options;
  if (only.length > 0) return only.map((id) => byId(modules, id));
  const meant = modules.filter(({ name }) => name.startsWith(folder.replace(/^services\//, '')));
  if (meant.length === 0) refuse(`--folder ${folder}: no folder of services/engine or mechanisms`);
  const known = meant.map((module) => ({
    ...module,
    mutations: module.mutations.filter(({ id }) => !(id in EQUIVALENT)),
  }));
  return draw(known, wholeNumber('seed', seed), wholeNumber('count', count));
}

function byId(modules: readonly CompiledModule[], wanted: string): Candidate {
  const module = modules.find(({ name }) => wanted.startsWith(`${name}#`));
  const mutation = module?.mutations.find(({ id }) => id === wanted);
  if (module === undefined || mutation === undefined) refuse(`--only ${wanted}: no such defect`);
  return { module, mutation };
}

async function tryAll(
  modules: readonly CompiledModule[],
  drawn: readonly Candidate[],
  options: Options,
): Promise<Tried[]> {
  const jobs = Math.max(1, Math.min(wholeNumber('jobs', options.jobs), drawn.length));
  const sound = new EngineTree(modules);
  const trees = Array.from({ length: jobs }, () => new EngineTree(modules));
  try {
    const knowledge = new Knowledge(sound, modules, options.survey);
    const trial = {
      ...{ knowledge, tiers: RUN_TIERS, sound: new SoundRuns(sound), hasTests: options.tests },
      budgetMs: wholeNumber('budget', options.budget),
    };
    const tried: Tried[] = [];
    await inParallel(drawn, jobs, async (candidate, worker) => {
      const one = triedOf(candidate, await tryOut(trees[worker]!, candidate, trial));
      tried.push(one);
      const outcome = one.tier === null ? 'survives' : `${one.tier}: ${one.by}: ${one.reason}`;
      console.error(`${tried.length}/${drawn.length} ${one.at} ${one.change}: ${outcome}`);
    });
    return tried.sort((a, b) => (a.at < b.at ? -1 : 1));
  } finally {
    for (const tree of [sound, ...trees]) tree.remove();
  }
}

const program = new Command('mutants')
  .option('--seed <number>', 'which defects are drawn', '1')
  .option('--count <number>', 'how many', '100')
  .option('--folder <path>', 'of this folder of services alone', '')
  .option('--only <id...>', 'these, as a list or a report names them', [])
  .option('--rows <page>', 'of the rows of a page of docs/seeds, by the tests of each row alone')
  .option('--claim <words>', 'of rows whose claim has these words', '')
  .option('--list', 'list them, and plant none', false)
  .option('--json <file>', 'write what became of each')
  .option('--jobs <number>', 'at a time', String(Math.ceil(availableParallelism() / 2)))
  .option('--budget <ms>', 'processor time of the plain runs for one defect', '1500')
  .option('--survey', 'find out anew which scenarios and tests execute what', false)
  .option('--no-tests', 'try runs alone')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
  .parse();
const options = program.opts<Options>();
const modules = compiledModules();
if (options.rows !== undefined) {
  const [seed, count] = [wholeNumber('seed', options.seed), wholeNumber('count', options.count)];
  const weak = await tryRows(options.rows, modules, { seed, count, claim: options.claim });
  console.log(weak.length === 0 ? 'Every defect was noticed by its row.' : weak.join('\n'));
  process.exit(0);
}
const drawn = candidates(modules, options);
if (options.list) {
  for (const one of drawn) {
    const { id, kind } = one.mutation;
    console.log(`${id}  ${placeOf(one)}  ${kind}: ${changeOf(one.mutation)}`);
  }
} else {
  const tried = await tryAll(modules, drawn, options);
  console.log(scoreTable(tried));
  console.log(`\n${goalsText(tried)}`);
  console.log(`\nSurvivors:\n${survivorsText(tried)}`);
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(tried, null, 1));
}
