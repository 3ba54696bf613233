/** The fabric as mechanisms see it, and their plans for its devices. */

import type {
  DeviceContext,
  FlowContext,
  LinkContext,
  OutsideMarking,
  PortPlace,
} from '../../mechanisms/fabric-context.js';
import type { FabricOfMechanism, PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import { MECHANISMS } from '../../mechanisms/registry.js';
import { frameErrorRate, frameErrorsOf } from '../link-errors.js';
import { switchAddress, switchPortMac } from '../address.js';
import { markingsOf } from '../../plugins/plugins.js';
import type { Scenario } from '../scenario/scenario.js';
import { hostSelector, matchesGlob } from '../scenario/selector.js';
import { selectDevices } from '../topology/select-devices.js';
import { hostCount } from '../topology/topology.js';
import type { Path } from '../../settings/source-tree.js';
import type { AssemblyInput } from './assembly.js';
import type { SwitchSpec } from '../../engine/contract/spec.js';
import type { LinkEnd } from './link-ends.js';
import { isPausable, type Methods } from './link-methods.js';
import { groupsAt } from './priority-groups.js';
import type { ResolvedFabric } from './resolved-fabric.js';
import type { Settings } from './settings.js';
import { bySettings, placeOfKey } from './settings.js';
import { stationsOf } from './stations.js';

/** What contexts of mechanisms are made of. */
interface ContextInput extends ResolvedFabric {
  /** As `LinkContext.xoffOctets`. */
  readonly xoffOctets: (device: number, port: number, priority: number) => number | null;
}

export function fabricOfMechanisms(input: ContextInput): FabricOfMechanism[] {
  const { scenario, topology, addresses, settings, linkEnds, methods, paths, fail, warn } = input;
  const stations = stationsOf(addresses);
  const hosts = hostCount(topology);
  const links = linkEnds.map((ends, device) =>
    ends.map((end) => linkOf(end, methods[device]![end.port]!, input)),
  );
  const flows = input.flows.map((flow): FlowContext => {
    const { name, source, destination, priority, group, transport } = flow;
    const hops = (): PortPlace[] =>
      group ? [] : paths.find(flow, destination).map(({ from }) => from);
    return {
      name,
      source,
      priority,
      isGroup: group,
      ackPriority: transport.kind === 'reliable' ? transport.ackPriority : null,
      switches: () =>
        hops()
          .map(({ device }) => device)
          .slice(1),
      hops,
    };
  });
  const places = settings.map((_, device): DevicePlace => ({
    name: topology.devices[device]!.name,
    address: () => stationsOf([device < hosts ? addresses[device]! : switchAddress(device)]),
    links: links[device]!,
  }));
  return MECHANISMS.map((slice) => ({
    slice,
    context: {
      section: scenario.mechanisms[slice.name]!,
      hostCount: hosts,
      devices: devicesFor(slice.name, input, places),
      stations,
      flows,
      transmit: scenario.classes.transmit,
      receive: scenario.classes.receive,
      longestFrameOctets: input.longestFrameOctets,
      outside: { markings: outsideMarkings(scenario) },
      negotiates: scenario.discovery.enabled && scenario.discovery.drives,
      hostsNamed: (path, selection) => hostsNamed(input, path, selection),
      matches: matchesGlob,
      fail,
      warn,
    },
  }));
}

function outsideMarkings({
  plugins,
  switchPlugins: sections,
}: Scenario): Readonly<Record<string, OutsideMarking>> {
  const named = markingsOf(plugins).map(({ name, at }) => {
    return [name, { moment: at, settings: sections[name]! }] as const;
  });
  return Object.fromEntries(named);
}

function hostsNamed(
  { topology, fail }: AssemblyInput,
  path: Path,
  selection: readonly string[],
): readonly number[] {
  if (selection.length === 0) return [];
  const selector = hostSelector(selection, path, { errorAt: fail });
  return selectDevices(topology, selector, 'host', (message) => fail(path, message));
}

/** Each checks its part of the scenario. */
export function planMechanisms(all: readonly FabricOfMechanism[]): PlannedMechanism[] {
  return all.map(({ slice, context }) => ({ slice, context, plan: slice.plan(context) }));
}

/** Specifications of a device by mechanism; absent for those that have none there. */
export function slicesOf(
  mechanisms: readonly PlannedMechanism[],
  specOf: (planned: PlannedMechanism) => object | null,
): SwitchSpec['slices'] {
  const specs = mechanisms.map((planned) => [planned.slice.name, specOf(planned)]);
  return Object.fromEntries(specs.filter((entry): entry is [string, object] => entry[1] !== null));
}

/** What all mechanisms know of a device alike. */
type DevicePlace = Pick<DeviceContext, 'name' | 'address' | 'links'>;

/** What a mechanism knows of all devices with the same settings. */
type SharedSettings = Omit<DeviceContext, keyof DevicePlace>;

/** Every mechanism has one of every device: it has no more than where to read. */
class PlacedDevice implements DeviceContext {
  constructor(
    private readonly place: DevicePlace,
    private readonly settings: SharedSettings,
  ) {}

  get name(): string {
    return this.place.name;
  }

  get address(): DeviceContext['address'] {
    return this.place.address;
  }

  get links(): readonly LinkContext[] {
    return this.place.links;
  }

  get section(): unknown {
    return this.settings.section;
  }

  get priorities(): DeviceContext['priorities'] {
    return this.settings.priorities;
  }

  get pipelinePs(): number {
    return this.settings.pipelinePs;
  }

  get hasOwnMemory(): boolean {
    return this.settings.hasOwnMemory;
  }

  get placeOf(): DeviceContext['placeOf'] {
    return this.settings.placeOf;
  }
}

function devicesFor(
  name: string,
  { settings, topology }: ContextInput,
  places: readonly DevicePlace[],
): DeviceContext[] {
  const hosts = hostCount(topology);
  const [ofHosts, ofSwitches] = [true, false].map((isHost) =>
    bySettings((own) => sharedSettings(name, own, isHost)),
  );
  return settings.map((own, device) => {
    const shared = device < hosts ? ofHosts!(own) : ofSwitches!(own);
    return new PlacedDevice(places[device]!, shared);
  });
}

function sharedSettings(name: string, settings: Settings, isHost: boolean): SharedSettings {
  return {
    section: settings.mechanisms[name]!,
    priorities: settings.priorities.map(({ priority, path, mechanisms }) => ({
      ...{ priority, path },
      key: mechanisms[name],
      // A chip with a memory of its own has none, whatever the priorities in the scenario.
      isOn: mechanisms[name] === true && (isHost || settings.switch.model === 'shared-buffer'),
    })),
    pipelinePs: settings.switch.pipelinePs,
    hasOwnMemory: isHost ? settings.host.nic !== null : settings.switch.model !== 'shared-buffer',
    placeOf: (key) => placeOfKey(settings, name, key),
  };
}

function linkOf(end: LinkEnd, methods: Methods, input: ContextInput): LinkContext {
  const { addresses, bridges, xoffOctets } = input;
  const { device, port, name, link, peerDevice, peerPort, octetPs, latencyPs } = end;
  const own = input.ports[device]![port]!;
  const frames = input.linkFrames[device]![port]!;
  return {
    name,
    rateBps: link.rateBps,
    peerDevice,
    peerPort,
    octetPs,
    latencyPs,
    frameErrorRate: (octets) =>
      link.errors === undefined ? 0 : frameErrorRate(frameErrorsOf(link.errors), octets),
    flowControl: methods,
    frameLengths: frames.lengths,
    longestFrameOctets: frames.longest,
    portPausing: own.pause?.pausing ?? null,
    priorities: own.priorities,
    groupOf: groupsAt(input.scenario, own, device < input.addresses.length, methods),
    classOf: own.maps?.queues ?? null,
    nativeVlan: bridges[device]?.[port]!.native ?? null,
    pausable: methods.reduce((mask, method, p) => (isPausable(method) ? mask | (1 << p) : mask), 0),
    xoffOctets: (priority) => xoffOctets(device, port, priority),
    peerAddress: () => {
      const host = addresses[peerDevice];
      if (host !== undefined) return stationsOf([host]);
      const mac = switchPortMac(peerDevice, peerPort);
      return stationsOf([{ ...switchAddress(peerDevice), mac }]);
    },
  };
}
