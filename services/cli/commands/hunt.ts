import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Found, HuntResult } from '../../hunt/hunt.js';
import { hunt } from '../../hunt/hunt.js';
import type { Document } from '../../hunt/document.js';
import { huntWorlds } from '../../hunt/worlds/hunt-worlds.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { wholeNumber } from '../whole-number.js';
import { prepareFolder, writeOut } from '../write-out.js';

export interface HuntCommandOptions {
  readonly worlds?: string;
  readonly from: string;
  readonly runs: string;
  readonly seed: string;
  readonly faults: string;
  readonly threads?: string;
  readonly shrink: string;
  readonly out: string;
  readonly set: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * Varies a scenario, or generates worlds, until something fails, and writes the smallest scenarios
 * that fail so.
 */
export async function huntCommand(
  file: string | undefined,
  options: HuntCommandOptions,
): Promise<number> {
  const { name, result } = await huntedBy(file, options);
  const files = result.found.map((found) => write(found, name, options.out));
  const report = result.found.map((found, i) => entry(found, files[i]!));
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ runs: result.runs, found: report }, null, 2)}\n`);
  } else if (options.quiet !== true) process.stdout.write(textOf(result, files));
  return result.found.length === 0 ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

async function huntedBy(
  file: string | undefined,
  options: HuntCommandOptions,
): Promise<{ name: string; result: HuntResult }> {
  if ((file === undefined) === (options.worlds === undefined)) {
    throw new InputError('give either a scenario, or --worlds and how many');
  }
  const seed = wholeNumber('--seed', options.seed, 0);
  const shrinkRuns = wholeNumber('--shrink', options.shrink, 0);
  const threads =
    options.threads === undefined
      ? availableParallelism()
      : wholeNumber('--threads', options.threads, 1);
  const progress = options.quiet === true || !process.stderr.isTTY ? () => undefined : showProgress;
  if (file === undefined) {
    const worlds = wholeNumber('--worlds', options.worlds!, 1);
    const from = wholeNumber('--from', options.from, 0);
    prepareFolder(options.out);
    const result = await huntWorlds({ worlds, from, seed, shrinkRuns, threads }, progress);
    return { name: `world-${seed}`, result };
  }
  const { loaded } = loadFabric(file, options.set);
  prepareFolder(options.out);
  const result = await hunt(
    file,
    loaded.document as Document,
    {
      runs: wholeNumber('--runs', options.runs, 1),
      seed,
      faults: wholeNumber('--faults', options.faults, 0),
      shrinkRuns,
      threads,
    },
    progress,
  );
  return { name: loaded.scenario.name, result };
}

function showProgress(done: number, failed: number): void {
  process.stderr.write(`\r${done} runs, ${failed} failed`);
}

function entry({ run, reason, count, shrunk }: Found, file: string): object {
  const { verdict, trials } = shrunk;
  const { digest, devices } = verdict;
  return { run, reason, count, file, digest, devices, trials, shrunkReason: verdict.reason };
}

/** A self-contained scenario that fails, with a comment about its origin. */
function write({ run, shrunk }: Found, name: string, folder: string): string {
  const { reason, digest } = shrunk.verdict;
  const title = `${name}-hunted-${run}`;
  const digestText = digest === '' ? '' : ` With --check: digest ${digest}.`;
  const description = `Found by a hunt, and made small: ${reason}.${digestText}`;
  const path = join(folder, `${title}.yaml`);
  writeOut(stringify({ ...shrunk.document, name: title, description }), path);
  return path;
}

function textOf({ runs, found }: HuntResult, files: readonly string[]): string {
  if (found.length === 0) return `${runs} runs, nothing failed\n`;
  const parts = found.map(({ run, reason, count, shrunk }, i) => {
    const { verdict, trials } = shrunk;
    return [
      `run ${run}${count > 1 ? ` and ${count - 1} more` : ''}: ${reason}`,
      `  made small in ${trials} runs: ${verdict.devices} devices${digestOf(verdict.digest)}`,
      `  ${files[i]}`,
    ].join('\n');
  });
  return `${runs} runs\n${parts.join('\n')}\n`;
}

/** A run that ends with an error, or differs between runners, has none. */
function digestOf(digest: string): string {
  return digest === '' ? '' : `, digest ${digest}`;
}
