import type { HostAddress } from '../address.js';
import { assignAddresses } from '../address.js';
import { expandLoad } from '../load/expand-load.js';
import type { Flow } from '../load/flow.js';
import type { Routes } from '../routing/routes.js';
import { computeRoutes } from '../routing/routes.js';
import type { Placement } from '../placement/placement.js';
import { placeByName } from '../placement/placement.js';
import { readTable, readTableOctets } from '../scenario/read-source.js';
import type { Scenario } from '../scenario/scenario.js';
import { buildTopology } from '../topology/build-topology.js';
import type { Fail, Path } from '../topology/cabling.js';
import { swapLinks } from '../topology/swap-links.js';
import type { Topology } from '../topology/topology.js';
import { hostCount } from '../topology/topology.js';
import { CollectedErrors } from '../../settings/collected-errors.js';
import { hostTags } from './host-tags.js';
import { assemble } from './assemble.js';
import type { Assembly } from './assembly.js';
import type { NicSection } from '../../mechanisms/nic-context.js';
import { NIC } from '../../mechanisms/registry.js';
import { checkVmAddresses } from './vm-addresses.js';
import { checkObserved } from './observed-names.js';
import type { Settings } from './settings.js';
import { settingsOfDevices } from './settings.js';
import { DeviceWarnings } from './device-warnings.js';
import { onManyPaths, type Warning, warningsOf } from './warnings.js';

/** A scenario, and errors at locations in its file. */
interface ScenarioSource {
  readonly scenario: Scenario;
  errorAt(path: Path, message: string): Error;
  /** Whether the file has a value at this path. */
  has(path: Path): boolean;
}

export interface Fabric extends Assembly {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly routes: Routes;
  /** By host. */
  readonly addresses: readonly HostAddress[];
  readonly flows: readonly Flow[];
  /** In a distributed run, unless the command line says otherwise. */
  readonly placement: Placement;
  readonly warnings: readonly Warning[];
  /** Frames that an engine has room for; by default what its links and buffers can hold. */
  readonly frames?: number;
}

/** Everything before a run, or the errors of the first step with some, at their locations. */
export function buildFabric(source: ScenarioSource): Fabric {
  const { scenario } = source;
  const fail: Fail = (path, message) => source.errorAt(path, message);
  const cabled = swapLinks(buildTopology(scenario.fabric, fail), scenario.faults, fail);
  const errors = new CollectedErrors();
  errors.attempt(() => {
    checkInfrastructure(scenario, cabled, fail);
  });
  const configured = errors.attempt(() => settingsOfDevices(scenario, cabled, fail));
  const expanded = errors.attempt(() =>
    expandLoad(scenario.load, {
      tags: configured === null ? [] : hostTags(scenario, cabled, configured, fail),
      topology: cabled,
      groups: scenario.groups,
      plugins: scenario.plugins,
      seed: scenario.seed,
      durationPs: scenario.durationPs,
      fail,
      readFile: readTable,
      readOctets: readTableOctets,
    }),
  );
  errors.settle();
  // Nothing is null where there was no error.
  const [settings, written] = [configured!, expanded!];
  const nicOf = (host: number): NicSection | null => settings[host]!.host.nic;
  const pairs = NIC?.portPairs(cabled, nicOf, fail) ?? [];
  const topology = pairs.length === 0 ? cabled : { ...cabled, pairs };
  const addresses = addressesOf(topology, settings, fail);
  const routes = computeRoutes(topology);
  const { jobs } = written;
  const flows = NIC?.withInsertedVlans(written.flows, nicOf, fail) ?? written.flows;
  checkVmAddresses(flows, { topology, settings, addresses }, fail);
  const placement = placeByName(topology, scenario.placement, fail);
  const found = new DeviceWarnings();
  const { warn } = found;
  const has = (path: Path): boolean => source.has(path);
  const assembly = assemble({
    ...{ scenario, topology, routes, flows, jobs, addresses, fail, has, warn },
  });
  const warnings = [
    ...onManyPaths(settings),
    ...warningsOf(scenario, flows, assembly.flowEnds),
    ...found.all(),
  ];
  const fabric = { scenario, topology, routes, addresses, flows, placement, warnings, ...assembly };
  checkObserved(fabric, fail);
  return fabric;
}

/** Infrastructure faults name services by their devices. */
function checkInfrastructure({ infrastructure }: Scenario, topology: Topology, fail: Fail): void {
  infrastructure.forEach(({ device }, index) => {
    if (device === null || topology.devices.some(({ name }) => name === device)) return;
    throw fail(['infrastructure', index, 'device'], `no device is called ${device}`);
  });
}

function addressesOf(topology: Topology, settings: readonly Settings[], fail: Fail): HostAddress[] {
  const written = topology.devices.slice(0, hostCount(topology)).map(({ name }, host) => {
    const { mac, ipv4, ipv6 } = settings[host]!.host;
    return { name, mac, ipv4, ipv6 };
  });
  return assignAddresses(written, (host, kind, message) => {
    const change = settings[host]!.changes.findLast((c) => c.host[kind] !== undefined);
    return fail(change === undefined ? ['hosts', kind] : ['devices', change.match, kind], message);
  });
}
