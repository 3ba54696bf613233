/** Possible results of negotiation, at any time of a run. */

import { besidePause } from '../scenario/check-flow-control.js';
import { EXCHANGE, NEGOTIATED_CONTROL, WHOLE_PORT } from '../../mechanisms/registry.js';
import type { DiscoveryChange } from '../scenario/discovery-section.js';
import type { FlowControl } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { AssemblyInput } from './assembly.js';
import type { Prospects } from './link-methods.js';
import { configuredAt, configuredFor, fallbackAt, type PortSettings } from './port-settings.js';
import type { Settings } from './settings.js';

/** Key of discovery: priorities that could exchange grants. */
const CAPABLE = `${EXCHANGE}Capable`;

/** By device, then port. A port with PAUSE negotiates no flow control. */
export function prospectsOf(
  input: AssemblyInput,
  ports: readonly (readonly PortSettings[])[],
): Prospects[][] {
  const { scenario, topology } = input;
  const { transmit, receive } = scenario.classes;
  return topology.devices.map(({ name }, device) => {
    const own = ports[device]!;
    const later = scenario.discovery.changes.filter(({ devices }) => matchesGlob(devices, name));
    const [first] = own;
    if (first !== undefined && own.every(isGivenPause)) {
      checkPaused(input, first.device, later);
    }
    return ports[device]!.map((port): Prospects => {
      if (port.pause !== null) return { pausable: 0, grants: 0 };
      const now = negotiatedOf(port);
      const pausable = later.reduce((mask, change) => mask | (change.pfc ?? 0), now);
      const granting = exchangedOf(port) | maskOf(port.device.discovery.grantCapable);
      const grants = later.reduce(
        (mask, { grants: then, end }) => mask | (then ?? 0) | maskOf(end.grantCapable ?? []),
        granting,
      );
      checkAlike(input, grants, transmit, 'traffic class');
      checkAlike(input, grants, receive, 'receive account');
      return { pausable, grants };
    });
  });
}

/** A priority whose flow control may fall back to PFC advertises that, too. */
export function negotiatedOf(port: PortSettings): number {
  return configuredAt(port).reduce((mask, method, priority) => {
    const isPausable =
      method === NEGOTIATED_CONTROL ||
      (isRuled(method) && fallbackAt(port, priority, method) === NEGOTIATED_CONTROL);
    return isPausable ? mask | (1 << priority) : mask;
  }, 0);
}

/** Flow control by priority. */
function isRuled(method: FlowControl): boolean {
  return method !== 'none' && method !== WHOLE_PORT;
}

export function exchangedOf(port: PortSettings): number {
  return configuredFor(port, EXCHANGE);
}

function maskOf(priorities: readonly number[]): number {
  return priorities.reduce((mask, priority) => mask | (1 << priority), 0);
}

/** By the file, and not by a part that knows nothing else, or is its link partner. */
function isGivenPause({ pause }: PortSettings): boolean {
  return pause !== null && ['pause', 'ports'].includes(String(pause.path[0]));
}

/** Of a device whose ports all have PAUSE: it has no flow control by priority, nor gets it. */
function checkPaused(
  { fail }: AssemblyInput,
  { changes, discovery }: Settings,
  later: readonly DiscoveryChange[],
): void {
  for (const { index, pfc, grants, end } of later) {
    const at = ['discovery', 'changes', index];
    if (pfc) throw fail([...at, 'pfc'], besidePause('pfc'));
    if (grants) throw fail([...at, EXCHANGE], besidePause(EXCHANGE));
    if (maskOf(end.grantCapable ?? []) !== 0) {
      throw fail([...at, CAPABLE], besidePause(EXCHANGE));
    }
  }
  if (discovery.grantCapable.length === 0) return;
  const change = changes.findLast((own) => own.discovery.grantCapable !== undefined);
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
