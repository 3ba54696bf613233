import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Found, HuntResult } from '../../hunt/hunt.js';
import { hunt } from '../../hunt/hunt.js';
import type { Document } from '../../hunt/document.js';
import { EXIT } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { wholeNumber } from '../whole-number.js';
import { prepareFolder, writeOut } from '../write-out.js';

export interface HuntCommandOptions {
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

/** Varies a scenario until something fails, and writes the smallest scenarios that fail so. */
export async function huntCommand(file: string, options: HuntCommandOptions): Promise<number> {
  const { loaded } = loadFabric(file, options.set);
  prepareFolder(options.out);
  const result = await hunt(
    file,
    loaded.document as Document,
    {
      runs: wholeNumber('--runs', options.runs, 1),
      seed: wholeNumber('--seed', options.seed, 0),
      faults: wholeNumber('--faults', options.faults, 0),
      shrinkRuns: wholeNumber('--shrink', options.shrink, 0),
      threads:
        options.threads === undefined
          ? availableParallelism()
          : wholeNumber('--threads', options.threads, 1),
    },
    options.quiet === true || !process.stderr.isTTY ? () => undefined : showProgress,
  );
  const files = result.found.map((found) => write(found, loaded.scenario.name, options.out));
  const report = result.found.map((found, i) => entry(found, files[i]!));
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ runs: result.runs, found: report }, null, 2)}\n`);
  } else if (options.quiet !== true) process.stdout.write(textOf(result, files));
  return result.found.length === 0 ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

function showProgress(done: number, failed: number): void {
  process.stderr.write(`\r${done} runs, ${failed} failed`);
}

function entry({ run, reason, count, shrunk }: Found, file: string): object {
  const { verdict, trials } = shrunk;
  const { digest, devices } = verdict;
  return { run, reason, count, file, digest, devices, trials, shrunkReason: verdict.reason };
}

/** A scenario that fails by itself, and says why it is there. */
function write({ run, shrunk }: Found, name: string, folder: string): string {
  const { reason, digest } = shrunk.verdict;
  const title = `${name}-hunted-${run}`;
  const description = `Found by a hunt, and made small: ${reason}. With --check: digest ${digest}.`;
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
      `  made small in ${trials} runs: ${verdict.devices} devices, digest ${verdict.digest}`,
      `  ${files[i]}`,
    ].join('\n');
  });
  return `${runs} runs\n${parts.join('\n')}\n`;
}
