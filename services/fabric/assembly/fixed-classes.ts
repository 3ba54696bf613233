/** Which priorities may move to other traffic classes during a run, and from where. */

import { maskOf } from '../../mechanisms/mechanism-slice.js';
import { EXCHANGE, GRANTING_CONTROLS, MECHANISMS } from '../../mechanisms/registry.js';
import type { Path } from '../../settings/source-tree.js';
import type { Scenario } from '../scenario/scenario.js';
import type { AssemblyInput } from './assembly.js';
import type { Prospects } from './link-methods.js';
import { configuredFor, type PortSettings } from './port-settings.js';
import { bySettings, type Settings } from './settings.js';
import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';

/** Traffic class of each priority at the ports of a device when the run begins. */
export function classesOf({ discovery }: Settings, scenario: Scenario): readonly number[] {
  const { enabled, drives } = scenario.discovery;
  const own = enabled && drives ? discovery.classes : null;
  return own ?? scenario.classes.transmit;
}

/** By device, then port. */
interface PortsOfDevices {
  readonly ports: readonly (readonly PortSettings[])[];
  readonly prospects: readonly (readonly Prospects[])[];
}

/**
 * By device: priorities, one bit each, whose class something depends on: accounts of grants,
 * congestion messages, registers of a part. They stay where all devices have them, and separate
 * from others.
 */
export function fixedClasses(
  { scenario, topology, flows, fail }: AssemblyInput,
  settings: readonly Settings[],
  { ports, prospects }: PortsOfDevices,
): number[] {
  const reacting = new Set(
    flows.flatMap(({ source, congestion }) => (congestion === 'none' ? [] : source)),
  );
  const [ofHosts, ofSwitches] = [true, false].map((isHost) =>
    bySettings((own) => watched(own, isHost)),
  );
  return topology.devices.map(({ kind }, device) => {
    const own = settings[device]!;
    const isHost = kind === 'host';
    const watchedHere = isHost ? ofHosts!(own) : ofSwitches!(own);
    const fixed = isBound(own, isHost, reacting.has(device))
      ? ALL_PRIORITIES
      : ports[device]!.reduce((mask, port) => mask | gatedAt(port), watchedHere) |
        prospects[device]!.reduce((mask, { grants }) => mask | grants, 0);
    const problem = problemOfClasses(fixed, classesOf(own, scenario), scenario);
    if (problem !== null) throw fail(placeOfClasses(own), problem);
    for (const { maps, mapsPaths } of ports[device]!) {
      const wrong = maps?.queues && problemOfClasses(fixed, maps.queues, scenario);
      if (wrong) throw fail([...mapsPaths.at(-1)!, 'maps'], wrong);
    }
    return fixed;
  });
}

function placeOfClasses({ changes }: Settings): Path {
  const change = changes.findLast(({ discovery }) => discovery.classes !== undefined);
  const section = change === undefined ? [] : ['devices', change.match];
  return [...section, 'discovery', 'classes'];
}

/** What is wrong with classes that a device has, or may get; null if nothing is. */
export function problemOfClasses(
  fixed: number,
  own: readonly number[],
  { classes: { transmit } }: Scenario,
): string | null {
  const odd = own.findIndex((tc, p) => tc !== transmit[p] && touches(fixed, own, transmit, p));
  if (odd < 0) return null;
  const controls = [EXCHANGE, ...GRANTING_CONTROLS].join(', ');
  return (
    `priority ${odd} has a class of its own, ${own[odd]!}, but ${controls}, messages about ` +
    `congestion or an adapter go by the common one; leave it in ${transmit[odd]!}` +
    ((fixed & (1 << odd)) !== 0 ? '' : `, or take a class that no such priority has`)
  );
}

/** Whether a priority is fixed, or shares a class with one that is. */
function touches(
  fixed: number,
  own: readonly number[],
  transmit: readonly number[],
  priority: number,
): boolean {
  const isFixed = (p: number): boolean => (fixed & (1 << p)) !== 0;
  return isFixed(priority) || transmit.some((tc, p) => isFixed(p) && tc === own[priority]);
}

/**
 * Classes that DCBX cannot move: a NIC without DCB has one, rates that react to congestion are in
 * its queues by class, and those of a switch with slots are fixed.
 */
function isBound({ host, switch: bridge }: Settings, isHost: boolean, hasRates: boolean): boolean {
  if (!isHost) return bridge.model !== 'shared-buffer';
  return host.nic !== null && (!host.nic.dcb || hasRates);
}

/** Priorities of a port whose frames start with grants. */
function gatedAt(port: PortSettings): number {
  return GRANTING_CONTROLS.reduce((mask, name) => mask | configuredFor(port, name), 0);
}

/** Priorities that mechanisms monitor, and others that these need. */
function watched({ priorities, mechanisms }: Settings, isHost: boolean): number {
  return MECHANISMS.reduce((mask, slice) => {
    const { name } = slice;
    const own = priorities.filter((section) => section.mechanisms[name] === true);
    const watchedHere = maskOf(own.map(({ priority }) => priority));
    return mask | (slice.fixedClasses?.(mechanisms[name], watchedHere, isHost) ?? 0);
  }, 0);
}
