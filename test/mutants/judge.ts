/**
 * Runs scenarios tier by tier, in a process and a copy of the engine of its own, and stops at the
 * first that ends otherwise than it should. What it prints, a line of JSON each, tells what it was
 * at when it crashes or is stopped.
 */

import { readFileSync } from 'node:fs';
import type { Scenario } from './runs.js';
import { cpuMs, isResumedAlike, outcomeOf } from './runs.js';
import type { RunTier } from './tiers.js';
import { GOLDEN_TIER } from './tiers.js';

export interface Job {
  readonly tiers: readonly RunTier[];
  readonly scenarios: readonly Scenario[];
  /** Processor time of plain runs; after it no other scenario of a tier begins. */
  readonly budgetMs: number;
  /** Whether runs are resumed half way, too. */
  readonly resumes: boolean;
}

/** What a judge prints. */
export interface Line {
  /** `print`: a scenario's fingerprint is the reason. */
  readonly event: 'begins' | 'print' | 'noticed' | 'ends';
  readonly tier: string;
  readonly scenario: string;
  readonly reason: string;
}

function print(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function judge({ tiers, scenarios, budgetMs, resumes }: Job): Line | null {
  for (const tier of tiers) {
    const endsAt = cpuMs() + budgetMs * tier.cost;
    for (const scenario of scenarios) {
      const at = { tier: tier.name, scenario: scenario.name };
      print({ event: 'begins', ...at, reason: '' });
      const { code, reason, fingerprint } = outcomeOf(scenario, tier);
      if (code !== 0) return { event: 'noticed', ...at, reason: `exit code ${code}: ${reason}` };
      if (fingerprint !== '') print({ event: 'print', ...at, reason: fingerprint });
      if (cpuMs() > endsAt) break;
    }
  }
  if (!resumes) return null;
  const endsAt = cpuMs() + budgetMs;
  for (const scenario of scenarios) {
    const at = { tier: GOLDEN_TIER, scenario: scenario.name };
    print({ event: 'begins', ...at, reason: '' });
    if (!isResumedAlike(scenario)) return { event: 'noticed', ...at, reason: 'resumed, another' };
    if (cpuMs() > endsAt) break;
  }
  return null;
}

const noticed = judge(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Job);
print(noticed ?? { event: 'ends', tier: '', scenario: '', reason: '' });
