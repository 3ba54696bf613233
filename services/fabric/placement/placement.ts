import type { GroupSection } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';
import { cut } from './cut.js';

/** Which devices run in which service; every device in exactly one. */
export type Placement = readonly PlacedService[];

export interface PlacedService {
  readonly name: string;
  /** By position in the fabric, ascending. */
  readonly devices: readonly number[];
}

/** One service per device, with its name. */
export function placeEachAlone(topology: Topology): Placement {
  return topology.devices.map(({ name }, device) => ({ name, devices: [device] }));
}

/** Groups of at most so many devices; neighbors stay together where they can. */
export function placeInGroups(topology: Topology, devicesPerService: number): Placement {
  const services = Math.ceil(topology.devices.length / devicesPerService);
  return named(cut(topology, services, () => 1, devicesPerService));
}

/** So many services with about equally many ports, which is about equal work. */
export function placeInServices(topology: Topology, services: number): Placement {
  const ports = topology.devices.map(() => 0);
  for (const { a, b } of topology.links) {
    ports[a.device]!++;
    ports[b.device]!++;
  }
  return named(cut(topology, services, (device) => ports[device]!));
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
  const alone = placeEachAlone(topology).filter(({ devices: [device] }) => !placed.has(device!));
  for (const { name } of sections) {
    if (alone.some((service) => service.name === name)) {
      throw fail(['placement', name], `${name} is a device with a service of its own`);
    }
  }
  return [...placedByName, ...alone];
}

function named(groups: readonly number[][]): Placement {
  return groups
    .filter((devices) => devices.length > 0)
    .map((devices, service) => ({ name: `service${service + 1}`, devices }));
}
