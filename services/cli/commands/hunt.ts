import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Found, HuntResult } from '../../hunt/hunt.js';
import { signatureOf } from '../../hunt/trial.js';
import { hunt } from '../../hunt/hunt.js';
import type { Document } from '../../hunt/document.js';
import { huntWorlds } from '../../hunt/worlds/hunt-worlds.js';
import { EXIT, InputError } from '../exit.js';
import type { PointsOptions } from '../kubernetes/points-task.js';
import { PART_IN_POD, SCENARIO_IN_POD } from '../kubernetes/points-task.js';
import { loadFabric } from '../load-fabric.js';
import { shardOf, shareOf } from '../shard.js';
import { wholeNumber } from '../whole-number.js';
import { prepareFolder, writeOut } from '../write-out.js';

export interface HuntCommandOptions extends PointsOptions {
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
  /** Only a part of the runs: its number, and how many parts there are. */
  readonly shard?: string;
  /** `--check=deep` */
  readonly checkDeep?: boolean;
  readonly exitZero?: boolean;
  readonly quiet?: boolean;
}

/** A failure, and the smallest scenario that fails so. */
interface Report {
  readonly run: number;
  readonly reason: string;
  /** Runs that failed in the same way. */
  readonly count: number;
  readonly digest: string;
  readonly devices: number;
  readonly trials: number;
  readonly shrunkReason: string;
  readonly document: Document;
}

interface Hunted {
  readonly name: string;
  readonly runs: number;
  readonly found: readonly Report[];
  /** False: a part of the runs was lost. */
  readonly isWhole?: boolean;
}

/**
 * Varies a scenario, or generates worlds, until something fails, and writes the smallest scenarios
 * that fail so.
 */
export async function huntCommand(
  file: string | undefined,
  options: HuntCommandOptions,
): Promise<number> {
  if ((file === undefined) === (options.worlds === undefined)) {
    throw new InputError('give either a scenario, or --worlds and how many');
  }
  const hunted = await (options.k8s === true ? huntedInCluster : huntedHere)(file, options);
  if (typeof hunted === 'number') return hunted;
  const { name, runs, found } = hunted;
  const files = found.map((report) => write(report, name, options.out));
  if (options.json === true) {
    const entries = found.map((report, i) => ({ ...report, file: files[i]! }));
    process.stdout.write(`${JSON.stringify({ runs, found: entries }, null, 2)}\n`);
  } else if (options.quiet !== true) process.stdout.write(textOf(hunted, files));
  if (found.length > 0 && options.exitZero !== true) return EXIT.EXPECTATIONS_FAILED;
  return hunted.isWhole === false ? EXIT.RUN_FAILED : EXIT.COMPLETE;
}

async function huntedHere(file: string | undefined, options: HuntCommandOptions): Promise<Hunted> {
  const seed = wholeNumber('--seed', options.seed, 0);
  const shrinkRuns = wholeNumber('--shrink', options.shrink, 0);
  const threads =
    options.threads === undefined
      ? availableParallelism()
      : wholeNumber('--threads', options.threads, 1);
  const progress = options.quiet === true || !process.stderr.isTTY ? () => undefined : showProgress;
  const share = shareOf(shardOf(options.shard), runsOf(options));
  const common = { seed, shrinkRuns, threads, deep: options.checkDeep === true };
  if (file === undefined) {
    const from = wholeNumber('--from', options.from, 0) + share.from;
    prepareFolder(options.out);
    const result = await huntWorlds({ ...common, worlds: share.count, from }, progress);
    return huntedOf(`world-${seed}`, result);
  }
  const { loaded } = loadFabric(file, options.set);
  const faults = wholeNumber('--faults', options.faults, 0);
  prepareFolder(options.out);
  const document = loaded.document as Document;
  const runs = { from: share.from, runs: share.count };
  const result = await hunt(file, document, { ...common, ...runs, faults }, progress);
  return huntedOf(loaded.scenario.name, result);
}

function runsOf({ worlds, runs }: HuntCommandOptions): number {
  return worlds === undefined ? wholeNumber('--runs', runs, 1) : wholeNumber('--worlds', worlds, 1);
}

function huntedOf(name: string, { runs, found }: HuntResult): Hunted {
  return { name, runs, found: found.map(reportOf) };
}

function reportOf({ run, reason, count, shrunk }: Found): Report {
  const { verdict, trials, document } = shrunk;
  const { digest, devices, reason: shrunkReason } = verdict;
  return { run, reason, count, digest, devices, trials, shrunkReason: shrunkReason!, document };
}

/** The same in pods, each with a part of the runs; or the exit code. */
async function huntedInCluster(
  file: string | undefined,
  options: HuntCommandOptions,
): Promise<Hunted | number> {
  const [{ outputsInPods }, { filesOf }] = await Promise.all([
    import('../kubernetes/points.js'),
    import('../kubernetes/scenario-files.js'),
  ]);
  const runs = runsOf(options);
  const count = Math.min(runs, wholeNumber('--pods', options.pods ?? DEFAULT_PODS, 1));
  const given = file === undefined ? null : loadFabric(file, options.set);
  prepareFolder(options.out);
  const name = given?.fabric.scenario.name ?? `world-${options.seed}`;
  const parts = await outputsInPods(options, {
    name,
    files: given === null ? null : filesOf(given.loaded),
    devices: given?.fabric.specs.length ?? 0,
    count,
    args: [
      ...(file === undefined
        ? ['hunt', '--worlds', `${runs}`, '--from', options.from]
        : ['hunt', SCENARIO_IN_POD, '--runs', `${runs}`, '--faults', options.faults]),
      ...['--seed', options.seed, '--shrink', options.shrink, '--threads', '1', '--json'],
      ...(options.checkDeep === true ? ['--check-deep'] : []),
      ...['--exit-zero', '--out', '/tmp/hunted', '--shard', `${PART_IN_POD}/${count}`],
    ],
  });
  if (typeof parts === 'number') return parts;
  const lost = parts.flatMap((part) => ('reason' in part ? [part] : []));
  for (const { reason } of lost) process.stderr.write(`a part of the runs is lost: ${reason}\n`);
  const outputs = parts.flatMap((part) => ('output' in part ? [part.output] : []));
  if (outputs.length === 0) return lost[0]!.code;
  const hunted = outputs.map((text) => JSON.parse(text) as Hunted);
  const found = groupedBySignature(hunted.flatMap((one) => one.found));
  const isWhole = lost.length === 0;
  return { name, found, isWhole, runs: isWhole ? runs : sum(hunted.map((one) => one.runs)) };
}

const DEFAULT_PODS = '4';

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Of each signature of failure the first, as a hunt in one process has it. */
function groupedBySignature(all: readonly Report[]): Report[] {
  const first = new Map<string, Report>();
  for (const report of all) {
    const signature = signatureOf(report.reason);
    const before = first.get(signature);
    const count = report.count + (before?.count ?? 0);
    first.set(signature, { ...(before ?? report), count });
  }
  return [...first.values()];
}

function showProgress(done: number, failed: number): void {
  process.stderr.write(`\r${done} runs, ${failed} failed`);
}

/** A self-contained scenario that fails, with a comment about its origin. */
function write(
  { run, shrunkReason, digest, document }: Report,
  name: string,
  folder: string,
): string {
  const title = `${name}-hunted-${run}`;
  const digestText = digest === '' ? '' : ` With --check: digest ${digest}.`;
  const description = `Found by a hunt, and made small: ${shrunkReason}.${digestText}`;
  const path = join(folder, `${title}.yaml`);
  writeOut(stringify({ ...document, name: title, description }), path);
  return path;
}

function textOf({ runs, found }: Hunted, files: readonly string[]): string {
  if (found.length === 0) return `${runs} runs, nothing failed\n`;
  const parts = found.map(({ run, count, reason, trials, devices, digest }, i) =>
    [
      `run ${run}${count > 1 ? ` and ${count - 1} more` : ''}: ${reason}`,
      `  made small in ${trials} runs: ${devices} devices${digestOf(digest)}`,
      `  ${files[i]}`,
    ].join('\n'),
  );
  return `${runs} runs\n${parts.join('\n')}\n`;
}

/** A run that ends with an error, or differs between runners, has none. */
function digestOf(digest: string): string {
  return digest === '' ? '' : `, digest ${digest}`;
}
