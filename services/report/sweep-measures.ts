import type { SliceMetric } from '../mechanisms/mechanism-slice.js';
import { MECHANISM_METRICS } from '../mechanisms/registry.js';
import { SWEPT } from '../measures/run-totals.js';
import type { FaultCost } from '../sweep/measure.js';
import type { JobOutcome, LoadOutcome } from '../sweep/outcome.js';
import { columnName } from '../mechanisms/result-table.js';
import type { Contender } from './comparison/comparison.js';
import type { Measured } from './comparison/measures.js';
import { formatCount, formatOf, formatRate, formatTime } from './format.js';
import type { SweepValue } from './page/page-data.js';

/** What the table, the file and the page of a sweep name and write of each run. */
export interface Measure {
  /** Of the file, with its unit. */
  readonly column: string;
  readonly label: string;
  readonly moreIsBetter: boolean;
  /** Whether people decide by it. */
  readonly decides?: boolean;
  readonly of: (cost: FaultCost) => SweepValue;
  readonly format: (value: number) => string;
  /** What a run is that never came to it, or has not yet. */
  readonly never?: (cost: FaultCost) => string;
}

/** Of a run that has nothing of the kind. */
const NONE = '–';

const MEASURES: readonly Measure[] = [
  {
    ...{ column: 'goodput_bps', label: 'goodput', moreIsBetter: true },
    ...{ of: ({ goodputBps }) => goodputBps, format: formatRate },
  },
  {
    ...{
      column: 'goodput_before_bps',
      label: 'goodput before faults',
      moreIsBetter: true,
      decides: true,
    },
    ...{ of: ({ goodputBeforeBps }) => goodputBeforeBps, format: formatRate },
  },
  {
    ...{
      column: 'goodput_during_bps',
      label: 'goodput during faults',
      moreIsBetter: true,
      decides: true,
    },
    ...{ of: ({ goodputDuringBps }) => goodputDuringBps, format: formatRate },
  },
  {
    ...{
      column: 'goodput_after_bps',
      label: 'goodput after faults',
      moreIsBetter: true,
      decides: true,
    },
    ...{ of: ({ goodputAfterBps }) => goodputAfterBps, format: formatRate },
  },
  {
    ...{ column: 'pause_time_ps', label: 'pause time (worst port)', moreIsBetter: false },
    ...{ of: ({ pauseTimePs }) => pauseTimePs, format: formatTime },
  },
  {
    ...{
      column: 'recovery_time_ps',
      label: 'recovery time',
      moreIsBetter: false,
      decides: true,
      format: formatTime,
    },
    // Without a time after the faults there is no recovery, or not yet.
    of: ({ recoveryPs, goodputAfterBps }) =>
      recoveryPs ?? (goodputAfterBps === null ? null : 'never'),
    never: () => 'not recovered',
  },
  {
    ...{
      column: 'fct_p99_ps',
      label: 'FCT p99',
      moreIsBetter: false,
      decides: true,
      format: formatTime,
    },
    of: ({ fctP99Ps, fctP99AtLeastPs }) => fctP99Ps ?? (fctP99AtLeastPs === null ? null : 'never'),
    never: ({ fctP99AtLeastPs }) => `> ${formatTime(fctP99AtLeastPs)}`,
  },
  ...SWEPT.map(({ key, column, label, unit }): Measure => ({
    ...{ column, label, moreIsBetter: false, format: formatOf(unit) },
    of: ({ outcome }) => outcome.totals[key]!,
  })),
  ...Object.entries<SliceMetric<object>>(MECHANISM_METRICS).flatMap(([name, { inSweeps }]) =>
    inSweeps === undefined
      ? []
      : [
          {
            ...{ ...inSweeps, moreIsBetter: false, format: formatCount },
            of: ({ ofMechanisms }: FaultCost) => ofMechanisms[name]!,
          },
        ],
  ),
];

/** Of loads and jobs, where there are several, and of the first and last flow of a fan-in. */
export function sweepMeasures(costs: readonly FaultCost[]): Measure[] {
  const names = new Set(costs.flatMap(({ outcome }) => outcome.loads.map(({ load }) => load)));
  const jobs = new Set(costs.flatMap(({ outcome }) => outcome.jobs.map(({ job }) => job)));
  const isOne = names.size + jobs.size === 1;
  return [
    ...[...jobs].flatMap((name) => jobMeasures(name, isOne)),
    ...MEASURES,
    ...[...names].flatMap((name) => loadMeasures(name, isOne)),
    {
      ...{ column: 'victim_goodput_bps', label: 'goodput per victim', moreIsBetter: true },
      ...{ of: ({ outcome }) => outcome.victimsBps, format: formatRate },
    },
    {
      ...{ column: 'victims', label: 'victims', moreIsBetter: false, format: formatCount },
      of: ({ outcome }) => outcome.roles?.victim ?? null,
    },
  ];
}

/** How a measure of a load is called in tables and in files. */
function namesFor(
  load: string,
  isOne: boolean,
): { readonly suffix: string; readonly column: (what: string) => string } {
  const suffix = isOne || load === '' ? '' : ` of ${load}`;
  const column = (what: string): string =>
    suffix === '' ? what : columnName(`${load.replace(/[^A-Za-z0-9]+/g, '_')}_${what}`);
  return { suffix, column };
}

function jobMeasures(name: string, isOne: boolean): Measure[] {
  const jobOf = ({ outcome }: FaultCost): JobOutcome | undefined =>
    outcome.jobs.find(({ job }) => job === name);
  const { suffix, column } = namesFor(name, isOne);
  return [
    {
      ...{ column: column('iteration_ps'), label: `iteration${suffix}`, moreIsBetter: false },
      ...{ decides: true, format: formatTime },
      of: (cost) => {
        const { iteration } = jobOf(cost) ?? {};
        return iteration === undefined ? null : iteration.isOpen ? 'never' : iteration.ps;
      },
      never: (cost) => `> ${formatTime(jobOf(cost)!.iteration.ps)}`,
    },
    {
      ...{ column: column('jct_ratio'), label: `over roofline${suffix}`, moreIsBetter: false },
      ...{ of: (cost) => jobOf(cost)?.rooflineRatio ?? null, format: (one) => one.toFixed(2) },
    },
    {
      ...{ column: column('busbw_bps'), label: `busbw${suffix}`, moreIsBetter: true },
      ...{ of: (cost) => jobOf(cost)?.busBps ?? null, format: formatRate },
    },
  ];
}

function loadMeasures(name: string, isOne: boolean): Measure[] {
  const loadOf = ({ outcome }: FaultCost): LoadOutcome | undefined =>
    outcome.loads.find(({ load }) => load === name);
  const { suffix, column } = namesFor(name, isOne);
  const time = (
    key: 'fctP50' | 'fctP99' | 'first' | 'last',
    label: string,
    decides = true,
  ): Measure => ({
    ...{ column: column(`${COLUMNS[key]}_ps`), label: `${label}${suffix}`, moreIsBetter: false },
    ...{ decides, format: formatTime },
    of: (cost) => {
      const duration = loadOf(cost)?.[key] ?? null;
      return duration === null ? null : duration.isOpen ? 'never' : duration.ps;
    },
    never: (cost) => `> ${formatTime(loadOf(cost)![key]!.ps)}`,
  });
  const goodput: Measure = {
    ...{ column: column('goodput_bps'), label: `goodput${suffix}`, moreIsBetter: true },
    ...{ decides: true, of: (cost) => loadOf(cost)?.goodputBps ?? null, format: formatRate },
  };
  return [
    goodput,
    time('fctP50', 'FCT p50'),
    ...(isOne ? [] : [time('fctP99', 'FCT p99')]),
    time('first', 'first complete', false),
    time('last', 'last complete'),
  ];
}

const COLUMNS = { fctP50: 'fct_p50', fctP99: 'fct_p99', first: 'first', last: 'last' } as const;

export interface SweptPoint {
  /** Its place in the order of `combinations`. */
  readonly at: number;
  readonly values: readonly string[];
  readonly name: string;
  readonly costs: readonly FaultCost[];
}

/** Points of a sweep by name, each with the runs of its seeds. */
export function contendersOfSweep(
  points: readonly { readonly name: string; readonly costs: readonly FaultCost[] }[],
  measures: readonly Measure[],
): Contender[] {
  return points.map(({ name, costs }) => ({
    name,
    runs: costs.map((cost) => ({
      ...{ status: cost.outcome.status, lostFrames: cost.outcome.lostFrames },
      measures: measures.map((measure) => measuredOf(measure, cost)),
    })),
  }));
}

function measuredOf(measure: Measure, cost: FaultCost): Measured {
  const { label, moreIsBetter, format, decides = false } = measure;
  const value = measure.of(cost);
  const isOpen = value === 'never';
  return {
    ...{ label, value: isOpen ? Infinity : value, isOpen, lessIsBetter: !moreIsBetter, format },
    ...(isOpen && { openText: measure.never!(cost) }),
    weight: decides ? 'decides' : 'shown',
  };
}

export function measureText(measure: Measure, cost: FaultCost): string {
  const value = measure.of(cost);
  if (value === null) return NONE;
  return value === 'never' ? measure.never!(cost) : measure.format(value);
}
