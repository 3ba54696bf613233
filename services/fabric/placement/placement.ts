import type { GroupSection } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';

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
export function together(placement: Placement, { pairs = [] }: Pick<Topology, 'pairs'>): Placement {
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

/** Services of these devices. */
export function named(groups: readonly number[][]): Placement {
  return groups
    .filter((devices) => devices.length > 0)
    .map((devices, service) => ({ name: `service${service + 1}`, devices }));
}
