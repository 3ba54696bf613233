/**
 * Which scenario executes which defect's place, and how long it takes: written to the file that is
 * named. It runs in a copy of the engine without a defect.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { makeWorld } from '../../services/hunt/worlds/world.js';
import { executedMutations } from './executed.js';
import { compiledModules } from './modules.js';
import type { Scenario } from './runs.js';
import { cpuMs, outcomeOf } from './runs.js';
import { RECORDED_TIER } from './tiers.js';

/** A scenario that ends well. */
export interface Surveyed extends Scenario {
  /** Processor time of a run that counts what it executes. */
  readonly ms: number;
  readonly executed: readonly string[];
}

const WORLDS = 400;
const SEED = 46;
/** More would make a defect cost too much. */
const MOST_MS = 3000;

function scenarios(): Scenario[] {
  const examples = readdirSync('examples').filter((name) => name.endsWith('.yaml'));
  const worlds = Array.from({ length: WORLDS }, (_, number) => ({
    name: `world ${number} of seed ${SEED}`,
    document: makeWorld(SEED, number).document,
  }));
  return [...examples.map((name) => ({ name: `examples/${name}`, document: null })), ...worlds];
}

async function survey(): Promise<Surveyed[]> {
  const modules = new Map(compiledModules().map((module) => [module.name, module]));
  const all = scenarios();
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const surveyed: Surveyed[] = [];
  for (const scenario of all) {
    await inspector.post('Profiler.takePreciseCoverage');
    const startedAt = cpuMs();
    if (outcomeOf(scenario, RECORDED_TIER).code !== 0) continue;
    const ms = cpuMs() - startedAt;
    if (ms > MOST_MS) continue;
    const taken = await inspector.post('Profiler.takePreciseCoverage');
    surveyed.push({ ...scenario, ms, executed: executedMutations(taken.result, modules) });
  }
  return surveyed;
}

writeFileSync(process.argv[2]!, JSON.stringify(await survey()));
