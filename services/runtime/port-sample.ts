import { countGranted, SNAPSHOT_MEASURES } from '../measures/series-measures.js';
import { read } from '../mechanisms/measure.js';
import { PRIORITY_NUMBERS } from '../engine/units/ethernet.js';
import type { Engine } from '../engine/device/engine.js';

/** Ports at a moment: their counters, and the levels of their queues and accounts. */
export interface PortSample {
  /** Time of the latest event that has been executed. */
  readonly timePs: number;
  /** By port of the fabric, device by device. */
  readonly columns: PortColumns;
}

/** Values of a port and priority. */
export type PortColumn = keyof typeof SNAPSHOT_MEASURES;
export const PORT_COLUMNS = Object.keys(SNAPSHOT_MEASURES) as readonly PortColumn[];

/** Port by port, and for each port by the index of `priorities`. */
export type PortColumns = Readonly<Record<PortColumn, Float64Array>> & {
  /** Priorities with any value, ascending. */
  readonly priorities: readonly number[];
};

export function blankColumns(ports: number, priorities: readonly number[]): PortColumns {
  return columnsBy(priorities, () => new Float64Array(ports * priorities.length));
}

export function columnsBy(
  priorities: readonly number[],
  column: (name: PortColumn) => Float64Array,
): PortColumns {
  const columns = PORT_COLUMNS.map((name) => [name, column(name)]);
  return { priorities, ...(Object.fromEntries(columns) as Record<PortColumn, Float64Array>) };
}

/** Ports by their number in the engine, at a time before which all has been executed. */
export function columnsAt(engine: Engine, ports: readonly number[], timePs: number): PortColumns {
  const columns = blankColumns(ports.length, PRIORITY_NUMBERS);
  const granted = new Float64Array(PRIORITY_NUMBERS.length);
  ports.forEach((port, i) => {
    countGranted(engine, port, granted);
    for (const priority of PRIORITY_NUMBERS) {
      const at = i * PRIORITY_NUMBERS.length + priority;
      const grantedUnits = granted[priority]!;
      const values = read(SNAPSHOT_MEASURES, {
        ...{ engine, port, priority, nowPs: timePs, grantedUnits },
      });
      for (const name of PORT_COLUMNS) columns[name][at] = values[name];
    }
  });
  const used = PRIORITY_NUMBERS.filter((priority) => isUsed(columns, priority));
  return withPriorities(columns, ports.length, used);
}

function isUsed(columns: PortColumns, priority: number): boolean {
  return PORT_COLUMNS.some((name) =>
    columns[name].some((value, at) => value !== 0 && at % PRIORITY_NUMBERS.length === priority),
  );
}

/** The same of these priorities; zeros for one without values. */
export function withPriorities(
  columns: PortColumns,
  ports: number,
  priorities: readonly number[],
): PortColumns {
  const { priorities: known } = columns;
  if (priorities.join() === known.join()) return columns;
  const places = priorities.map((priority) => known.indexOf(priority));
  const chosen = blankColumns(ports, priorities);
  for (const name of PORT_COLUMNS) {
    for (let port = 0; port < ports; port++) {
      places.forEach((place, k) => {
        const value = place < 0 ? 0 : columns[name][port * known.length + place]!;
        chosen[name][port * priorities.length + k] = value;
      });
    }
  }
  return chosen;
}
