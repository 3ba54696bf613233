/** What holds for one device: the scenario's own sections with its overrides in file order. */

import type {
  CiSection,
  CreditEndSection,
  DeviceOverride,
  HostSection,
  Mvtx2802Change,
  Mvtx2802Section,
  PriorityChange,
  PrioritySection,
  Scenario,
  SfcSection,
  SwitchSection,
} from './scenario.js';
import type { DiscoveryEndSection } from './discovery-section.js';
import { matchesGlob } from './selector.js';

export interface DeviceSettings {
  readonly host: HostSection;
  readonly switch: SwitchSection;
  /** Indexed by priority. */
  readonly priorities: readonly PrioritySection[];
  readonly credit: CreditEndSection;
  readonly sfc: SfcSection;
  readonly discovery: DiscoveryEndSection;
  readonly ci: CiSection;
}

export function settingsOf(scenario: Scenario, device: string): DeviceSettings {
  const { hosts: host, switches, priorities, credit, sfc, discovery, ci } = scenario;
  return scenario.overrides
    .filter(({ match }) => matchesGlob(match, device))
    .reduce(overridden, {
      host,
      switch: switches,
      priorities,
      credit: credit.end,
      sfc,
      discovery: discovery.end,
      ci,
    });
}

export function overridden(settings: DeviceSettings, change: DeviceOverride): DeviceSettings {
  return {
    host: { ...settings.host, ...change.host },
    switch: {
      ...settings.switch,
      ...change.switch,
      buffer: { ...settings.switch.buffer, ...change.switch.buffer },
      mvtx2802: changedRegisters(settings.switch.mvtx2802, change.switch.mvtx2802),
    },
    priorities: settings.priorities.map((section) => {
      const own = change.priorities.find(({ priority }) => priority === section.priority);
      return own ? changedPriority(section, own) : section;
    }),
    credit: { ...settings.credit, ...change.credit },
    discovery: { ...settings.discovery, ...change.discovery },
    sfc: { ...settings.sfc, ...change.sfc },
    ci: { ...settings.ci, ...change.ci },
  };
}

function changedRegisters(
  registers: Mvtx2802Section,
  change: Mvtx2802Change | undefined,
): Mvtx2802Section {
  if (change === undefined) return registers;
  const thresholds = { ...registers.wred.thresholds, ...change.wred.thresholds };
  return {
    ...registers,
    ...change,
    classes: { ...registers.classes, ...change.classes },
    wred: { ...registers.wred, ...change.wred, thresholds },
  };
}

function changedPriority(section: PrioritySection, change: PriorityChange): PrioritySection {
  return { ...section, ...change, pfc: { ...section.pfc, ...change.pfc } };
}
