import type { Device } from '../device/device.js';
import type { Engine } from '../device/engine.js';
import { advanceState } from './advance.js';
import type { Difference, Recurrence } from './compare.js';
import { compareImprints } from './compare.js';
import { makeConnections } from './connections.js';
import type { Imprint } from './imprint.js';
import { makeWalk, takeImprint } from './imprint.js';
import type { Run } from './runs.js';
import { runsOf } from './runs.js';

/**
 * Whether devices repeat themselves, and what their state is after so many periods more. It relies
 * on the kinds of all numbers of state: a wrong one makes a run wrong. Nothing of it is executed
 * while events are.
 */
export interface Recurrences {
  /** The state of these devices; everything before `nowPs` is executed, and nothing from it on. */
  imprint(devices: readonly number[], nowPs: number): Imprint;
  compare(before: Imprint, after: Imprint): Recurrence | Difference;
  /** The engine is in the state of `recurrence.after`: moves it on by at most `most` periods. */
  advance(recurrence: Recurrence, periods: number): void;
}

export function makeRecurrences(engine: Engine): Recurrences {
  const connections = makeConnections(engine);
  const walk = makeWalk(engine, connections);
  let [known, runs]: [string, readonly Run[]] = ['', []];

  function runsFor(devices: readonly Device[]): readonly Run[] {
    const key = devices.map(({ place }) => place).join();
    if (key !== known) [known, runs] = [key, runsOf(engine.shared.tables, devices, connections)];
    return runs;
  }

  function imprint(places: readonly number[], nowPs: number): Imprint {
    const devices = places.map((place) => engine.devices[place]);
    return takeImprint(nowPs, devices, runsFor(devices), walk);
  }

  return {
    imprint,
    compare: (before, after) => compareImprints(before, after, connections.count),
    advance: (recurrence, periods) => {
      const { devices } = recurrence.after;
      advanceState(engine, devices, recurrence, periods, walk);
    },
  };
}
