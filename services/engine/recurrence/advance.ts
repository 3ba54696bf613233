import type { Device } from '../device/device.js';
import type { Engine } from '../device/engine.js';
import type { Kind } from '../kernel/kinds.js';
import type { Recurrence } from './compare.js';
import { timersOf, type Walk } from './imprint.js';

/**
 * Moves the state of devices, which is that of `recurrence.after`, on by so many periods: every
 * number as if each event of them had been executed, but for digests, which fold apart.
 */
export function advanceState(
  engine: Engine,
  devices: readonly Device[],
  { before, after, periodPs, shifts }: Recurrence,
  periods: number,
  walk: Walk,
): void {
  const movedPs = periods * periodPs;
  const moved = (kind: Kind, a: number, b: number, connection: number): number => {
    switch (kind.is) {
      case 'due':
      case 'since':
      case 'stamp':
        // What was written in the period that was executed is written in every other.
        return a === b ? b : b + movedPs;
      case 'counter':
      case 'limit':
        return a === b ? b : b + periods * (b - a);
      case 'sequence':
        return kind.none.includes(b) ? b : b + periods * shiftOf(connection);
      case 'countdown':
        return b === kind.none ? b : b - periods * shiftOf(connection);
      default:
        return b;
    }
  };
  const shiftOf = (connection: number): number => (connection < 0 ? 0 : shifts[connection]);
  for (const { field, values, from, step, count, at, connections, firstRow } of after.runs) {
    const { kind } = field;
    if (kind.is === 'shape' || kind.is === 'unknown') continue;
    for (let i = 0, place = from; i < count; i++, place += step) {
      const [a, b] = [before.tables[at + i], after.tables[at + i]];
      if (a === b) continue;
      values[place] = moved(kind, a, b, connections === null ? -1 : connections[firstRow + i]);
    }
  }
  let i = 0;
  const { arrivals, transmits, horizon } = engine.shared;
  for (const device of devices) {
    const timers = timersOf(device);
    walk(
      device,
      {
        cell: (holder, key, kind, _, connection) => {
          const [a, b] = [before.others[i], after.others[i]];
          i++;
          if (a !== b && kind.is !== 'shape') holder[key] = moved(kind, a, b, connection);
        },
        shape: () => i++,
      },
      timers,
    );
    const { place, timerQueue } = device;
    timerQueue.refill(timers);
    arrivals.reorder(place);
    transmits.reorder(place);
    horizon[place] = Math.min(arrivals.time[place], transmits.time[place], timerQueue.time);
  }
}
