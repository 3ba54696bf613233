import { PRIORITY_NUMBERS, WIRE_OVERHEAD_OCTETS } from '../engine/units/ethernet.js';
import { USED } from '../engine/buffer/shared-buffer.js';
import type { Engine } from '../engine/device/engine.js';
import { DROP_FRAMES, TX_FRAMES, TX_OCTETS } from '../engine/port/counters.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';

/** Ports at a moment: their counters, and the levels of their queues and accounts. */
export interface PortSample {
  /** Time of the latest event that has been executed. */
  readonly timePs: number;
  /** By port of the fabric, device by device. */
  readonly columns: PortColumns;
}

/** Values of a port and priority. */
export const PORT_COLUMNS = [
  'wireOctets',
  'blockedPs',
  'queueOctets',
  'ingressOctets',
  'grantedUnits',
  'drops',
] as const;
export type PortColumn = (typeof PORT_COLUMNS)[number];

/** Port by port, and for each port by the index of `priorities`. */
export type PortColumns = Readonly<Record<PortColumn, Float64Array>> & {
  /** Priorities with any value, ascending. */
  readonly priorities: readonly number[];
};

export function blankColumns(ports: number, priorities: readonly number[]): PortColumns {
  const column = (): Float64Array => new Float64Array(ports * priorities.length);
  return {
    priorities,
    ...{ wireOctets: column(), blockedPs: column(), queueOctets: column() },
    ...{ ingressOctets: column(), grantedUnits: column(), drops: column() },
  };
}

/** Ports by their number in the engine, at a time before which all has been executed. */
export function columnsAt(engine: Engine, ports: readonly number[], timePs: number): PortColumns {
  const { counters, queues, buffer } = engine.shared;
  const { accounts, sender } = engine.books;
  const columns = blankColumns(ports.length, PRIORITY_NUMBERS);
  ports.forEach((port, i) => {
    for (const priority of PRIORITY_NUMBERS) {
      const at = i * PRIORITY_NUMBERS.length + priority;
      columns.wireOctets[at] =
        counters.get(port, priority, TX_OCTETS) +
        WIRE_OVERHEAD_OCTETS * counters.get(port, priority, TX_FRAMES);
      columns.blockedPs[at] = engine.blockedPs(port, priority, timePs);
      columns.queueOctets[at] = queues.get(port, priority, QUEUE_OCTETS);
      columns.ingressOctets[at] = buffer.get(port, priority, USED);
      columns.drops[at] = counters.get(port, priority, DROP_FRAMES);
    }
    accounts.forEach(port, (row) => {
      const at = i * PRIORITY_NUMBERS.length + accounts.priority(row);
      columns.grantedUnits[at]! += sender.available(row);
    });
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
