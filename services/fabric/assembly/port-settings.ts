/**
 * What each port is configured for: settings of the fabric, of its device, of the part that it
 * belongs to, and of the rules of `ports` that select it, each over those before. A port has PAUSE,
 * or flow control by priority: who sets one of them takes the other away.
 */

import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { fallbackOf, pausingOf, SLOTTED, WHOLE_PORT } from '../../mechanisms/registry.js';
import type { SlottedPausing } from '../../mechanisms/slotted-slice.js';
import type { Fallback } from '../../mechanisms/fabric-context.js';
import { changedPriority } from '../scenario/device-settings.js';
import type {
  FlowControl,
  PauseSection,
  PortRule,
  PrioritySection,
  Scenario,
} from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';
import { PortSelector } from './select-ports.js';
import { placeOf, type Settings } from './settings.js';

/** Ports with the same settings share them. */
export interface PortSettings {
  readonly device: Settings;
  /** By priority. With PAUSE they have no flow control of their own. */
  readonly priorities: readonly PrioritySection[];
  /** 802.3x; null where the port has none. */
  readonly pause: PauseSection | null;
  /** Payload of the longest frame; null: whatever loads send. */
  readonly mtuOctets: number | null;
}

interface PortsInput {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly settings: readonly Settings[];
  readonly fail: Fail;
}

/** By device and port. */
export function portSettingsOf(input: PortsInput): readonly (readonly PortSettings[])[] {
  const layers = new PortLayers(input);
  const ports = input.linkEnds.map((ends) => ends.map((end) => layers.at(end)));
  layers.checkRules();
  return ports;
}

/** The same where a link falls back to PAUSE: its ports have that of the fabric. */
export function withPauseOfLinks(
  ports: readonly (readonly PortSettings[])[],
  methods: readonly (readonly (readonly FlowControl[])[])[],
  { pause }: Scenario,
): readonly (readonly PortSettings[])[] {
  const paused = new Map<PortSettings, PortSettings>();
  return ports.map((own, device) =>
    own.map((port, p) => {
      if (port.pause !== null || methods[device]![p]![0] !== WHOLE_PORT) return port;
      const known = paused.get(port) ?? { ...without(port), pause: { ...pause, enabled: true } };
      paused.set(port, known);
      return known;
    }),
  );
}

/** By priority: the flow control that a port is configured for. */
export function configuredAt({ priorities, pause }: PortSettings): readonly FlowControl[] {
  return priorities.map(({ flowControl }) => (pause === null ? flowControl : WHOLE_PORT));
}

/** What rules a priority where the link partner does not have this flow control. */
export function fallbackAt(
  { device, priorities }: PortSettings,
  priority: number,
  flowControl: FlowControl,
): Fallback {
  const { fallback } = priorities[priority]!;
  return fallback === 'auto' ? fallbackOf(flowControl, device.mechanisms) : fallback;
}

/** Priorities of a port with a flow control, one bit each. */
export function configuredFor(port: PortSettings, flowControl: FlowControl): number {
  return configuredAt(port).reduce(
    (mask, own, priority) => (own === flowControl ? mask | (1 << priority) : mask),
    0,
  );
}

/** Makes the settings of ports, layer after layer, and each of them once. */
class PortLayers {
  private readonly selector: PortSelector;
  private readonly ofDevices = new Map<Settings, PortSettings>();
  private readonly changed = new Map<PortSettings, Map<unknown, PortSettings>>();
  private readonly used = new Set<PortRule>();

  constructor(private readonly input: PortsInput) {
    this.selector = new PortSelector(input.topology, input.linkEnds);
  }

  at(end: LinkEnd): PortSettings {
    let own = this.withPart(this.ofDevice(this.input.settings[end.device]!), end);
    for (const rule of this.input.scenario.ports) {
      const { rateBps } = rule.where;
      if (rateBps !== null && rateBps !== end.link.rateBps) continue;
      if (!this.selector.matches(rule.where, end)) continue;
      this.used.add(rule);
      own = this.once(own, rule, () => this.ruled(own, rule));
    }
    return own;
  }

  checkRules(): void {
    const idle = this.input.scenario.ports.find((rule) => !this.used.has(rule));
    if (idle === undefined) return;
    const message = 'no port matches; selvage topology lists them';
    throw this.input.fail([...idle.path, 'where'], message);
  }

  private ofDevice(settings: Settings): PortSettings {
    const { pause } = this.input.scenario;
    const known = this.ofDevices.get(settings);
    const own = known ?? {
      device: settings,
      priorities: settings.priorities,
      pause: pause.enabled ? pause : null,
      mtuOctets: null,
    };
    this.ofDevices.set(settings, own);
    return own;
  }

  /** A link of a part that knows PAUSE only has that if a port of such a part has it. */
  private withPart(own: PortSettings, end: LinkEnd): PortSettings {
    const { device, port, peerDevice, peerPort } = end;
    const isPart = this.isPart(device);
    if (own.pause !== null || !(isPart || this.isPart(peerDevice))) return own;
    const [here, there] = [this.partPausing(device, port), this.partPausing(peerDevice, peerPort)];
    const pausing = here ?? there;
    if (pausing === null) return isPart ? this.once(own, 'none', () => without(own)) : own;
    const part = this.input.settings[here === null ? peerDevice : device]!;
    return this.once(own, part, () => this.pausedAs(own, pausing, part));
  }

  private partPausing(device: number, port: number): SlottedPausing | null {
    if (SLOTTED === null || !this.isPart(device)) return null;
    const { slots, ports } = this.input.settings[device]!.switch;
    const own = ports.find((section) => section.port === port + 1);
    return SLOTTED.pausingAt(slots, own?.slots, port + 1);
  }

  private isPart(device: number): boolean {
    const isSwitch = this.input.topology.devices[device]!.kind === 'switch';
    return isSwitch && this.input.settings[device]!.switch.model === SLOTTED?.name;
  }

  private pausedAs(own: PortSettings, pausing: SlottedPausing, part: Settings): PortSettings {
    const { pause } = this.input.scenario;
    const isGiven = (change: Settings['changes'][number]): boolean =>
      change.switch.slots !== undefined;
    const path = placeOf(part, isGiven, [SLOTTED!.name]);
    if (pausingOf(WHOLE_PORT) === null) {
      const message = 'no mechanism pauses a port; flowControl: false';
      throw this.input.fail(path, message);
    }
    return {
      ...without(own),
      pause: { ...pause, path, enabled: true, pausing: { ...pause.pausing, ...pausing } },
    };
  }

  private ruled(own: PortSettings, { pause, mtuOctets, priorities }: PortRule): PortSettings {
    const { pause: usual } = this.input.scenario;
    const changed: PortSettings = {
      ...own,
      mtuOctets: mtuOctets ?? own.mtuOctets,
      priorities: own.priorities.map((section) => {
        const change = priorities.find(({ priority }) => priority === section.priority);
        return change === undefined ? section : changedPriority(section, change);
      }),
    };
    const isRuled = priorities.some(({ flowControl = 'none' }) => flowControl !== 'none');
    if (pause === null) return isRuled ? { ...changed, pause: null } : changed;
    if (!pause.enabled) return { ...changed, pause: null };
    const before = own.pause ?? usual;
    const pausing = { ...before.pausing, ...pause.pausing };
    return { ...without(changed), pause: { ...before, ...pause, pausing } };
  }

  private once(own: PortSettings, key: unknown, make: () => PortSettings): PortSettings {
    const after = this.changed.get(own) ?? new Map<unknown, PortSettings>();
    this.changed.set(own, after);
    const known = after.get(key) ?? make();
    after.set(key, known);
    return known;
  }
}

/** The same without flow control. */
function without(own: PortSettings): PortSettings {
  const priorities = PRIORITY_NUMBERS.map((priority): PrioritySection => ({
    ...own.priorities[priority]!,
    flowControl: 'none',
  }));
  return { ...own, priorities, pause: null };
}
