import type { HostSpec, NicSpec, SwitchSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import type { Scenario } from '../scenario/scenario.js';
import { hostCount } from '../topology/topology.js';
import type { SwitchMemory } from './accounts.js';
import { headroomSize, MemoryPlan } from './accounts.js';
import type { Assembly, AssemblyInput, Margin } from './assembly.js';
import { CongestionPlan } from './congestion-plan.js';
import { connect } from './connections.js';
import type { Settings } from './settings.js';
import { placeOf, settingsOfDevices } from './settings.js';
import { EqualPaths } from './equal-paths.js';
import { FlowPaths } from './flow-paths.js';
import { bridgePorts, failoverOf, forwardingOf } from './forwarding.js';
import { checkGroupFlows, membersOf, treesOf } from './groups.js';
import { placeFaults, withFaults } from './fault-plan.js';
import { type LinkEnd, linkEndsOf } from './link-ends.js';
import { linkFaults, warnOfLastingErrors } from './link-faults.js';
import { frameLengths } from './frame-lengths.js';
import { lookaheadOf } from './lookahead.js';
import { Backing } from './backing.js';
import { DiscoveryExchange } from './discovery-exchange.js';
import { DiscoveryPlan } from './discovery-plan.js';
import { prospectsOf } from './prospects.js';
import { methodsOfLinks } from './link-methods.js';
import { arrivalsAt } from './host-arrivals.js';
import { nicHost } from './nic-host.js';
import { NIC, type NicSection, SLOTTED } from '../../mechanisms/registry.js';
import { plannedPorts, portSpecs } from './port-specs.js';
import type { PortPlace } from '../../mechanisms/fabric-context.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import { fabricOfMechanisms, planMechanisms } from './mechanism-plans.js';

/** From a scenario, and its topology, to devices that can be run. */
export function assemble(input: AssemblyInput): Assembly {
  const { scenario, topology, routes, flows, fail, warn } = input;
  const settings = settingsOfDevices(scenario, topology, fail);
  const linkEnds = linkEndsOf(topology);
  const negotiates = scenario.discovery.enabled && scenario.discovery.drives;
  const prospects = prospectsOf(input, settings);
  const methods = methodsOfLinks(scenario, linkEnds, settings, negotiates ? prospects : null, fail);
  const members = membersOf(scenario.groups, topology, fail);
  checkGroupFlows(flows, members, fail);
  const nicSectionOf = (host: number): NicSection | null => settings[host]!.host.nic;
  NIC.checkLocalFlows(flows, nicSectionOf, fail);
  const bridges = bridgePorts(topology, settings, linkEnds, fail);
  const paths = new FlowPaths(topology, routes, linkEnds, bridges, fail);
  const hosts = hostCount(topology);
  const bridgesTag = bridges.some((ports) => ports?.some(({ tagged }) => tagged.length > 0));
  const lengths = frameLengths(scenario, flows, bridgesTag);
  const longestFrameOctets = lengths.map((own) => Math.max(...own));
  const xoffOctets = (device: number, port: number, priority: number): number | null => {
    const own = memoryOf(device).margins.find(
      (margin) => margin.port === port && margin.priorities.includes(priority),
    );
    return own?.xoffOctets ?? null;
  };
  const resolved = { ...input, settings, linkEnds, methods, longestFrameOctets };
  const ofMechanisms = fabricOfMechanisms({
    ...resolved,
    frameLengths: lengths,
    paths,
    bridges,
    xoffOctets,
  });
  const congestion = new CongestionPlan(resolved, ofMechanisms);
  const telemetry = congestion.telemetryClasses(flows);
  const equal = new EqualPaths(routes, linkEnds, settings);
  const ends = connect(flows, { hosts, members, paths, equal, settings, congestion });
  const { hostEnds, flowEnds } = ends;
  const trees = treesOf(members, flows, routes);
  const discovery = new DiscoveryPlan(
    input,
    settings,
    prospects,
    Math.max(...longestFrameOctets),
    () => mechanisms,
  );
  const mechanisms = planMechanisms(ofMechanisms);
  const backing = new Backing(mechanisms);
  const memory = new MemoryPlan(resolved, backing);
  const longestOctets = Math.max(...longestFrameOctets);
  const chips = SLOTTED.plan({
    ...resolved,
    pause: scenario.pause,
    placeOf: (device, isGiven, keys) =>
      placeOf(settings[device]!, (change) => isGiven(change.switch), keys),
  });
  const memories = new Map<number, SwitchMemory>();
  const memoryOf = (index: number): SwitchMemory => {
    const own =
      memories.get(index) ??
      (chips.isChip(index) ? memory.none(linkEnds[index]!) : memory.of(index));
    memories.set(index, own);
    return own;
  };
  const planned = plannedPorts(mechanisms);
  const margins: Margin[] = [];
  const endOf = ({ device, port }: PortPlace): LinkEnd => linkEnds[device]![port]!;
  const inOrder = keepsOrder(settings, scenario.faults);

  const present = (of: (planned: PlannedMechanism) => object | null): SwitchSpec['slices'] => {
    const specs = mechanisms.map((planned) => [planned.slice.name, of(planned)]);
    return Object.fromEntries(
      specs.filter((entry): entry is [string, object] => entry[1] !== null),
    );
  };
  const switchSpec = (index: number, own: Settings): Omit<SwitchSpec, keyof Common> => {
    const slots = chips.spec(index);
    const { buffer, margins: found } = memoryOf(index);
    margins.push(...found);
    return {
      kind: 'switch',
      buffer,
      slots,
      pipelinePs: own.switch.pipelinePs,
      cutThrough: own.switch.cutThrough,
      forwarding: forwardingOf({ linkEnds, bridges, settings, routes, trees }, index),
      failover: failoverOf(own.switch, routes),
      telemetry,
      slices: slots === null ? present(({ plan }) => plan.ofSwitch(index)) : {},
    };
  };
  const nicOf = (index: number, name: string): NicSpec | null => {
    const section = settings[index]!.host.nic;
    const [end] = linkEnds[index]!;
    if (section === null || end === undefined) return null;
    NIC.checkVms(section, flows, index, fail);
    const { pause } = scenario;
    const responseDelayPs = settings[end.peerDevice]!.priorities.map(({ pausing }) =>
      pause.enabled ? pause.pausing.responseDelay : pausing.responseDelay,
    );
    const linkBps = end.link.rateBps;
    const host = nicHost(name, settings[index]!, scenario, {
      linkBps,
      longestFrameOctets: longestOctets,
    });
    const ends = hostEnds[index]!;
    const traffic = {
      methods: methods[index]![0]!,
      sent: ends.sends.map(({ flow }) => flows[flow]!),
      arrivals: arrivalsAt(scenario, ends, flows),
      longestFrameOctets,
      responseDelayPs,
      grantedOctets: backing.at(end, 1),
    };
    const part = NIC.partOf(section, linkBps, topology, nicSectionOf);
    return NIC.spec({ host, section, link: end, part, traffic }, fail, warn);
  };
  const hostSpec = (index: number, name: string): Omit<HostSpec, keyof Common> => {
    const ends = hostEnds[index]!;
    const nic = nicOf(index, name);
    const [end] = linkEnds[index]!;
    return {
      kind: 'host',
      position: index,
      ...ends,
      slices: present(({ plan }) => plan.ofHost?.(index, ends.sends) ?? null),
      nic,
      inOrder,
      receiveMemory: nic !== null || end === undefined ? null : memory.ofHost(end),
    };
  };
  const devices = topology.devices.map(({ name, kind }, index): DeviceSpec => {
    const own = settings[index]!;
    const ports = portSpecs(input, index, {
      ...{ settings: own, linkEnds: linkEnds[index]!, chips, discovery },
      planned: (port) => planned(index, port),
    });
    const common: Common = {
      index,
      name,
      seed: scenario.seed,
      ports,
    };
    return kind === 'host'
      ? { ...common, ...hostSpec(index, name) }
      : { ...common, ...switchSpec(index, own) };
  });
  const { enabled, start } = scenario.discovery;
  const { addresses } = input;
  const site = { scenario, topology, addresses, linkEnds, specs: devices };
  const placed = placeFaults(site, scenario.faults, 0, fail);
  warnOfLastingErrors(scenario.faults, placed, linkEnds, warn);
  const built = withFaults(devices, [...placed, ...linkFaults(linkEnds, scenario.seed)]);
  const specs = enabled && start === 'converged' ? converged(built, linkEnds) : built;
  const lookaheadPs = lookaheadOf(specs, linkEnds);
  return {
    specs,
    lookaheadPs,
    linkEnds,
    margins,
    mechanisms,
    sizes: () => [...margins, ...memory.hostMargins].map((own) => headroomSize(own, endOf(own))),
    slotMargins: chips.margins,
    longestFrameOctets,
    flowEnds,
  };
}

/** Whether frames of one flow all take one path. */
function keepsOrder(settings: readonly Settings[], faults: Scenario['faults']): boolean {
  const detours = faults.some(({ kind }) => kind === 'link-down' || kind === 'reboot');
  return !settings.some(
    ({ switch: { ecmp, failover } }) => ecmp === 'packet' || (detours && failover.enabled),
  );
}

/** Devices that knew their neighbors before the run began. */
function converged(
  specs: readonly DeviceSpec[],
  linkEnds: readonly (readonly LinkEnd[])[],
): readonly DeviceSpec[] {
  const exchange = new DiscoveryExchange(specs.map(withoutChanges), linkEnds);
  exchange.settle();
  return specs.map((spec, device) => ({
    ...spec,
    ports: spec.ports.map((port, p) => ({
      ...port,
      discovery: { ...port.discovery!, learned: exchange.learnedAt(device, p) },
    })),
  }));
}

function withoutChanges(spec: DeviceSpec): DeviceSpec {
  const ports = spec.ports.map((port) => {
    const { stages, ...rest } = port.discovery!;
    return { ...port, discovery: { ...rest, stages: stages.slice(0, 1) } };
  });
  return { ...spec, ports };
}

type Common = Pick<HostSpec, 'index' | 'name' | 'seed' | 'ports'>;
