import type { Fabric } from '../../fabric/assembly/fabric.js';
import { buildFabric } from '../../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import { programFile } from '../../runtime/package-files.js';
import type { Document } from '../document.js';
import type { Found, HuntResult } from '../hunt.js';
import { runInWorkers } from '../run-in-workers.js';
import { shrink } from '../shrink.js';
import type { Verdict } from '../trial.js';
import { notAssembled, notRun, signatureOf } from '../trial.js';
import { smallerWorlds } from './smaller-worlds.js';
import { isBroken, makeWorld } from './world.js';
import { whatIsWrong } from './world-trial.js';

interface WorldHuntOptions {
  /** Worlds `from` to `from + worlds - 1` of the seed. */
  readonly worlds: number;
  readonly from?: number;
  readonly seed: number;
  readonly threads: number;
  /** Most runs for shrinking one failing world. */
  readonly shrinkRuns: number;
  /** With the second oracle (`--check=deep`). */
  readonly deep?: boolean;
}

interface Reply {
  readonly world: number;
  readonly reason: string | null;
}

interface Failed {
  readonly world: number;
  readonly reason: string;
}

/** Runs generated worlds in several threads, each in every runner; `progress` gets both counts. */
export async function huntWorlds(
  options: WorldHuntOptions,
  progress: (done: number, failed: number) => void,
): Promise<HuntResult> {
  const { worlds, from = 0, seed, threads, deep = false } = options;
  const failed: Failed[] = [];
  let done = 0;
  const numbers = { from, count: worlds };
  await runInWorkers(programFile('world-worker'), { seed, deep }, threads, numbers, (reply) => {
    const { world, reason } = reply as Reply;
    done++;
    if (reason !== null) failed.push({ world, reason });
    progress(done, failed.length);
  });
  return { runs: worlds, found: smallOnes(failed, options) };
}

/** Of each signature of failure the first world, shrunk. */
function smallOnes(
  failed: readonly Failed[],
  { seed, shrinkRuns, deep = false }: Pick<WorldHuntOptions, 'seed' | 'shrinkRuns' | 'deep'>,
): Found[] {
  const groups = new Map<string, Failed[]>();
  for (const one of [...failed].sort((a, b) => a.world - b.world)) {
    const signature = signatureOf(one.reason);
    groups.set(signature, [...(groups.get(signature) ?? []), one]);
  }
  return [...groups.values()].map((group): Found => {
    const [{ world, reason }] = group as [Failed];
    const { document, fabric } = makeWorld(seed, world);
    const verdict = isBroken(fabric) ? notRun(reason) : verdictOf(fabric, reason);
    const trial = (smaller: Document): Verdict | null => tryWorld(smaller, world, deep);
    const shrunk = shrink(document, verdict, trial, shrinkRuns, smallerWorlds);
    return { run: world, reason, count: group.length, shrunk };
  });
}

/** Runs a document as if it were world `number`; null if it is no scenario. */
function tryWorld(document: Document, number: number, deep: boolean): Verdict | null {
  let fabric: Fabric;
  try {
    fabric = buildFabric(scenarioOfDocument('world.yaml', document));
  } catch (error) {
    if ((error as Error).name === 'ScenarioError') return null;
    return notRun(notAssembled(error));
  }
  return verdictOf(fabric, whatIsWrong(fabric, number, deep));
}

/** A world that fails may have no digest at all. */
function verdictOf({ specs, scenario }: Fabric, reason: string | null): Verdict {
  return { reason, digest: '', virtualPs: scenario.durationPs ?? 0, devices: specs.length };
}
