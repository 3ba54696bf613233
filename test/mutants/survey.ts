/**
 * Which scenario executes which defect's place, how long it takes, and what it leaves: written to
 * the file that is named. It runs in a copy of the engine without a defect.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { makeWorld } from '../../services/hunt/worlds/world.js';
import { executedMutations } from './executed.js';
import { compiledModules } from './modules.js';
import type { Scenario } from './runs.js';
import { outcomeOf } from './runs.js';
import { RUN_TIERS } from './tiers.js';

/** A scenario that ends well in every tier. */
export interface Surveyed extends Scenario {
  readonly fingerprint: string;
  /** Processor time of a plain run. */
  readonly ms: number;
  /** Of the runs of all other tiers. */
  readonly checkedMs: number;
  readonly executed: readonly string[];
}

const WORLDS = 150;
const SEED = 46;
/** More would make a defect cost too much. */
const MOST_MS = 1500;

function scenarios(): Scenario[] {
  const examples = readdirSync('examples').filter((name) => name.endsWith('.yaml'));
  const worlds = Array.from({ length: WORLDS }, (_, number) => ({
    name: `world ${number} of seed ${SEED}`,
    document: makeWorld(SEED, number).document,
  }));
  return [...examples.map((name) => ({ name: `examples/${name}`, document: null })), ...worlds];
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function survey(): Promise<Surveyed[]> {
  const modules = new Map(compiledModules().map((module) => [module.name, module]));
  const [plain, ...checked] = RUN_TIERS;
  const all = scenarios();
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const surveyed: Surveyed[] = [];
  for (const scenario of all) {
    await inspector.post('Profiler.takePreciseCoverage');
    const startedAt = cpuMs();
    if (outcomeOf(scenario, plain!).code !== 0) continue;
    const ms = cpuMs() - startedAt;
    if (ms > MOST_MS) continue;
    const checkedAt = cpuMs();
    const outcomes = checked.map((tier) => outcomeOf(scenario, tier));
    if (outcomes.some(({ code }) => code !== 0)) continue;
    const checkedMs = cpuMs() - checkedAt;
    const { fingerprint } = outcomes[0]!;
    // What records and what resumes, too, which plain runs do not.
    const taken = await inspector.post('Profiler.takePreciseCoverage');
    const executed = executedMutations(taken.result, modules);
    surveyed.push({ ...scenario, fingerprint, ms, checkedMs, executed });
  }
  return surveyed;
}

writeFileSync(process.argv[2]!, JSON.stringify(await survey()));
