import type { Flow } from '../load/flow.js';
import { groupTree } from '../routing/group-tree.js';
import type { Routes } from '../routing/routes.js';
import type { GroupSection } from '../scenario/scenario.js';
import { ALL } from '../scenario/selector.js';
import type { Fail } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';

/** By group: the hosts in it. Loads name a group where they may name hosts, so it is neither. */
export function membersOf(
  groups: readonly GroupSection[],
  topology: Topology,
  fail: Fail,
): number[][] {
  const devices = new Set(topology.devices.map(({ name }) => name));
  return groups.map(({ name, members }) => {
    const at = ['groups', name];
    if (name === ALL)
      throw fail(at, `${name} means every host already: give the group another name`);
    if (devices.has(name)) throw fail(at, `${name} is a device: give the group another name`);
    return selectDevices(topology, members, 'host', (message) => fail(at, message));
  });
}

/** Checks loads to groups: raw frames, to a member other than the sender. */
export function checkGroupFlows(
  flows: readonly Flow[],
  members: readonly (readonly number[])[],
  fail: Fail,
): void {
  for (const { name, group, load, source, destination, transport } of flows) {
    if (!group) continue;
    if (transport.kind === 'reliable') {
      throw fail(['load', load, 'transport'], `${name}: only raw frames can be sent to a group`);
    }
    if (members[destination]!.every((host) => host === source)) {
      throw fail(['load', load], `${name}: the sender is the only member of the group`);
    }
  }
}

/**
 * By group, then by position of the switch: the ports of the tree that carries it, including those
 * of senders. A group without loads has none.
 */
export function treesOf(
  members: readonly (readonly number[])[],
  flows: readonly Flow[],
  routes: Routes,
): (readonly number[][])[] {
  const senders = members.map((): number[] => []);
  for (const { group, source, destination } of flows) {
    if (group) senders[destination]!.push(source);
  }
  return members.map((hosts, group) =>
    senders[group]!.length === 0
      ? []
      : groupTree(routes.adjacency, [...hosts, ...senders[group]!], group),
  );
}
