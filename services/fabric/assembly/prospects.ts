/** Possible results of negotiation, at any time of a run. */

import type { Scenario } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { AssemblyInput } from './assembly.js';
import type { Prospects } from './link-methods.js';
import type { Settings } from './settings.js';

/** By device. */
export function prospectsOf(input: AssemblyInput, settings: readonly Settings[]): Prospects[] {
  const { scenario, topology } = input;
  const { transmit, receive } = scenario.classes;
  if (scenario.pause.enabled) checkPaused(input, settings);
  return topology.devices.map(({ name }, device) => {
    const own = settings[device]!;
    const later = scenario.discovery.changes.filter(({ devices }) => matchesGlob(devices, name));
    const pfc = later.reduce((mask, change) => mask | (change.pfc ?? 0), pfcOf(own, scenario));
    const now = creditOf(own) | maskOf(own.discovery.creditCapable);
    const credit = later.reduce(
      (mask, { credit: then, end }) => mask | (then ?? 0) | maskOf(end.creditCapable ?? []),
      now,
    );
    checkAlike(input, credit, transmit, 'traffic class');
    checkAlike(input, credit, receive, 'receive account');
    return { pfc, credit };
  });
}

/** A priority with credit that may fall back to PFC advertises that too. */
export function pfcOf({ priorities }: Settings, { credit }: Scenario): number {
  const fallsBack = credit.fallback === 'pfc';
  return maskOf(
    priorities
      .filter(({ flowControl }) => flowControl === 'pfc' || (flowControl === 'credit' && fallsBack))
      .map(({ priority }) => priority),
  );
}

export function creditOf({ priorities }: Settings): number {
  return maskOf(
    priorities
      .filter(({ flowControl }) => flowControl === 'credit')
      .map(({ priority }) => priority),
  );
}

function maskOf(priorities: readonly number[]): number {
  return priorities.reduce((mask, priority) => mask | (1 << priority), 0);
}

/** A port has PAUSE or flow control by priority, also after changes. */
function checkPaused({ scenario, fail }: AssemblyInput, settings: readonly Settings[]): void {
  const message = (method: string): string =>
    `${method} while pause is on: a port has either of them (802.1Q 36); remove one`;
  for (const { index, pfc, credit, end } of scenario.discovery.changes) {
    const at = ['discovery', 'changes', index];
    if (pfc) throw fail([...at, 'pfc'], message('pfc'));
    if (credit) throw fail([...at, 'credit'], message('credit'));
    if (maskOf(end.creditCapable ?? []) !== 0) {
      throw fail([...at, 'creditCapable'], message('credit'));
    }
  }
  const capable = settings.find(({ discovery }) => discovery.creditCapable.length > 0);
  if (capable === undefined) return;
  const change = capable.changes.findLast((own) => own.discovery.creditCapable !== undefined);
  const section = change === undefined ? [] : ['devices', change.match];
  throw fail([...section, 'discovery', 'creditCapable'], message('credit'));
}

/** Priorities in one class wait for the same credit, and those of one account share its buffer. */
function checkAlike(
  { fail, scenario }: AssemblyInput,
  credit: number,
  placeOf: readonly number[],
  what: string,
): void {
  if (!scenario.discovery.enabled || !scenario.discovery.drives) return;
  const has = (priority: number): boolean => (credit & (1 << priority)) !== 0;
  placeOf.forEach((place, priority) => {
    const other = placeOf.findIndex((p, q) => p === place && has(q) !== has(priority));
    if (!has(priority) || other < 0) return;
    throw fail(
      ['discovery'],
      `priorities ${priority} and ${other} share the ${what} ${place}, but only ${priority} may ` +
        'have credit; make them alike or change classes',
    );
  });
}
