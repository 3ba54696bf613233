import {
  formatCount,
  formatOctets,
  formatRatio,
  formatShare,
  formatTime,
} from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { Histogram } from '../../report/page/page-spread-data.js';
import type { ChartLine } from '../charts/chart-data.js';
import { isPause, mechanismName } from '../../report/blocked-text.js';

/** A chart of one run; those of several runs have the same ranges. */
interface SpreadChart {
  readonly title: string;
  /** Charts of several runs with the same name of it are side by side, with the same axes. */
  readonly row: string;
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly overTime: boolean;
  readonly logX: boolean;
  readonly rangeX: readonly [number, number];
  readonly maxY: number;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  readonly xTitle?: string;
  readonly yTitle: string;
  readonly wholeY?: boolean;
}

const ABOVE = 1.06;
/** So few flows have no percentiles to speak of. */
const FLOWS_LEAST = 20;
/** So few bins of a histogram leave so much of the axis free beside them. */
const BINS_FEW = 3;
const BESIDE = 5;

export function chartsOf(run: RunPage, colours: readonly string[]): SpreadChart[] {
  return [
    ...queuesOverTime(run, colours),
    ...queueLengths(run, colours),
    ...pauseLengths(run, colours),
    ...slowdownOverTime(run, colours),
  ];
}

const timeText = (ps: number): string => formatTime(Math.round(ps));

function queuesOverTime({ spread, heat, virtualPs }: RunPage, colours: readonly string[]) {
  const { queues } = spread;
  if (queues === null || heat === null) return [];
  // Of few ports the upper ranks are one and the same.
  const ranks = (['p50', 'p90', 'p99', 'max'] as const).filter(
    (rank, i, all) =>
      i === 3 || queues[rank].some((value, at) => value !== queues[all[i + 1]!][at]),
  );
  const names = { p50: 'p50', p90: 'p90', p99: 'p99', max: 'longest' };
  return [
    chart({
      title: 'queues of ports, percentiles over time',
      x: heat.timesPs,
      lines: ranks.map((rank, i): ChartLine => {
        return { label: names[rank], colour: colours[i]!, values: queues[rank] };
      }),
      ...{ overTime: true, rangeX: [0, virtualPs] },
      ...{ formatX: timeText, formatY: formatOctets, yTitle: 'queue length' },
    }),
  ];
}

function queueLengths({ spread: { queues } }: RunPage, colours: readonly string[]): SpreadChart[] {
  if (queues === null || queues.lengths.counts.length === 0) return [];
  const { counts, zeros } = queues.lengths;
  const all = counts.reduce((a, b) => a + b, 0) + zeros;
  const samples = `samples of ports, ${formatShare(zeros / all)} of them empty`;
  return [
    {
      ...histogram('length of queues', queues.lengths, samples, colours[1]!),
      ...{ formatX: formatOctets, xTitle: 'queue length', yTitle: 'samples' },
    },
  ];
}

function pauseLengths({ spread }: RunPage, colours: readonly string[]): SpreadChart[] {
  return (spread.pauses ?? []).flatMap(({ mechanism, lengths, open }, place) => {
    if (lengths.counts.length === 0) return [];
    const verb = isPause(mechanism) ? 'paused' : 'blocked';
    const title = `how long ports were ${verb} by ${mechanismName(mechanism)}`;
    const label = open === 0 ? 'episodes' : `episodes, and ${formatCount(open)} not cleared`;
    const drawn = histogram(title, lengths, label, colours[5]!);
    // What paused one run is compared with what blocked another.
    return [
      {
        ...drawn,
        row: `pauses ${place}`,
        formatX: timeText,
        xTitle: 'duration',
        yTitle: 'episodes',
      },
    ];
  });
}

function slowdownOverTime({ spread, virtualPs }: RunPage, colours: readonly string[]) {
  const { slowdown } = spread;
  if (slowdown === null || slowdown.counts.reduce((a, b) => a + b, 0) < FLOWS_LEAST) return [];
  return [
    chart({
      title: 'slowdown of flows, by when they were complete',
      x: slowdown.timesPs,
      lines: [
        { label: 'p50', colour: colours[0]!, values: slowdown.p50 },
        { label: 'p99', colour: colours[2]!, values: slowdown.p99 },
      ],
      ...{ overTime: true, rangeX: [0, virtualPs] },
      ...{ formatX: timeText, formatY: formatRatio, yTitle: 'slowdown' },
    }),
  ];
}

function chart(made: Omit<SpreadChart, 'row' | 'logX' | 'maxY'>): SpreadChart {
  return { ...made, row: made.title, logX: false, maxY: ABOVE * highestOf(made.lines) };
}

function histogram(
  title: string,
  { edges, counts }: Histogram,
  label: string,
  colour: string,
): Omit<SpreadChart, 'formatX' | 'yTitle'> {
  // On an axis of decades the middle of a bin is the geometric one.
  const x = counts.map((_, i) => Math.sqrt(edges[i]! * edges[i + 1]!));
  return {
    ...{ title, row: title, x, lines: [{ label, colour, values: counts, kind: 'bars', edges }] },
    ...{ overTime: false, logX: true, rangeX: rangeOf(edges) },
    ...{ maxY: ABOVE * Math.max(...counts), formatY: formatCount, wholeY: true },
  };
}

/** Few bins have room beside them: they would be walls. */
function rangeOf(edges: readonly number[]): [number, number] {
  const room = edges.length > BINS_FEW ? 1 : BESIDE;
  return [edges[0]! / room, edges.at(-1)! * room];
}

function highestOf(lines: readonly ChartLine[]): number {
  return lines.reduce(
    (most, { values }) => values.reduce<number>((a, b) => Math.max(a, b ?? 0), most),
    0,
  );
}

/** Charts of several runs by row, with axes that all runs share. */
export function sharedAxes(runs: readonly (readonly SpreadChart[])[]): (SpreadChart | null)[][] {
  const names = [...new Set(runs.flatMap((charts) => charts.map(({ row }) => row)))];
  return names.map((name) => {
    const row = runs.map((charts) => charts.find((one) => one.row === name) ?? null);
    const known = row.filter((one) => one !== null);
    const rangeX = [
      Math.min(...known.map((one) => one.rangeX[0])),
      Math.max(...known.map((one) => one.rangeX[1])),
    ] as const;
    const maxY = Math.max(...known.map((one) => one.maxY));
    return row.map((one) => {
      return one === null ? null : { ...one, rangeX, maxY };
    });
  });
}
