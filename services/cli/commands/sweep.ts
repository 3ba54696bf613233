import { join } from 'node:path';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { runEstimate } from '../../fabric/sizing/run-estimate.js';
import { VariantError } from '../../fabric/scenario/variants.js';
import { didYouMean, listed } from '../../settings/errors.js';
import { columnName } from '../../mechanisms/result-table.js';
import { csv } from '../../report/csv.js';
import { commandText } from '../../report/page/command-text.js';
import { isPageBuilt, pageFile } from '../../report/page/page-file.js';
import { pageOfSweep } from '../../report/page/page-of-sweep.js';
import { sweepMeasures } from '../../report/sweep-measures.js';
import { sweepText, type SweepVerdict, sweepVerdict } from '../../report/sweep-verdict.js';
import { packageFile } from '../../runtime/package-files.js';
import { axesOf as axesOfExperiment, EXPERIMENTS } from '../../sweep/experiments.js';
import type { Axis } from '../../sweep/grid.js';
import { axisOf, combinations, settingsAt } from '../../sweep/grid.js';
import type { FaultCost } from '../../sweep/measure.js';
import { measure } from '../../sweep/measure.js';
import { fabricAt, VARIANTS } from '../../sweep/settings.js';
import { EXIT, InputError } from '../exit.js';
import type { PointsOptions } from '../kubernetes/points-task.js';
import { PART_IN_POD, SCENARIO_IN_POD } from '../kubernetes/points-task.js';
import { loadFabric, loadRun } from '../load-fabric.js';
import type { Shard } from '../shard.js';
import { shardOf, shareOf, WHOLE } from '../shard.js';
import { wholeNumber } from '../whole-number.js';
import { prepareFiles, prepareFolder, writeOut } from '../write-out.js';

export interface SweepOptions extends PointsOptions {
  readonly vary: readonly string[];
  readonly set: readonly string[];
  /** So many seeds at each point. */
  readonly seeds?: string;
  readonly csv?: string;
  /** A page with heat maps. */
  readonly html?: string;
  readonly json?: boolean;
  /** Only a part of the combinations: its number, and how many parts there are. */
  readonly shard?: string;
  /** Run the points however large they are. */
  readonly force?: boolean;
  readonly exitZero?: boolean;
}

export interface ExperimentOptions extends PointsOptions {
  /** Values of its axes that are run; others are left out. */
  readonly only: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
  readonly shard?: string;
  readonly exitZero?: boolean;
}

/** More runs than that are a mistake in the command line. */
const RUNS_MAX = 10_000;

/** A scenario file; `force`: its points run however large they are. */
interface Source {
  readonly file: string;
  readonly force: boolean;
}

/** A combination of values, and what became of its run. */
interface Point {
  readonly values: readonly string[];
  readonly cost: FaultCost | null;
  /** Null: it has run, or another process has it. */
  readonly failure: Failure | null;
}

interface Row extends Point {
  readonly cost: FaultCost;
}

interface Failure {
  readonly reason: string;
  readonly code: number;
}

/** Runs a scenario with every combination of values, and compares the costs. */
export async function sweepCommand(file: string, options: SweepOptions): Promise<number> {
  const { vary, set, html, force = false } = options;
  if (html !== undefined) needPage();
  prepareFiles(options.csv, html);
  const seeds = seedAxis(file, options);
  const axes = checked([...axesOf(vary), ...(seeds === null ? [] : [seeds])]);
  const points =
    options.k8s === true
      ? await pointsInCluster({ file, force }, axes, set, options, [
          ...['sweep', SCENARIO_IN_POD],
          ...axes.flatMap(({ path, values }) => ['--vary', `${path}=${values.join(',')}`]),
          ...(force ? ['--force'] : []),
        ])
      : pointsOf({ file, force }, axes, set, shardOf(options.shard));
  if (typeof points === 'number') return points;
  const paths = axes.map(({ path }) => path);
  const rows = rowsAmong(points);
  const code = options.exitZero === true ? EXIT.COMPLETE : codeOf(points);
  if (options.json === true) process.stdout.write(`${JSON.stringify(objects(paths, points))}\n`);
  noteFailures(paths, points);
  if (rows.length === 0) return code;
  const costs = points.map(({ cost }) => cost);
  const verdict = sweepVerdict({ axes, isSeeded: seeds !== null, costs });
  if (options.json !== true) process.stdout.write(`${sweepText(verdict)}\n`);
  if (options.csv !== undefined) writeOut(csvOf(paths, rows), options.csv);
  if (html !== undefined) {
    const often = options.seeds === undefined ? [] : ['--seeds', options.seeds];
    const words = [...optionsOf('--vary', vary), ...often, ...optionsOf('--set', set)];
    const command = commandText(['selvage', 'sweep', file, ...words]);
    const { name: title, description } = loadFabric(file, []).fabric.scenario;
    const runCommands = commandsOf(file, verdict.axes, set);
    writeOut(pageText({ title, description, command, runCommands }, verdict), html);
  }
  return code;
}

/** One of the sweeps that come with Selvage: its table, and its page, in a folder. */
export async function experimentCommand(
  name: string | undefined,
  options: ExperimentOptions,
): Promise<number> {
  if (name === undefined) {
    const width = Math.max(...EXPERIMENTS.map((one) => one.name.length));
    const lines = EXPERIMENTS.map((one) => `${one.name.padEnd(width)}  ${one.question}\n`);
    process.stdout.write(lines.join(''));
    return EXIT.COMPLETE;
  }
  const names = EXPERIMENTS.map((one) => one.name);
  const experiment = EXPERIMENTS.find((one) => one.name === name);
  if (experiment === undefined) {
    throw new InputError(
      `no experiment is called ${name}${didYouMean(name, names)}; there is ${listed(names)}`,
    );
  }
  needPage();
  const folder = options.out ?? join('runs', name);
  prepareFolder(folder);
  const axes = checked(chosen(axesOfExperiment(experiment), options.only));
  const file = packageFile('examples', experiment.scenario);
  const source = { file, force: false };
  const points =
    options.k8s === true
      ? await pointsInCluster(source, axes, experiment.set, options, [
          ...['experiment', name],
          ...optionsOf('--only', options.only),
        ])
      : pointsOf(source, axes, experiment.set, shardOf(options.shard));
  if (typeof points === 'number') return points;
  const paths = axes.map(({ path }) => path);
  const rows = rowsAmong(points);
  const code = options.exitZero === true ? EXIT.COMPLETE : codeOf(points);
  if (options.json === true) process.stdout.write(`${JSON.stringify(objects(paths, points))}\n`);
  noteFailures(paths, points);
  if (rows.length === 0 || options.shard !== undefined) return code;
  const costs = points.map(({ cost }) => cost);
  const verdict = sweepVerdict({ axes, isSeeded: false, costs });
  if (options.json !== true) process.stdout.write(`${sweepText(verdict)}\n`);
  writeOut(csvOf(paths, rows), join(folder, 'sweep.csv'));
  const about = {
    ...{ title: name, description: experiment.question },
    command: commandText(['selvage', 'experiment', name, ...optionsOf('--only', options.only)]),
    runCommands: commandsOf(join('examples', experiment.scenario), axes, experiment.set),
  };
  writeOut(pageText(about, verdict), join(folder, 'sweep.html'));
  if (options.json !== true) process.stdout.write(`${join(folder, 'sweep.html')}\n`);
  return code;
}

function axesOf(vary: readonly string[]): Axis[] {
  return vary.map((text): Axis => {
    const axis = axisOf(text);
    if (axis !== null) return axis;
    throw new InputError(`--vary ${text}: write a path and values, as seed=1,2,3`);
  });
}

/** The axes with those of their values that `--only` names. */
function chosen(axes: readonly Axis[], only: readonly string[]): Axis[] {
  const paths = axes.map(({ path }) => path);
  const wanted = new Map<string, readonly string[]>();
  for (const text of only) {
    const choice = axisOf(text);
    const axis = axes.find(({ path }) => path === choice?.path);
    if (choice === null || axis === undefined) {
      throw new InputError(`--only ${text}: write one of ${listed(paths)}, and values: path=a,b`);
    }
    const other = choice.values.find((value) => !axis.values.includes(value));
    if (other !== undefined) {
      const hint = didYouMean(other, axis.values);
      throw new InputError(`--only ${text}: no ${other}${hint}; there is ${listed(axis.values)}`);
    }
    wanted.set(axis.path, choice.values);
  }
  return axes.map((axis) => ({ ...axis, values: wanted.get(axis.path) ?? axis.values }));
}

function checked(axes: Axis[]): Axis[] {
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > RUNS_MAX) throw new InputError(`${count} runs are too many; at most ${RUNS_MAX}`);
  return axes;
}

/** Runs the combinations of a part; what one of them does wrong is no loss of the others. */
function pointsOf(
  source: Source,
  axes: readonly Axis[],
  base: readonly string[],
  shard: Shard = WHOLE,
): Point[] {
  const all = combinations(axes);
  const { from, count } = shareOf(shard, all.length);
  return all.map((values, i): Point => {
    if (i < from || i >= from + count) return { values, cost: null, failure: null };
    try {
      const { fabric, durationPs } = timedFabric(source, axes, values, base);
      return { values, cost: measure(fabric, durationPs), failure: null };
    } catch (error) {
      return { values, cost: null, failure: failureOf(error) };
    }
  });
}

function timedFabric(
  source: Source,
  axes: readonly Axis[],
  values: readonly string[],
  base: readonly string[],
): { readonly fabric: Fabric; readonly durationPs: number } {
  const fabric = fabricOf(source, axes, values, base);
  const { durationPs } = fabric.scenario;
  if (durationPs !== null) return { fabric, durationPs };
  throw new InputError(
    `${source.file}: no duration, and a sweep compares rates over one: add --set duration=2ms`,
  );
}

/** What is wrong with a scenario is bad input; anything else is a failure of its run. */
function failureOf(error: unknown): Failure {
  const { name, message } = error as Error;
  const isBad = error instanceof InputError || name === 'ScenarioError';
  return { reason: message, code: isBad ? EXIT.BAD_INPUT : EXIT.RUN_FAILED };
}

function rowsAmong(points: readonly Point[]): Row[] {
  return points.filter((point): point is Row => point.cost !== null);
}

/** Bad input is the user's to repair: it comes first. */
function codeOf(points: readonly Point[]): number {
  const codes = new Set(points.map(({ failure }) => failure?.code));
  if (codes.has(EXIT.BAD_INPUT)) return EXIT.BAD_INPUT;
  return codes.has(EXIT.RUN_FAILED) ? EXIT.RUN_FAILED : EXIT.COMPLETE;
}

/** A line for each point that failed; one alone where all of them failed for the same reason. */
function noteFailures(paths: readonly string[], points: readonly Point[]): void {
  const failed = points.filter(({ failure }) => failure !== null);
  if (failed.length === 0) return;
  const reasons = new Set(failed.map(({ failure }) => failure!.reason));
  const isCommon = reasons.size === 1 && failed.length === points.length;
  const lines = failed.map(({ values, failure }) => {
    const own = values.map((value, i) => `${paths[i]}=${value}`).join(', ');
    return `  ${own}: ${failure!.reason.replaceAll('\n', '\n    ')}`;
  });
  const head = `${failed.length} of ${points.length} points failed:`;
  process.stderr.write(`${isCommon ? [...reasons][0] : [head, ...lines].join('\n')}\n`);
}

/** So long a pod works at least: it takes seconds to begin. */
const SECONDS_OF_POD = 20;

/**
 * The same in pods, each with some of the combinations, whose rows `command` prints; or the exit
 * code.
 */
async function pointsInCluster(
  source: Source,
  axes: readonly Axis[],
  base: readonly string[],
  options: PointsOptions,
  command: readonly string[],
): Promise<Point[] | number> {
  const [{ outputsInPods }, { filesOf }] = await Promise.all([
    import('../kubernetes/points.js'),
    import('../kubernetes/scenario-files.js'),
  ]);
  const { loaded, fabric } = loadFabric(source.file, base);
  const { bad, seconds } = foreseen(source, axes, base);
  if (bad.every(({ failure }) => failure !== null)) return bad;
  const wrong = bad.filter(({ failure }) => failure !== null).length;
  if (wrong > 0) process.stderr.write(`${wrong} of ${bad.length} points are bad input\n`);
  const all = combinations(axes);
  const pods = options.pods === undefined ? 1 : wholeNumber('--pods', options.pods, 1);
  const count = Math.min(all.length, Math.max(pods, Math.ceil(seconds / SECONDS_OF_POD)));
  const parts = await outputsInPods(options, {
    name: fabric.scenario.name,
    files: command.includes(SCENARIO_IN_POD) ? filesOf(loaded) : null,
    devices: fabric.specs.length,
    count,
    args: [...command, '--json', '--exit-zero', '--shard', `${PART_IN_POD}/${count}`],
  });
  if (typeof parts === 'number') return parts;
  return parts.flatMap((part, index) => {
    const { from, count: own } = shareOf({ index, count }, all.length);
    return all.slice(from, from + own).map((values, i): Point => {
      if ('reason' in part) return { values, cost: null, failure: part };
      const { failure, ...cost } = (JSON.parse(part.output) as PrintedPoint[])[i]!;
      // Its message names a file of the pod.
      if (failure !== undefined)
        return { ...bad[from + i]!, ...(bad[from + i]!.failure === null && { failure }) };
      return { values, cost, failure: null };
    });
  });
}

/** What is wrong with points, and how long all others take in one thread, before any has run. */
function foreseen(
  source: Source,
  axes: readonly Axis[],
  base: readonly string[],
): { readonly bad: Point[]; readonly seconds: number } {
  let seconds = 0;
  const bad = combinations(axes).map((values): Point => {
    try {
      seconds += runEstimate(timedFabric(source, axes, values, base).fabric).seconds;
      return { values, cost: null, failure: null };
    } catch (error) {
      return { values, cost: null, failure: failureOf(error) };
    }
  });
  return { bad, seconds };
}

function fabricOf(
  { file, force }: Source,
  axes: readonly Axis[],
  values: readonly string[],
  base: readonly string[],
): Fabric {
  try {
    return fabricAt(axes, values, base, (set) => loadRun(file, set, force));
  } catch (error) {
    if (error instanceof VariantError) throw new InputError(`--vary mechanism: ${error.message}`);
    throw error;
  }
}

function needPage(): void {
  if (!isPageBuilt()) throw new InputError('the page has not been built: npm run build makes it');
}

function pageText(about: Parameters<typeof pageOfSweep>[0], verdict: SweepVerdict): string {
  return pageFile({ runs: [], sweep: pageOfSweep(about, verdict) });
}

/** An axis of seeds, from that of the scenario on; null without `--seeds`. */
function seedAxis(file: string, { seeds, set, vary }: SweepOptions): Axis | null {
  if (seeds === undefined) return null;
  const count = wholeNumber('--seeds', seeds, 1);
  if (vary.some((text) => text.startsWith('seed='))) {
    throw new InputError(`--seeds ${seeds} and --vary seed=…: give one of them`);
  }
  const { seed } = loadFabric(file, set).fabric.scenario;
  return { path: 'seed', values: Array.from({ length: count }, (_, i) => String(seed + i)) };
}

function optionsOf(option: string, values: readonly string[]): string[] {
  return values.flatMap((value) => [option, value]);
}

/** Of each run the command that gives it a report; a variant is not a key, so it is swept alone. */
function commandsOf(file: string, axes: readonly Axis[], base: readonly string[]): string[] {
  const hasVariants = axes.some(({ path }) => path === VARIANTS);
  const [command, option] = hasVariants ? ['sweep', '--vary'] : ['run', '--set'];
  return combinations(axes).map((values) => {
    const named = values.flatMap((value, i) => axes[i]!.settings?.[value] ?? []);
    const own = values.flatMap((value, i) =>
      axes[i]!.settings === undefined ? settingsAt(axes[i]!, value) : [],
    );
    const words = [...optionsOf('--set', [...base, ...named]), ...optionsOf(option, own)];
    return commandText(['selvage', command, file, ...words]);
  });
}

function csvOf(paths: readonly string[], rows: readonly Row[]): string {
  const measures = sweepMeasures(rows.map(({ cost }) => cost));
  const columns = [
    ...paths.map((path) => columnName(path.replace(/[^A-Za-z0-9]+/g, '_'))),
    ...measures.map(({ column }) => column),
    ...['fct_p99_at_least_ps', 'digest'],
  ];
  const body = rows.map(({ values, cost }) => {
    const cells = measures.map(({ of }) => of(cost));
    const numbers = cells.map((value) => (value === 'never' ? null : value));
    return [...values, ...numbers, cost.fctP99AtLeastPs, cost.digest];
  });
  return csv(columns, body);
}

/** A point as `--json` has it. */
type PrintedPoint = FaultCost & { readonly failure?: Failure };

/** Those that have run, or failed. */
function objects(paths: readonly string[], points: readonly Point[]): object[] {
  return points
    .filter(({ cost, failure }) => cost !== null || failure !== null)
    .map(({ values, cost, failure }) => ({
      set: Object.fromEntries(paths.map((path, i) => [path, values[i]!])),
      ...(failure === null ? cost : { failure }),
    }));
}
