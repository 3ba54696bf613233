import { EXCHANGE } from '../../mechanisms/registry.js';
import { portTrack } from './port-track.js';
import type { Track } from './timeline.js';

type Row = readonly (number | string)[];

/** Samples of ports and priorities, with the names of their columns as in series.csv. */
export interface Series {
  readonly columns: readonly string[];
  readonly rows: Iterable<Row>;
  readonly intervalPs: number;
}

/** Name, unit, and the column that has it. */
const COUNTERS = [
  ['queue', 'bytes', 'queue_bytes'],
  ['ingress buffer', 'bytes', 'ingress_bytes'],
  [`available ${EXCHANGE}`, `${EXCHANGE} units`, `${EXCHANGE}_units`],
] as const;

/** A counter as it was last shown. */
interface Shown {
  readonly track: Track;
  readonly isEmptied: boolean;
  timePs: number;
  value: number;
}

/**
 * Adds counters of queues, ingress buffers and grants. The series has no sample of a port where
 * nothing waits: its buffers are shown as empty there.
 */
export function addCounters(root: Track, { columns, rows, intervalPs }: Series): void {
  const places = new Map(columns.map((column, i) => [column, i]));
  const number = (row: Row, column: string): number => row[places.get(column)!] as number;
  const counters = new Map<string, Shown>();
  let latestPs = 0;
  for (const row of rows) {
    // Rows of connections stand in the same list, and are shorter.
    if (row.length !== columns.length) continue;
    const port = row[places.get('port')!] as string;
    latestPs = number(row, 'time_ps');
    for (const [what, unit, column] of COUNTERS) {
      const name = `p${number(row, 'priority')} ${what}`;
      const value = number(row, column);
      const key = `${port} ${name}`;
      let counter = counters.get(key);
      if (counter === undefined) {
        if (value === 0) continue;
        const track = portTrack(root, port).child(name, unit);
        counter = { track, isEmptied: unit === 'bytes', timePs: 0, value: 0 };
        counters.set(key, counter);
      }
      show(counter, latestPs, { value, intervalPs });
    }
  }
  for (const counter of counters.values()) {
    if (counter.isEmptied && counter.timePs < latestPs) {
      show(counter, latestPs, { value: 0, intervalPs });
    }
  }
}

function show(
  counter: Shown,
  timePs: number,
  { value, intervalPs }: { readonly value: number; readonly intervalPs: number },
): void {
  const { track, isEmptied, timePs: lastPs } = counter;
  if (isEmptied && timePs - lastPs > intervalPs && counter.value !== 0) {
    track.count(lastPs + intervalPs, 0);
    counter.value = 0;
  }
  if (value !== counter.value) track.count(timePs, value);
  counter.value = value;
  counter.timePs = timePs;
}
