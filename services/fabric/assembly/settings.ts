import { CollectedErrors } from '../../settings/collected-errors.js';
import type { DeviceSettings } from '../scenario/device-settings.js';
import { overridden } from '../scenario/device-settings.js';
import type { DeviceOverride, Scenario } from '../scenario/scenario.js';
import type { Fail, Path } from '../topology/cabling.js';
import { NameTable } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';

/** The settings of one device, and its overrides, in file order. */
export interface Settings extends DeviceSettings {
  readonly changes: readonly DeviceOverride[];
}

/** Computes a value once for all devices that share their settings. */
export function bySettings<Value>(compute: (own: Settings) => Value): (own: Settings) => Value {
  const known = new Map<Settings, Value>();
  return (own) => {
    const before = known.get(own);
    if (before !== undefined) return before;
    const value = compute(own);
    known.set(own, value);
    return value;
  };
}

/** By device; devices with the same overrides share their settings. */
export function settingsOfDevices(scenario: Scenario, topology: Topology, fail: Fail): Settings[] {
  const plain: Settings = {
    host: scenario.hosts,
    switch: scenario.switches,
    priorities: scenario.priorities,
    discovery: scenario.discovery.end,
    mechanisms: scenario.mechanisms,
    changes: [],
  };
  const settings = topology.devices.map(() => plain);
  const errors = new CollectedErrors();
  const apply = (change: DeviceOverride): void => {
    const reject = (message: string): Error => fail(['devices', change.match], message);
    const changed = new Map<Settings, Settings>();
    for (const device of new NameTable(topology, 'device', reject).select(change.match)) {
      const before = settings[device]!;
      if (!changed.has(before)) changed.set(before, changedBy(before, change));
      settings[device] = changed.get(before)!;
    }
  };
  for (const change of scenario.overrides) {
    errors.attempt(() => {
      apply(change);
    });
  }
  errors.settle();
  return settings;
}

/** Path of a setting of a switch: in the last override that has it, or of all. */
export function placeOf(
  settings: Settings,
  says: (change: DeviceOverride) => boolean,
  keys: Path,
): Path {
  const change = settings.changes.findLast(says);
  return change === undefined ? ['switches', ...keys] : ['devices', change.match, ...keys];
}

/** Path of a key of a mechanism's section: in the last override that has it, or of all. */
export function placeOfKey({ changes }: Settings, name: string, key: string): Path {
  const change = changes.findLast(({ mechanisms }) => Object.hasOwn(mechanisms[name] ?? {}, key));
  return change === undefined ? [name, key] : ['devices', change.match, name, key];
}

/** Path of the arbiter of a host. */
export function placeOfArbiter({ changes }: Settings): Path {
  const change = changes.findLast(({ host }) => host.arbiter !== undefined);
  return change === undefined ? ['hosts', 'arbiter'] : ['devices', change.match, 'arbiter'];
}

function changedBy(settings: Settings, change: DeviceOverride): Settings {
  return { ...overridden(settings, change), changes: [...settings.changes, change] };
}
