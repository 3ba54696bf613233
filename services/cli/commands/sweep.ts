import { csv } from '../../report/csv.js';
import { formatRate, formatTime } from '../../report/format.js';
import { table } from '../../report/table.js';
import type { Axis } from '../../sweep/grid.js';
import { axisOf, combinations } from '../../sweep/grid.js';
import type { Toll } from '../../sweep/measure.js';
import { measure } from '../../sweep/measure.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { writeOut } from '../write-out.js';

export interface SweepOptions {
  readonly vary: readonly string[];
  readonly set: readonly string[];
  readonly csv?: string;
  readonly json?: boolean;
}

/** More than that is a mistake in the command line. */
const RUNS_MAX = 10_000;

interface Row {
  readonly values: readonly string[];
  readonly toll: Toll;
}

/** Runs a scenario with every combination of values, and compares what its faults cost. */
export function sweepCommand(file: string, options: SweepOptions): number {
  const axes = options.vary.map((text): Axis => {
    const axis = axisOf(text);
    if (axis !== null) return axis;
    throw new InputError(`--vary ${text}: write a path and values, as credit.counts=a,b`);
  });
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > RUNS_MAX) throw new InputError(`${count} runs are too many; at most ${RUNS_MAX}`);
  const rows = combinations(axes).map((values): Row => {
    const set = [...options.set, ...values.map((value, i) => `${axes[i]!.path}=${value}`)];
    const { fabric } = loadFabric(file, set);
    const { durationPs, faults } = fabric.scenario;
    if (durationPs === null) throw new InputError(`${file}: a sweep needs a duration`);
    if (faults.length === 0) throw new InputError(`${file}: a sweep needs faults`);
    return { values, toll: measure(fabric, durationPs) };
  });
  const paths = axes.map(({ path }) => path);
  if (options.json === true) process.stdout.write(`${JSON.stringify(objects(paths, rows))}\n`);
  else process.stdout.write(`${text(paths, rows)}\n`);
  if (options.csv !== undefined) writeOut(csvOf(paths, rows), options.csv);
  return EXIT.COMPLETE;
}

function text(paths: readonly string[], rows: readonly Row[]): string {
  const names = paths.map((path) => path.split('.').pop()!);
  const head = [
    ...names,
    'before',
    'during',
    'after',
    'stalled',
    'recovered in',
    'lost',
    'starved',
  ];
  const body = rows.map(({ values, toll }) => [
    ...values,
    formatRate(toll.beforeBps),
    formatRate(toll.duringBps),
    formatRate(toll.afterBps),
    formatTime(toll.stalledPs),
    toll.recoveryPs === null ? 'not' : formatTime(toll.recoveryPs),
    String(toll.lostUnits),
    String(toll.starved),
  ]);
  return table(head, body);
}

function csvOf(paths: readonly string[], rows: readonly Row[]): string {
  const columns = [
    ...paths,
    ...['before_bps', 'during_bps', 'after_bps', 'stalled_ps', 'recovery_ps', 'lost_units'],
    ...['starved', 'digest'],
  ];
  const body = rows.map(({ values, toll }) => [
    ...values,
    ...[toll.beforeBps, toll.duringBps, toll.afterBps, toll.stalledPs, toll.recoveryPs],
    ...[toll.lostUnits, toll.starved, toll.digest],
  ]);
  return csv(columns, body);
}

function objects(paths: readonly string[], rows: readonly Row[]): object[] {
  return rows.map(({ values, toll }) => ({
    set: Object.fromEntries(paths.map((path, i) => [path, values[i]!])),
    ...toll,
  }));
}
