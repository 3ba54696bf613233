/** Settings of one device: the scenario's own sections with its overrides in file order. */

import type {
  DeviceOverride,
  HostSection,
  PriorityChange,
  PrioritySection,
  Scenario,
  SwitchSection,
} from './scenario.js';
import type { DiscoveryEndSection } from './discovery-section.js';
import type { MechanismSections } from './mechanism-sections.js';
import { changedSections } from './mechanism-sections.js';
import { matchesGlob } from './selector.js';
import { SLOTTED } from '../../mechanisms/registry.js';

export interface DeviceSettings {
  readonly host: HostSection;
  readonly switch: SwitchSection;
  /** Indexed by priority. */
  readonly priorities: readonly PrioritySection[];
  readonly discovery: DiscoveryEndSection;
  readonly mechanisms: MechanismSections;
}

export function settingsOf(scenario: Scenario, device: string): DeviceSettings {
  const { hosts: host, switches, priorities, discovery, mechanisms } = scenario;
  return scenario.overrides
    .filter(({ match }) => matchesGlob(match, device))
    .reduce(overridden, {
      host,
      switch: switches,
      priorities,
      discovery: discovery.end,
      mechanisms,
    });
}

export function overridden(settings: DeviceSettings, change: DeviceOverride): DeviceSettings {
  return {
    host: { ...settings.host, ...change.host },
    switch: {
      ...settings.switch,
      ...change.switch,
      buffer: { ...settings.switch.buffer, ...change.switch.buffer },
      slots:
        SLOTTED === null || change.switch.slots === undefined
          ? settings.switch.slots
          : SLOTTED.changed(settings.switch.slots, change.switch.slots),
    },
    priorities: settings.priorities.map((section) => {
      const own = change.priorities.find(({ priority }) => priority === section.priority);
      return own ? changedPriority(section, own) : section;
    }),
    discovery: { ...settings.discovery, ...change.discovery },
    mechanisms: changedSections(settings.mechanisms, change.mechanisms),
  };
}

export function changedPriority(section: PrioritySection, change: PriorityChange): PrioritySection {
  const pausing = { ...section.pausing, ...change.pausing };
  const mechanisms = { ...section.mechanisms, ...change.mechanisms };
  return { ...section, ...change, pausing, mechanisms };
}
