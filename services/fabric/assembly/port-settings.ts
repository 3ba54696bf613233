/**
 * What each port is configured for: settings of the fabric, of its device, of the part that it
 * belongs to, and of the rules of `ports` that select it, each over those before. A port has PAUSE,
 * or flow control by priority: who sets one of them takes the other away.
 */

import { PLAIN_CODING, type PortCoding } from '../../engine/wire/code-points.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { fallbackOf, pausingOf, SLOTTED, WHOLE_PORT } from '../../mechanisms/registry.js';
import type { SlottedPausing } from '../../mechanisms/slotted-slice.js';
import type { Fallback } from '../../mechanisms/fabric-context.js';
import { rate } from '../../settings/quantities.js';
import { besidePause } from '../scenario/check-flow-control.js';
import { changedPriority } from '../scenario/device-settings.js';
import type {
  FlowControl,
  PauseSection,
  PortMaps,
  PortRule,
  PrioritySection,
  Scenario,
} from '../scenario/scenario.js';
import type { Fail, Path } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';
import { matchesRule, PortSelector } from './select-ports.js';
import { placeOf, type Settings } from './settings.js';

/** From this rate on a priority has flow control of its own; below it only 802.3x PAUSE exists. */
export const BY_PRIORITY_BPS = rate.parse('10G');

/** Ports with the same settings share them. */
export interface PortSettings {
  readonly device: Settings;
  /** By priority. With PAUSE they have no flow control of their own. */
  readonly priorities: readonly PrioritySection[];
  /** 802.3x; null where the port has none. */
  readonly pause: PauseSection | null;
  /** Payload of the longest frame; null: whatever loads send. */
  readonly mtuOctets: number | null;
  /** How it reads and writes priorities, and where the file says so; null: nowhere. */
  readonly coding: PortCoding;
  readonly codingPath: Path | null;
  /** Where the file has them; null: the maps of all. */
  readonly maps: PortMaps | null;
  readonly mapsPaths: readonly Path[];
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
  layers.check();
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
  /** Flow control of priorities that some port has before rules, and that parts take away. */
  private readonly ruling = new Set<PrioritySection>();
  private readonly taken = new Map<PrioritySection, LinkEnd>();
  private hasPause = false;

  constructor(private readonly input: PortsInput) {
    this.selector = new PortSelector(input.topology, input.linkEnds);
  }

  at(end: LinkEnd): PortSettings {
    const usual = this.ofDevice(this.input.settings[end.device]!, end.link.rateBps);
    let own = this.withPart(usual, end);
    this.note(usual, own, end);
    for (const rule of this.input.scenario.ports) {
      if (!matchesRule(this.selector, rule.where, end)) continue;
      this.used.add(rule);
      const isHost = this.input.topology.devices[end.device]!.kind === 'host';
      // Hosts have no maps; what else a rule says applies to them, too.
      const [key, change] =
        isHost && rule.maps !== null ? [rule.maps, { ...rule, maps: null }] : [rule, rule];
      own = this.once(own, key, () => this.ruled(own, change));
    }
    return own;
  }

  check(): void {
    this.checkBeside();
    this.checkTaken();
    const idle = this.input.scenario.ports.find((rule) => !this.used.has(rule));
    if (idle === undefined) return;
    const message = 'no port matches; selvage topology lists them';
    throw this.input.fail([...idle.path, 'where'], message);
  }

  /** PAUSE beside flow control by priority has the links that are too slow for that. */
  private ofDevice(settings: Settings, rateBps: number): PortSettings {
    const { pause } = this.input.scenario;
    const { priorities } = settings;
    const own = this.ofDevices.get(settings) ?? {
      ...{ device: settings, priorities, mtuOctets: null },
      ...{ coding: PLAIN_CODING, codingPath: null, maps: null, mapsPaths: [] },
      pause: pause.enabled && !priorities.some(isRuled) ? pause : null,
    };
    this.ofDevices.set(settings, own);
    if (!pause.enabled || own.pause !== null || rateBps >= BY_PRIORITY_BPS) return own;
    return this.once(own, pause, () => ({ ...without(own), pause }));
  }

  private note(usual: PortSettings, own: PortSettings, end: LinkEnd): void {
    if (usual.pause !== null) this.hasPause = true;
    if (own.pause === null) own.priorities.filter(isRuled).forEach((one) => this.ruling.add(one));
    if (usual.pause !== null || own === usual) return;
    for (const one of usual.priorities.filter(isRuled)) {
      if (!this.taken.has(one)) this.taken.set(one, end);
    }
  }

  /** PAUSE and flow control by priority, where no link is left for one of them. */
  private checkBeside(): void {
    const { scenario, settings, fail } = this.input;
    if (!scenario.pause.enabled) return;
    const section = settings.flatMap(({ priorities }) => priorities).find(isRuled);
    if (section === undefined || (this.hasPause && this.ruling.has(section))) return;
    const which = this.hasPause ? 'has 10 Gb/s or more' : 'is below 10 Gb/s';
    throw fail(section.path, besidePause(section.flowControl, which));
  }

  /** Flow control of a priority that no link is left for beside parts that know PAUSE only. */
  private checkTaken(): void {
    for (const [section, end] of this.taken) {
      if (this.ruling.has(section)) continue;
      const { flowControl, priority, path } = section;
      const message =
        `${flowControl} of priority ${priority} rules no link: at ${end.name}, as everywhere, ` +
        `one end is ${SLOTTED!.called}, which knows PAUSE only; remove it, or give it to other ` +
        `links: ports: [{ where: { rate: 10G }, priorities: { ${priority}: ${flowControl} } }]`;
      throw this.input.fail(path, message);
    }
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

  private ruled(own: PortSettings, rule: PortRule): PortSettings {
    const { pause, mtuOctets, coding, maps, priorities, path } = rule;
    const { pause: usual } = this.input.scenario;
    const changed: PortSettings = {
      ...own,
      mtuOctets: mtuOctets ?? own.mtuOctets,
      ...(coding !== null && { coding: { ...own.coding, ...coding }, codingPath: path }),
      ...(maps !== null && {
        ...{ maps: { ...own.maps, ...maps }, mapsPaths: [...own.mapsPaths, path] },
      }),
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

function isRuled({ flowControl }: PrioritySection): boolean {
  return flowControl !== 'none';
}

/** The same without flow control. */
function without(own: PortSettings): PortSettings {
  const priorities = PRIORITY_NUMBERS.map((priority): PrioritySection => ({
    ...own.priorities[priority]!,
    flowControl: 'none',
  }));
  return { ...own, priorities, pause: null };
}
