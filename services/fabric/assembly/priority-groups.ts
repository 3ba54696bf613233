import { WHOLE_PORT } from '../../mechanisms/registry.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Methods } from './link-methods.js';
import type { PortSettings } from './port-settings.js';

export const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];

/** Priority group of each priority at a port: one for all where it is paused as a whole. */
export function groupsOf(
  { classes }: Scenario,
  { maps }: PortSettings,
  methods: Methods,
): readonly number[] {
  return methods[0] === WHOLE_PORT ? ONE_GROUP : (maps?.groups ?? classes.receive);
}

/** The same at a port of a device; a memory of its own may have one for all. */
export function groupsAt(
  scenario: Scenario,
  port: PortSettings,
  isHost: boolean,
  methods: Methods,
): readonly number[] {
  const { host, switch: own } = port.device;
  const isUndivided = isHost ? host.nic?.dcb === false : own.model !== 'shared-buffer';
  return isUndivided ? ONE_GROUP : groupsOf(scenario, port, methods);
}
