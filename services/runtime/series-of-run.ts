import type { Fabric } from '../fabric/assembly/fabric.js';
import { intervalAt, seriesIntervalOf } from '../fabric/assembly/series-interval.js';
import type { SeriesRow } from './series-rows.js';
import { coarseRows, isRateRow } from './series-rows.js';
import { sendsOf } from './series.js';

/** The series of a run that has come to `endPs`, in the order of times, ports and priorities. */
export function seriesUpTo(
  fabric: Fabric,
  rows: readonly SeriesRow[],
  endPs: number,
): readonly SeriesRow[] {
  const interval = seriesIntervalOf(fabric);
  if (interval === null) return [];
  const sampled = [...fabric.linkEnds.flat(), ...fabric.specs.flatMap(sendsOf)];
  const orderOf = new Map(sampled.map(({ name }, order) => [name, order]));
  const order = (row: SeriesRow): number => orderOf.get(row[1] as string)!;
  const inTime = (a: SeriesRow, b: SeriesRow): number => (a[0] as number) - (b[0] as number);
  const coarse =
    interval.most === null
      ? [...rows]
      : coarseRows(rows.toSorted(inTime), intervalAt(interval, endPs));
  const priority = (row: SeriesRow): number => (isRateRow(row) ? 0 : (row[2] as number));
  return coarse.sort((a, b) => inTime(a, b) || order(a) - order(b) || priority(a) - priority(b));
}
