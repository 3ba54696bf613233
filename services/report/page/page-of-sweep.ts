import { GRANTS } from '../../mechanisms/registry.js';
import type { Axis } from '../../sweep/grid.js';
import { nameOfAxis } from '../../sweep/grid.js';
import type { Toll } from '../../sweep/measure.js';
import { formatCount, formatOctets, formatRate, formatTime } from '../format.js';
import type { SweepMeasure, SweepPage } from './page-data.js';

/** A measure of a run, how it is written, and what a run is that has none. */
interface Measure {
  readonly label: string;
  readonly moreIsBetter: boolean;
  readonly value: (toll: Toll) => number | null;
  readonly format: (value: number) => string;
}

const MEASURES: readonly Measure[] = [
  {
    ...{ label: 'Throughput while it is disturbed', moreIsBetter: true },
    ...{ value: (toll) => toll.duringBps, format: formatRate },
  },
  {
    ...{ label: 'Throughput afterwards', moreIsBetter: true },
    ...{ value: (toll) => toll.afterBps, format: formatRate },
  },
  {
    ...{ label: 'Longest stall of a port', moreIsBetter: false },
    ...{ value: (toll) => toll.stalledPs, format: formatTime },
  },
  {
    ...{ label: 'Recovery', moreIsBetter: false },
    ...{ value: (toll) => toll.recoveryPs, format: formatTime },
  },
  {
    ...{ label: 'Frames lost', moreIsBetter: false },
    ...{ value: (toll) => toll.droppedFrames, format: formatCount },
  },
  {
    ...{ label: 'Flows that stopped progressing', moreIsBetter: false },
    ...{ value: (toll) => toll.stalledFlows, format: formatCount },
  },
  {
    ...{ label: 'Flow completion time, p99', moreIsBetter: false },
    ...{ value: (toll) => toll.completionP99Ps, format: formatTime },
  },
  {
    ...{ label: 'Replays by links', moreIsBetter: false },
    ...{ value: (toll) => toll.linkRetries, format: formatCount },
  },
  {
    ...{ label: 'Frames retransmitted by the transport', moreIsBetter: false },
    ...{ value: (toll) => toll.retransmittedFrames, format: formatCount },
  },
  {
    ...{ label: 'Most that an ingress buffer held', moreIsBetter: false },
    ...{ value: (toll) => toll.ingressOctets, format: formatOctets },
  },
  {
    ...{ label: `Units of ${GRANTS.name} lost for good`, moreIsBetter: false },
    ...{ value: (toll) => toll.lostUnits, format: formatCount },
  },
];

/** What a sweep measured, one heat map for each measure in which runs differ. */
export function pageOfSweep(
  about: Pick<SweepPage, 'title' | 'description' | 'command' | 'runCommands'>,
  axes: readonly Axis[],
  tolls: readonly Toll[],
): SweepPage {
  return {
    ...about,
    axes: axes.map((axis) => ({ name: nameOfAxis(axis), values: axis.values })),
    measures: MEASURES.map((measure) => measured(measure, tolls)).filter(
      ({ values }) => new Set(values).size > 1,
    ),
  };
}

function measured(
  { label, moreIsBetter, value, format }: Measure,
  tolls: readonly Toll[],
): SweepMeasure {
  const values = tolls.map(value);
  const texts = values.map((one) => (one === null ? 'never' : format(one)));
  return { label, moreIsBetter, values, texts };
}
