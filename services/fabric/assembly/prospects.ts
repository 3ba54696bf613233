/** Possible results of negotiation, at any time of a run. */

import { besidePause } from '../scenario/check-flow-control.js';
import { EXCHANGE, fallbackOf, NEGOTIATED_CONTROL } from '../../mechanisms/registry.js';
import type { Scenario } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { AssemblyInput } from './assembly.js';
import type { Prospects } from './link-methods.js';
import type { Settings } from './settings.js';

/** Key of discovery: priorities that could exchange grants. */
const CAPABLE = `${EXCHANGE}Capable`;

/** By device. */
export function prospectsOf(input: AssemblyInput, settings: readonly Settings[]): Prospects[] {
  const { scenario, topology } = input;
  const { transmit, receive } = scenario.classes;
  if (scenario.pause.enabled) checkPaused(input, settings);
  return topology.devices.map(({ name }, device) => {
    const own = settings[device]!;
    const later = scenario.discovery.changes.filter(({ devices }) => matchesGlob(devices, name));
    const now = negotiatedOf(own, scenario);
    const pausable = later.reduce((mask, change) => mask | (change.pfc ?? 0), now);
    const granting = exchangedOf(own) | maskOf(own.discovery.grantCapable);
    const grants = later.reduce(
      (mask, { grants: then, end }) => mask | (then ?? 0) | maskOf(end.grantCapable ?? []),
      granting,
    );
    checkAlike(input, grants, transmit, 'traffic class');
    checkAlike(input, grants, receive, 'receive account');
    return { pausable, grants };
  });
}

/** A priority whose flow control may fall back to PFC advertises that, too. */
export function negotiatedOf({ priorities }: Settings, { mechanisms }: Scenario): number {
  const mayPause = (method: string): boolean =>
    method === NEGOTIATED_CONTROL || fallbackOf(method, mechanisms) === NEGOTIATED_CONTROL;
  return maskOf(
    priorities.filter(({ flowControl }) => mayPause(flowControl)).map(({ priority }) => priority),
  );
}

export function exchangedOf({ priorities }: Settings): number {
  return maskOf(
    priorities
      .filter(({ flowControl }) => flowControl === EXCHANGE)
      .map(({ priority }) => priority),
  );
}

function maskOf(priorities: readonly number[]): number {
  return priorities.reduce((mask, priority) => mask | (1 << priority), 0);
}

/** A port has PAUSE or flow control by priority, also after changes. */
function checkPaused({ scenario, fail }: AssemblyInput, settings: readonly Settings[]): void {
  for (const { index, pfc, grants, end } of scenario.discovery.changes) {
    const at = ['discovery', 'changes', index];
    if (pfc) throw fail([...at, 'pfc'], besidePause('pfc'));
    if (grants) throw fail([...at, EXCHANGE], besidePause(EXCHANGE));
    if (maskOf(end.grantCapable ?? []) !== 0) {
      throw fail([...at, CAPABLE], besidePause(EXCHANGE));
    }
  }
  const capable = settings.find(({ discovery }) => discovery.grantCapable.length > 0);
  if (capable === undefined) return;
  const change = capable.changes.findLast((own) => own.discovery.grantCapable !== undefined);
  const section = change === undefined ? [] : ['devices', change.match];
  throw fail([...section, 'discovery', CAPABLE], besidePause(EXCHANGE));
}

/** Priorities in one class wait for the same grants, and those of one account share its buffer. */
function checkAlike(
  { fail, scenario }: AssemblyInput,
  grants: number,
  placeOf: readonly number[],
  what: string,
): void {
  if (!scenario.discovery.enabled || !scenario.discovery.drives) return;
  const has = (priority: number): boolean => (grants & (1 << priority)) !== 0;
  placeOf.forEach((place, priority) => {
    const other = placeOf.findIndex((p, q) => p === place && has(q) !== has(priority));
    if (!has(priority) || other < 0) return;
    throw fail(
      ['discovery'],
      `priorities ${priority} and ${other} share the ${what} ${place}, but only ${priority} may ` +
        `have ${EXCHANGE}; make them alike or change classes`,
    );
  });
}
