import type { Scenario } from '../scenario/scenario.js';
import type { Settings } from './settings.js';

export const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];

/** Priority group of each priority: one for all where a whole port is paused. */
export function groupsOf({ pause, classes }: Scenario): readonly number[] {
  return pause.enabled ? ONE_GROUP : classes.receive;
}

/** The same at the ports of a device; a memory of its own may have one for all. */
export function groupsAt(
  scenario: Scenario,
  settings: Settings,
  isHost: boolean,
): readonly number[] {
  const { host, switch: own } = settings;
  const isUndivided = isHost ? host.nic?.dcb === false : own.model !== 'shared-buffer';
  return isUndivided ? ONE_GROUP : groupsOf(scenario);
}
