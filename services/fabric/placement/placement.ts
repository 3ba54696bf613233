import type { GroupSection } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';
import { hostCount } from '../topology/topology.js';

/** Which devices run in which service; every device in exactly one. */
export type Placement = readonly PlacedService[];

export interface PlacedService {
  readonly name: string;
  /** By position in the fabric, ascending. */
  readonly devices: readonly number[];
}

/** One service per device, called like it. */
export function placeEachAlone(topology: Topology): Placement {
  return topology.devices.map(({ name }, device) => ({ name, devices: [device] }));
}

/** Groups of at most so many devices; neighbours stay together where they can. */
export function placeInGroups(topology: Topology, devicesPerService: number): Placement {
  const services = Math.ceil(topology.devices.length / devicesPerService);
  return cut(inNeighbourhoods(topology), services, () => 1);
}

/** So many services with about equally many ports, which is about equal work. */
export function placeInServices(topology: Topology, services: number): Placement {
  const ports = topology.devices.map(() => 0);
  for (const { a, b } of topology.links) {
    ports[a.device]!++;
    ports[b.device]!++;
  }
  return cut(inNeighbourhoods(topology), services, (device) => ports[device]!);
}

/** What a scenario says under `placement`; devices that it does not name run alone. */
export function placeByName(
  topology: Topology,
  sections: readonly GroupSection[],
  fail: Fail,
): Placement {
  const placed = new Map<number, string>();
  const named = sections.map(({ name, members }): PlacedService => {
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
  const alone = placeEachAlone(topology).filter(({ devices: [device] }) => !placed.has(device!));
  for (const { name } of sections) {
    if (alone.some((service) => service.name === name)) {
      throw fail(['placement', name], `${name} is a device with a service of its own`);
    }
  }
  return [...named, ...alone];
}

/**
 * Devices in a line so that cables are short: hosts in their order, each switch in the middle of
 * what hangs below it. Cutting this line anywhere cuts few links of the usual fabrics.
 */
function inNeighbourhoods(topology: Topology): number[] {
  const below = neighboursNearerToHosts(topology);
  const hosts = hostCount(topology);
  const position = topology.devices.map((_, device) => (device < hosts ? device : NaN));
  const mean = (devices: readonly number[]): number =>
    devices.reduce((sum, device) => sum + position[device]!, 0) / devices.length;
  for (const { device, nearer } of below) position[device] = mean(nearer);
  const switchOf = new Map(below.flatMap(({ device, nearer }) => nearer.map((n) => [n, device])));
  const key = (device: number): number =>
    device < hosts ? position[switchOf.get(device) ?? device]! : position[device]!;
  const order = topology.devices.map((_, device) => device);
  return order.sort((a, b) => key(a) - key(b) || a - b);
}

/** Every switch with its neighbours that are nearer to a host, the nearest switches first. */
function neighboursNearerToHosts(topology: Topology): { device: number; nearer: number[] }[] {
  const adjacent: number[][] = topology.devices.map(() => []);
  for (const { a, b } of topology.links) {
    adjacent[a.device]!.push(b.device);
    adjacent[b.device]!.push(a.device);
  }
  const hosts = hostCount(topology);
  const distance = topology.devices.map((_, device) => (device < hosts ? 0 : Infinity));
  const reached = topology.devices.map((_, device) => device).slice(0, hosts);
  for (const device of reached) {
    for (const next of adjacent[device]!) {
      if (distance[next] !== Infinity) continue;
      distance[next] = distance[device]! + 1;
      reached.push(next);
    }
  }
  return reached.slice(hosts).map((device) => ({
    device,
    nearer: adjacent[device]!.filter((next) => distance[next]! < distance[device]!),
  }));
}

function cut(order: readonly number[], services: number, weight: (d: number) => number): Placement {
  const total = order.reduce((sum, device) => sum + weight(device), 0);
  const groups: number[][] = Array.from({ length: services }, () => []);
  let before = 0;
  for (const device of order) {
    const middle = before + weight(device) / 2;
    groups[Math.floor((middle / total) * services)]!.push(device);
    before += weight(device);
  }
  return groups
    .filter((devices) => devices.length > 0)
    .map((devices, service) => ({
      name: `service${service + 1}`,
      devices: devices.sort((a, b) => a - b),
    }));
}
