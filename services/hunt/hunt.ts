import { buildFabric } from '../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import { programFile } from '../runtime/package-files.js';
import type { Document } from './document.js';
import type { HuntTask } from './hunt-worker.js';
import { runInWorkers } from './run-in-workers.js';
import type { Shrunk } from './shrink.js';
import { shrink } from './shrink.js';
import type { Prepare, Verdict } from './trial.js';
import { signatureOf, tryOut } from './trial.js';
import type { VariationOptions } from './variation.js';
import { Variations } from './variation.js';

interface HuntOptions extends VariationOptions {
  readonly runs: number;
  /** Number of the first. */
  readonly from?: number;
  readonly threads: number;
  /** Most runs for shrinking one failing scenario. */
  readonly shrinkRuns: number;
  /** With the second oracle (`--check=deep`). */
  readonly deep?: boolean;
}

/** The first run that failed in some way, and the smallest scenario that fails so. */
export interface Found {
  readonly run: number;
  readonly reason: string;
  /** Runs that failed in the same way. */
  readonly count: number;
  readonly shrunk: Shrunk;
}

export interface HuntResult {
  readonly runs: number;
  readonly found: readonly Found[];
}

interface Failed {
  readonly run: number;
  readonly verdict: Verdict;
}

/** Runs variations of a scenario in several threads; `progress` gets the number of those done. */
export async function hunt(
  file: string,
  document: Document,
  options: HuntOptions,
  progress: (done: number, failed: number) => void,
): Promise<HuntResult> {
  const { seed, faults, deep = false } = options;
  const task: HuntTask = { file, document, options: { seed, faults }, deep };
  const failed: Failed[] = [];
  let done = 0;
  const numbers = { from: options.from ?? 0, count: options.runs };
  await runInWorkers(programFile('hunt-worker'), task, options.threads, numbers, (reply) => {
    const { run, verdict } = reply as Failed;
    done++;
    if (verdict.reason !== null) failed.push({ run, verdict });
    progress(done, failed.length);
  });
  return { runs: options.runs, found: shrinkAll(file, document, options, failed, null) };
}

/** The same in this thread, one run after the other, until the first that fails. */
export function huntHere(
  file: string,
  document: Document,
  options: Omit<HuntOptions, 'threads'>,
  prepare: Prepare | null,
): HuntResult {
  const variations = variationsOf(file, document, options);
  for (let run = 0; run < options.runs; run++) {
    const verdict = tryOut(file, variations.make(run), prepare, options.deep);
    if (verdict.reason === null) continue;
    const found = shrinkAll(file, document, options, [{ run, verdict }], prepare);
    return { runs: run + 1, found };
  }
  return { runs: options.runs, found: [] };
}

function variationsOf(file: string, document: Document, options: VariationOptions): Variations {
  return new Variations(document, buildFabric(scenarioOfDocument(file, document)), options);
}

/** Of each signature of failure the first run, shrunk. */
function shrinkAll(
  file: string,
  document: Document,
  options: Omit<HuntOptions, 'threads'>,
  failed: readonly Failed[],
  prepare: Prepare | null,
): Found[] {
  const variations = variationsOf(file, document, options);
  const groups = new Map<string, Failed[]>();
  for (const one of [...failed].sort((a, b) => a.run - b.run)) {
    const signature = signatureOf(one.verdict.reason!);
    groups.set(signature, [...(groups.get(signature) ?? []), one]);
  }
  const trial = (smaller: Document): Verdict | null => {
    try {
      return tryOut(file, smaller, prepare, options.deep);
    } catch (error) {
      if ((error as Error).name === 'ScenarioError') return null;
      throw error;
    }
  };
  return [...groups.values()].map((group): Found => {
    const [{ run, verdict }] = group as [Failed];
    const shrunk = shrink(variations.make(run), verdict, trial, options.shrinkRuns);
    return { run, reason: verdict.reason!, count: group.length, shrunk };
  });
}
