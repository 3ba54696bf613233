/**
 * The fabric as the oracle reads it: topology, links and resolved settings, from the scenario and
 * not from the specifications that mechanisms plan, so that a wrong plan is a difference, too.
 * Faults are read where they are placed: what they make unknowable is not judged.
 */

import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Settings } from '../fabric/assembly/settings.js';
import type { CiSettings, SlotPortSettings, SlotSettings } from './model/settings.js';
import type { Scenario } from '../fabric/scenario/scenario.js';

export type FaultName =
  Fabric['specs'][number]['ports'][number]['faults'][number]['effect']['kind'];

export type PortConfiguration = ReturnType<typeof portOf>;
export type DeviceConfiguration = ReturnType<typeof deviceOf>;

export interface Configuration {
  readonly scenario: Scenario;
  readonly devices: readonly DeviceConfiguration[];
  /** By priority: the longest frame on any link, tags included. */
  readonly longestOctets: readonly number[];
  /** Link partners agree during the run what runs between them. */
  readonly negotiates: boolean;
  readonly fabric: Fabric;
}

const ONE_GROUP = [0, 0, 0, 0, 0, 0, 0, 0];
/** 8 bits in picoseconds at 1 bit/s. */
const OCTET_PS = 8e12;

type Link = Fabric['topology']['links'][number];

export function configurationOf(fabric: Fabric, settings: readonly Settings[]): Configuration {
  const { scenario, topology } = fabric;
  const ports: PortConfiguration[][] = topology.devices.map(() => []);
  for (const link of topology.links) {
    const { a, b } = link;
    ports[a.device]![a.port] = portOf(fabric, settings[a.device]!, { link, near: a, far: b });
    ports[b.device]![b.port] = portOf(fabric, settings[b.device]!, { link, near: b, far: a });
  }
  const negotiates = scenario.discovery.enabled && scenario.discovery.drives;
  const mayMove =
    negotiates &&
    (settings.some(({ discovery }) => discovery.classes !== null) ||
      scenario.discovery.changes.some(({ end }) => end.classes !== undefined));
  const devices = topology.devices.map((_, device) =>
    deviceOf(fabric, device, { own: settings[device]!, ports: ports[device]!, mayMove }),
  );
  return { scenario, devices, longestOctets: fabric.longestFrameOctets, negotiates, fabric };
}

const hasOneQueue = ({ host }: Settings, isHost: boolean): boolean =>
  isHost && host.nic?.dcb === false;

function portOf(
  { topology, specs, scenario, methods, ports, linkFrames }: Fabric,
  own: Settings,
  { link, near, far }: { readonly link: Link; readonly near: Link['a']; readonly far: Link['a'] },
) {
  const { device, port } = near;
  const { device: peerDevice, port: peerPort } = far;
  const { priorities, pause, maps } = ports[device]![port]!;
  const { lengths: frameLengths, longest: longestOctets } = linkFrames[device]![port]!;
  const isHost = topology.devices[device]!.kind === 'host';
  const isSlotted = !isHost && own.switch.model !== 'shared-buffer';
  const isUndivided = hasOneQueue(own, isHost) || isSlotted || pause !== null;
  return {
    ...{ device, port, peerDevice, peerPort },
    name: `${topology.devices[device]!.name}:p${port + 1}`,
    octetPs: OCTET_PS / link.rateBps,
    propagationPs: link.propagationPs,
    /** Of a station, transmit and receive together: a direction crosses one half of each. */
    interfaceDelayPs: link.interfaceDelayPs,
    /** By priority: the flow control that both ends come to, and settings. */
    methods: methods[device]![port]!,
    ...{ priorities, maps },
    /** By priority: lengths of full frames on the link, and the longest, tags included. */
    ...{ frameLengths, longestOctets },
    /** 802.3x PAUSE of the whole port; null: it does not run. */
    pause,
    /** Priority group of each priority: PAUSE stops a whole port, which has one (802.3 31B). */
    groupOf: isUndivided ? ONE_GROUP : (maps?.groups ?? scenario.classes.receive),
    classOf: hasOneQueue(own, isHost) ? ONE_GROUP : (maps?.queues ?? scenario.classes.transmit),
    isLive: specs[device]!.ports[port]!.live !== undefined,
    faults: new Set(specs[device]!.ports[port]!.faults.map(({ effect }) => effect.kind)),
  } as const;
}

function deviceOf(
  { scenario, topology }: Fabric,
  device: number,
  given: { own: Settings; ports: readonly PortConfiguration[]; mayMove: boolean },
) {
  const { own, ports, mayMove } = given;
  const { name, kind } = topology.devices[device]!;
  const isHost = kind === 'host';
  const isSlotted = !isHost && own.switch.model !== 'shared-buffer';
  const isolates =
    !(isHost || isSlotted) &&
    (own.mechanisms['ci'] as CiSettings).enable &&
    own.priorities.some(({ mechanisms }) => mechanisms['ci'] === true);
  return {
    ...{ device, name, isHost, settings: own, ports },
    /** From the last bit (cutting through: the 64th octet) to the buffer; a host has none. */
    pipelinePs: isHost ? 0 : own.switch.pipelinePs,
    cutsThrough: !isHost && own.switch.cutThrough,
    ownMemory: isSlotted ? 'slots' : own.host.nic !== null && isHost ? 'nic' : null,
    hasWred: !isHost && Object.keys(own.switch.buffer.wred).length > 0,
    hasPools: !isHost && Object.keys(own.switch.buffer.pools).length > 0,
    isBridge: !isHost && own.switch.forwarding === 'bridged',
    /** Congesting flows wait in queues of their own. */
    isolates,
    /**
     * Traffic classes follow from priorities: no chip with classes of its own, no queue for
     * isolated flows, none that ends of a link may negotiate, and no maps of ports.
     */
    hasPlainClasses:
      (isHost || !(isSlotted || isolates)) && !mayMove && !ports.some(({ maps }) => maps !== null),
    /** At the edge of a congestion-notification domain frames lose their tag or change priority. */
    hasDomainEdges: (own.mechanisms['qcn'] as { priorities: unknown[] }).priorities.length > 0,
    classOf: hasOneQueue(own, isHost) ? ONE_GROUP : scenario.classes.transmit,
  } as const;
}

export const slotsOf = ({ settings }: DeviceConfiguration): SlotSettings =>
  settings.switch.slots as SlotSettings;

/** Of a port, counted from 0. */
export function slotsOfPort({ settings }: DeviceConfiguration, index: number) {
  const section = settings.switch.ports.find(({ port }) => port === index + 1);
  return (section?.slots ?? null) as SlotPortSettings | null;
}
