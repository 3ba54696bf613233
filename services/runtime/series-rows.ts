/** Rows of the series: samples of ports and of rate-limited connections. */

/** Of a limited connection, while it is below line rate. */
export const RATE_COLUMNS = ['time_ps', 'flow', 'rate_bps', 'target_bps'] as const;

export type SeriesRow = readonly (number | string)[];

/** Rows of ports and of connections stand in one list. */
export function isRateRow(row: SeriesRow): boolean {
  return row.length === RATE_COLUMNS.length;
}

/** Places in a row of a port. */
const TIME = 0;
const NAME = 1;
const PRIORITY = 2;
/** What an interval adds up; behind it are levels at its end. */
const SUMS = [3, 4, 5, 6];
const LEVELS = [7, 8];

/**
 * Samples at an interval that is a multiple of theirs: what intervals counted is added up, levels
 * are those at their end. A sample that is not there says that nothing was counted and that queues
 * and buffers were empty. Rows of one time are in no particular order.
 */
export function coarseRows(rows: readonly SeriesRow[], intervalPs: number): SeriesRow[] {
  const coarse: (number | string)[][] = [];
  const byPort = new Map<string, (number | string)[]>();
  let spanPs = 0;
  for (const row of rows) {
    const timePs = row[TIME] as number;
    const endPs = Math.ceil(timePs / intervalPs) * intervalPs;
    if (isRateRow(row)) {
      if (timePs === endPs) coarse.push([...row]);
      continue;
    }
    if (endPs !== spanPs) byPort.clear();
    spanPs = endPs;
    const key = `${row[NAME]!}/${row[PRIORITY]!}`;
    const before = byPort.get(key);
    const sum = [...row];
    sum[TIME] = endPs;
    if (timePs !== endPs) for (const place of LEVELS) sum[place] = 0;
    if (before === undefined) {
      byPort.set(key, sum);
      coarse.push(sum);
      continue;
    }
    for (const place of SUMS) sum[place] = (before[place] as number) + (row[place] as number);
    sum.forEach((value, place) => (before[place] = value));
  }
  return coarse;
}
