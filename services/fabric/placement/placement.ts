import type { GroupSection } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Fabric } from '../assembly/fabric.js';
import { levelsOf } from '../assembly/clusters.js';
import { hopsOf } from '../assembly/lookahead.js';
import type { Topology } from '../topology/topology.js';
import { hostCount } from '../topology/topology.js';
import type { CutSite } from './cut.js';
import { cut, lookaheadBetween } from './cut.js';
import { workOf } from './work.js';

/** Which devices run in which service; every device in exactly one. */
export type Placement = readonly PlacedService[];

interface PlacedService {
  readonly name: string;
  /** By position in the fabric, ascending. */
  readonly devices: readonly number[];
}

/** One service per device, with its name. */
export function placeEachAlone(topology: Topology): Placement {
  const alone = topology.devices.map(({ name }, device) => ({ name, devices: [device] }));
  return together(alone, topology);
}

/** Groups of at most so many devices; neighbors stay together where they can. */
export function placeInGroups(fabric: Fabric, devicesPerService: number): Placement {
  const { length } = fabric.specs;
  const site = { ...siteOf(fabric), work: fabric.specs.map(() => 1) };
  const groups = cut(site, Math.ceil(length / devicesPerService), devicesPerService);
  return together(named(groups), fabric.topology);
}

/** So many services with about equal work. */
export function placeInServices(fabric: Fabric, services: number): Placement {
  return together(named(cut(siteOf(fabric), services)), fabric.topology);
}

/** The devices of each service in so many threads, by their work and the links among them. */
export function placeInThreads(fabric: Fabric, services: Placement, threads: number): Placement[] {
  if (threads === 1) return services.map((service) => [service]);
  const site = siteOf(fabric);
  return services.map(({ name, devices }) =>
    named(cut(onlyWith(site, devices), threads)).map((thread) => {
      return { name, devices: thread.devices.map((place) => devices[place]!) };
    }),
  );
}

/** What a cut makes of the length of steps, if it is less than what whole clusters would allow. */
interface ShortSteps {
  readonly stepPs: number;
  readonly wholePs: number;
  /** So many clusters are whole then. */
  readonly clusters: number;
}

/** Null where services (or threads) are in step for as long as they can be. */
export function shortSteps(
  { specs, linkEnds, cluster }: Fabric,
  parts: readonly Pick<PlacedService, 'devices'>[],
): ShortSteps | null {
  const hops = hopsOf(specs, linkEnds.flat());
  const groups = parts.map(({ devices }) => devices);
  const stepPs = lookaheadBetween(hops, groups);
  for (const clusters of levelsOf(cluster)) {
    const wholePs = lookaheadBetween(hops, clusters);
    // Islands have no links between them.
    if (wholePs === Infinity) continue;
    return stepPs < wholePs ? { stepPs, wholePs, clusters: clusters.length } : null;
  }
  return null;
}

function siteOf(fabric: Fabric): CutSite {
  const { specs, linkEnds, topology } = fabric;
  return {
    hosts: hostCount(topology),
    hops: hopsOf(specs, linkEnds.flat()),
    pairs: topology.pairs ?? [],
    work: workOf(fabric),
  };
}

/** Some devices of a site, and the links among them; hosts stay before switches. */
function onlyWith({ hosts, hops, pairs, work }: CutSite, devices: readonly number[]): CutSite {
  const placeOf = new Map(devices.map((device, place) => [device, place]));
  return {
    hosts: devices.filter((device) => device < hosts).length,
    hops: hops.flatMap(({ from, to, lookaheadPs }) => {
      const [a, b] = [placeOf.get(from), placeOf.get(to)];
      return a === undefined || b === undefined ? [] : { from: a, to: b, lookaheadPs };
    }),
    // Both of a pair are in one service.
    pairs: pairs.flatMap(([first, second]) => {
      const [a, b] = [placeOf.get(first), placeOf.get(second)];
      return a === undefined || b === undefined ? [] : [[a, b] as const];
    }),
    work: devices.map((device) => work[device]!),
  };
}

/** `placement` of a scenario; devices that it does not name run alone. */
export function placeByName(
  topology: Topology,
  sections: readonly GroupSection[],
  fail: Fail,
): Placement {
  const placed = new Map<number, string>();
  const placedByName = sections.map(({ name, members }): PlacedService => {
    const refuse = (message: string): Error => fail(['placement', name], message);
    const devices = selectDevices(topology, members, 'device', refuse).sort((a, b) => a - b);
    for (const device of devices) {
      const other = placed.get(device);
      const { name: label } = topology.devices[device]!;
      if (other !== undefined) throw refuse(`${label} is already placed in ${other}`);
      placed.set(device, name);
    }
    return { name, devices };
  });
  for (const [first, second] of topology.pairs ?? []) {
    const [one, other] = [placed.get(first), placed.get(second)];
    if (one === undefined || other === undefined || one === other) continue;
    const [a, b] = [first, second].map((device) => topology.devices[device]!.name);
    throw fail(['placement', other], `${a} and ${b} are ports of one NIC; place them together`);
  }
  const alone = topology.devices.flatMap(({ name }, device) =>
    placed.has(device) ? [] : [{ name, devices: [device] }],
  );
  for (const { name } of sections) {
    if (alone.some((service) => service.name === name)) {
      throw fail(['placement', name], `${name} is a device with a service of its own`);
    }
  }
  return together([...placedByName, ...alone], topology);
}

/** A device of a pair goes where the other is, and where both may, to the first. */
export function together(placement: Placement, { pairs = [] }: Topology): Placement {
  return pairs
    .reduce((placed, [first, second]) => joined(placed, first, second), placement)
    .filter(({ devices }) => devices.length > 0);
}

function joined(placement: Placement, first: number, second: number): Placement {
  const own = placement.findIndex(({ devices }) => devices.includes(first));
  const other = placement.findIndex(({ devices }) => devices.includes(second));
  // A service of several that only the second is in was written down, or has more room.
  const isAlone = placement[own]!.devices.length === 1 && placement[other]!.devices.length > 1;
  const [to, moved] = isAlone ? [other, first] : [own, second];
  return placement.map((service, i) => {
    const rest = service.devices.filter((device) => device !== moved);
    const devices = i === to ? [...rest, moved].sort((a, b) => a - b) : rest;
    return { ...service, devices };
  });
}

function named(groups: readonly number[][]): Placement {
  return groups
    .filter((devices) => devices.length > 0)
    .map((devices, service) => ({ name: `service${service + 1}`, devices }));
}
