import type { Fabric } from './fabric.js';

/** How far samples of the series are apart. */
export interface SeriesInterval {
  /** At the start of a run. */
  readonly firstPs: number;
  /** Samples after which the interval doubles; null: it never does. */
  readonly most: number | null;
}

/** Of `series: auto`. */
const SAMPLES = { least: 16, most: 256 };
/** Of all ports together, each with one priority. */
const ROWS_MOST = 120_000;
/** The shortest interval where the end of a run is not known. */
const SHORTEST_PS = 100_000;

/** What the scenario asks for; null: no series. */
export function seriesIntervalOf({ scenario, linkEnds }: Fabric): SeriesInterval | null {
  const { observe, durationPs } = scenario;
  if (observe.series === null) return null;
  if (observe.series !== 'auto') return { firstPs: observe.series, most: null };
  const ports = linkEnds.reduce((sum, ends) => sum + ends.length, 0);
  const fitting = 2 * Math.floor(ROWS_MOST / Math.max(1, ports) / 2);
  const most = Math.min(SAMPLES.most, Math.max(SAMPLES.least, fitting));
  if (durationPs === null) return { firstPs: SHORTEST_PS, most };
  return { firstPs: Math.max(1, Math.ceil(durationPs / most)), most: null };
}

/** The interval of a run that has come to `endPs`: at most `most` samples are kept. */
export function intervalAt({ firstPs, most }: SeriesInterval, endPs: number): number {
  let intervalPs = firstPs;
  while (most !== null && endPs < Infinity && endPs > most * intervalPs) intervalPs *= 2;
  return intervalPs;
}
