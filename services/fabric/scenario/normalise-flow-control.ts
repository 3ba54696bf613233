/** `priorities`, `pause`, `classes` of the file -> settings of each priority and class. */

import type { z } from 'zod';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { pausingKeys, type PausingSettings } from '../../mechanisms/pausing-settings.js';
import type { Located } from './located.js';
import { checkMechanismKeys, mechanismKeys } from './mechanism-sections.js';
import type {
  ArbiterSection,
  ClassSection,
  PauseChange,
  PauseSection,
  PriorityChange,
  PrioritySection,
} from './scenario.js';
import type {
  ArbiterInput,
  PauseChangeInput,
  PriorityChangeInput,
  PriorityInput,
  priorityOverridesSchema,
} from './schema-flow-control.js';
import { pauseDefaults, priorityDefaults } from './schema-flow-control.js';
import type { ScenarioInput } from './schema.js';
import type { Path } from '../../settings/source-tree.js';

type PriorityKeys = Exclude<z.output<typeof priorityOverridesSchema>[string], string>;

/** Short form, the name of a flow control, and long form alike. */
const keysOf = (input: PriorityChangeInput | undefined): PriorityKeys =>
  typeof input === 'string' ? { flowControl: input } : (input ?? {});

export function prioritySections(
  input: ScenarioInput['priorities'],
  located: Located,
): readonly PrioritySection[] {
  checkKeys(input, ['priorities'], located);
  const defaults = priorityDefaults.parse({});
  return PRIORITY_NUMBERS.map((priority) => {
    const keys: PriorityInput = {
      ...defaults,
      ...keysOf(input['all']),
      ...keysOf(input[priority]),
    };
    return {
      priority,
      path: entryOf(input, priority, ['priorities']),
      flowControl: keys.flowControl,
      fallback: keys.fallback,
      pausing: pausingIn(keys),
      watchdog: keys.watchdog,
      ingressReservedBytes: keys.reserved,
      ingressAlpha: keys.alpha,
      mechanisms: mechanismKeys(keys),
    };
  });
}

/** The entry that sets a priority: its own, that of all, or the section itself. */
function entryOf(input: object, priority: number, path: Path): Path {
  const own = [String(priority), 'all'].find((key) => Object.hasOwn(input, key));
  return own === undefined ? path : [...path, own];
}

export function priorityChanges(
  input: Readonly<Record<string, PriorityChangeInput>>,
  path: Path,
  located: Located,
): readonly PriorityChange[] {
  checkKeys(input, path, located);
  const named = PRIORITY_NUMBERS.filter((priority) => input['all'] ?? input[priority]);
  return named.map((priority) => {
    const keys = { ...keysOf(input['all']), ...keysOf(input[priority]) };
    return {
      priority,
      path: entryOf(input, priority, path),
      pausing: pausingIn(keys),
      ...(keys.fallback !== undefined && { fallback: keys.fallback }),
      ...(keys.watchdog !== undefined && { watchdog: keys.watchdog }),
      ...(keys.flowControl !== undefined && { flowControl: keys.flowControl }),
      ...(keys.reserved !== undefined && { ingressReservedBytes: keys.reserved }),
      ...(keys.alpha !== undefined && { ingressAlpha: keys.alpha }),
      mechanisms: mechanismKeys(keys),
    };
  });
}

/** Of a section, the keys that say how its link partner is paused, as far as they are set. */
function pausingIn<Keys extends Partial<PausingSettings>>(
  section: Keys,
): Pick<Keys, keyof PausingSettings> {
  const names = Object.keys(pausingKeys) as (keyof PausingSettings)[];
  const set = names.filter((name) => section[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, section[name]]));
}

export function pauseSection(input: ScenarioInput['pause']): PauseSection {
  const keys = typeof input === 'boolean' ? pauseDefaults.parse({}) : input;
  return {
    path: ['pause'],
    enabled: input !== false,
    pausing: pausingIn(keys),
    ingressReservedBytes: keys.reserved,
    ingressAlpha: keys.alpha,
  };
}

export function pauseChange(input: PauseChangeInput, path: Path): PauseChange {
  const keys = typeof input === 'boolean' ? {} : input;
  return {
    path,
    enabled: input !== false,
    pausing: pausingIn(keys),
    ...(keys.reserved !== undefined && { ingressReservedBytes: keys.reserved }),
    ...(keys.alpha !== undefined && { ingressAlpha: keys.alpha }),
  };
}

function checkKeys(
  input: Readonly<Record<string, PriorityChangeInput>>,
  path: Path,
  located: Located,
): void {
  for (const [priority, value] of Object.entries(input)) {
    checkMechanismKeys(keysOf(value), [...path, priority], located);
  }
}

export function classSection(input: ScenarioInput['classes'], located: Located): ClassSection {
  const { transmit, receive } = input;
  const arbiter = arbiterSection(input.arbiter, ['classes', 'arbiter'], located);
  return { transmit, receive, arbiter };
}

export function arbiterSection(input: ArbiterInput, path: Path, located: Located): ArbiterSection {
  if (input === 'strict' || input === 'round-robin') return { kind: input };
  if (typeof input === 'string') return { kind: 'outside', name: input, settings: {} };
  if ('dwrr' in input) {
    return { kind: 'dwrr', weights: PRIORITY_NUMBERS.map((index) => input.dwrr[index] ?? 1) };
  }
  const shares = PRIORITY_NUMBERS.map((index) => {
    const share = input.ets[index] ?? 0;
    return share === 'strict' ? null : percent(share, [...path, 'ets', index], located);
  });
  const sum = shares.reduce<number>((total, share) => total + (share ?? 0), 0);
  if (sum !== 100 && shares.some((share) => share !== null)) {
    throw located.errorAt([...path, 'ets'], `shares sum to ${sum} %; they must sum to 100 %`);
  }
  return { kind: 'ets', shares };
}

function percent(share: number, path: Path, located: Located): number {
  const percentage = Math.round(share * 100);
  if (Math.abs(percentage - share * 100) < 1e-9) return percentage;
  throw located.errorAt(path, 'not a whole percentage; the ETS TLV of 802.1Q has no fractions');
}
