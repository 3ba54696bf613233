/**
 * The fabric as the oracle reads it: topology, links and resolved settings, from the scenario and
 * not from the specifications that mechanisms plan, so that a wrong plan is a difference, too.
 * Faults are read where they are placed: what they make unknowable is not judged.
 */

import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PortSettings } from '../fabric/assembly/port-settings.js';
import type { SlotPortSettings, SlotSettings } from './model/settings.js';
import type { Settings } from '../fabric/assembly/settings.js';
import type { Scenario } from '../fabric/scenario/scenario.js';

type FaultName = Fabric['specs'][number]['ports'][number]['faults'][number]['effect']['kind'];

export interface PortConfiguration {
  readonly device: number;
  readonly port: number;
  readonly name: string;
  readonly peerDevice: number;
  readonly peerPort: number;
  /** Picoseconds of an octet at the rate of the link. */
  readonly octetPs: number;
  readonly propagationPs: number;
  /** Of a station, transmit and receive together: a direction crosses one half of each. */
  readonly interfaceDelayPs: number;
  /** By priority: the flow control that both ends come to, and settings. */
  readonly methods: readonly string[];
  /** By priority: lengths of full frames on the link, and the longest, tags included. */
  readonly frameLengths: readonly (readonly number[])[];
  readonly longestOctets: readonly number[];
  readonly priorities: PortSettings['priorities'];
  /** 802.3x PAUSE of the whole port; null: it does not run. */
  readonly pause: PortSettings['pause'];
  /** Priority group of each priority. */
  readonly groupOf: readonly number[];
  readonly faults: ReadonlySet<FaultName>;
}

export interface DeviceConfiguration {
  readonly device: number;
  readonly name: string;
  readonly isHost: boolean;
  readonly settings: Settings;
  /** From the last bit (cutting through: the 64th octet) to the buffer; a host has none. */
  readonly pipelinePs: number;
  readonly cutsThrough: boolean;
  /**
   * Memory of its own (slots, or the buffers of an 82599) in place of the shared buffer or the
   * plain NIC.
   */
  readonly ownMemory: 'slots' | 'nic' | null;
  readonly isBridge: boolean;
  /**
   * Traffic classes follow from priorities: no chip with classes of its own, no queue for isolated
   * flows, none that ends of a link may negotiate.
   */
  readonly hasPlainClasses: boolean;
  /** At the edge of a congestion-notification domain frames lose their tag, or change priority. */
  readonly hasDomainEdges: boolean;
  /** Traffic class of each priority. */
  readonly classOf: readonly number[];
  readonly ports: readonly PortConfiguration[];
}

export interface Configuration {
  readonly scenario: Scenario;
  readonly devices: readonly DeviceConfiguration[];
  readonly hostCount: number;
  /** By priority: the longest frame on any link, tags included. */
  readonly longestOctets: readonly number[];
  /** Link partners agree during the run what runs between them. */
  readonly negotiates: boolean;
  readonly fabric: Fabric;
}

const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];
/** 8 bits in picoseconds at 1 bit/s. */
const OCTET_PS = 8e12;

export function configurationOf(fabric: Fabric, settings: readonly Settings[]): Configuration {
  const { scenario, topology, specs, methods } = fabric;
  const hostCount = topology.devices.filter(({ kind }) => kind === 'host').length;
  const negotiates = scenario.discovery.enabled && scenario.discovery.drives;
  const ports: PortConfiguration[][] = topology.devices.map(() => []);
  for (const { a, b, rateBps, propagationPs, interfaceDelayPs } of topology.links) {
    for (const [near, far] of [
      [a, b],
      [b, a],
    ] as const) {
      const { device, port } = near;
      const own = fabric.ports[device]![port]!;
      ports[device]![port] = {
        ...{ device, port, peerDevice: far.device, peerPort: far.port },
        name: `${topology.devices[device]!.name}:p${port + 1}`,
        octetPs: OCTET_PS / rateBps,
        propagationPs,
        interfaceDelayPs,
        methods: methods[device]![port]!,
        frameLengths: fabric.linkFrames[device]![port]!.lengths,
        longestOctets: fabric.linkFrames[device]![port]!.longest,
        priorities: own.priorities,
        pause: own.pause,
        groupOf: groupsOf(settings[device]!, scenario, {
          isHost: topology.devices[device]!.kind === 'host',
          isPaused: own.pause !== null,
        }),
        faults: new Set(specs[device]!.ports[port]!.faults.map(({ effect }) => effect.kind)),
      };
    }
  }
  const mayMove =
    negotiates &&
    (settings.some(({ discovery }) => discovery.classes !== null) ||
      scenario.discovery.changes.some(({ end }) => end.classes !== undefined));
  const devices = topology.devices.map(({ name, kind }, device): DeviceConfiguration => {
    const own = settings[device]!;
    const isHost = kind === 'host';
    return {
      ...{ device, name, isHost, settings: own, ports: ports[device]! },
      pipelinePs: isHost ? 0 : own.switch.pipelinePs,
      cutsThrough: !isHost && own.switch.cutThrough,
      ownMemory: ownMemoryOf(own, isHost),
      isBridge: !isHost && own.switch.forwarding === 'bridged',
      hasPlainClasses:
        (isHost || own.switch.model === 'shared-buffer') &&
        (isHost || !own.priorities.some(({ mechanisms: keys }) => keys['ci'] === true)) &&
        !mayMove,
      hasDomainEdges: congestionPriorities(own).length > 0,
      classOf: classesOf(own, scenario, isHost),
    };
  });
  const { longestFrameOctets: longestOctets } = fabric;
  return { scenario, devices, hostCount, longestOctets, negotiates, fabric };
}

function ownMemoryOf(own: Settings, isHost: boolean): DeviceConfiguration['ownMemory'] {
  if (isHost) return own.host.nic === null ? null : 'nic';
  return own.switch.model === 'shared-buffer' ? null : 'slots';
}

export function slotsOf({ settings }: DeviceConfiguration): SlotSettings {
  return settings.switch.slots as SlotSettings;
}

/** Of a port, counted from 0. */
export function slotsOfPort(
  { settings }: DeviceConfiguration,
  index: number,
): SlotPortSettings | null {
  const section = settings.switch.ports.find(({ port }) => port === index + 1);
  return (section?.slots ?? null) as SlotPortSettings | null;
}

/** A NIC without DCB has one queue. */
function classesOf(own: Settings, scenario: Scenario, isHost: boolean): readonly number[] {
  if (isHost && own.host.nic?.dcb === false) return ONE_GROUP;
  return scenario.classes.transmit;
}

/** PAUSE stops a whole port, whose frames are in one group (802.3 31B). */
function groupsOf(
  own: Settings,
  scenario: Scenario,
  { isHost, isPaused }: { readonly isHost: boolean; readonly isPaused: boolean },
): readonly number[] {
  const isUndivided = isHost ? own.host.nic?.dcb === false : own.switch.model !== 'shared-buffer';
  return isPaused || isUndivided ? ONE_GROUP : scenario.classes.receive;
}

/** Priorities of 802.1Qau: frames of flows that react bear a CN-TAG inside the domain. */
function congestionPriorities({ mechanisms }: Settings): readonly number[] {
  const { priorities } = mechanisms['qcn'] as { readonly priorities: readonly number[] };
  return priorities;
}
