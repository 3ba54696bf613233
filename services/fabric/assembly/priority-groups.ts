import { WHOLE_PORT } from '../../mechanisms/registry.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Methods } from './link-methods.js';
import type { Settings } from './settings.js';

export const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];

/** Priority group of each priority: one for all where a whole port is paused. */
export function groupsOf({ classes }: Scenario, methods: Methods): readonly number[] {
  return methods[0] === WHOLE_PORT ? ONE_GROUP : classes.receive;
}

/** The same at a port of a device; a memory of its own may have one for all. */
export function groupsAt(
  scenario: Scenario,
  settings: Settings,
  isHost: boolean,
  methods: Methods,
): readonly number[] {
  const { host, switch: own } = settings;
  const isUndivided = isHost ? host.nic?.dcb === false : own.model !== 'shared-buffer';
  return isUndivided ? ONE_GROUP : groupsOf(scenario, methods);
}
