/** The priorities with which frames of a path are sent on its links: ports may change them. */

import { DROP_ELIGIBLE, UNTAGGED } from '../../engine/wire/code-points.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';

/** `ends`: the sending ports, from the source on. One more than these: as it is received. */
export function carriedPriorities(
  { flows, specs }: Fabric,
  ends: readonly LinkEnd[],
  priority: number,
): number[] {
  const [first] = ends;
  const own = flows.filter(({ source }) => source === first!.device);
  const flow = own.find((one) => one.priority === priority) ?? own[0];
  /** Null: its frames have no tag here. */
  let vlan = flow?.vlan.outer ?? flow?.vlan.inner ?? null;
  let carried = priority;
  const all = ends.map(({ device, port, peerDevice, peerPort }) => {
    const sent = carried;
    const from = specs[device]!;
    if (from.kind === 'switch' && from.forwarding.kind === 'bridged') {
      if (from.forwarding.vlans[port]!.native === vlan) vlan = null;
    }
    const to = specs[peerDevice]!;
    const table = to.ports[peerPort]!.received;
    carried = (table?.[vlan === null ? UNTAGGED | sent : sent] ?? sent) % DROP_ELIGIBLE;
    if (to.kind === 'switch' && to.forwarding.kind === 'bridged') {
      vlan = vlan === null || vlan === 0 ? to.forwarding.vlans[peerPort]!.native : vlan;
    }
    return sent;
  });
  return [...all, carried];
}

/**
 * By sending device: what priorities frames of a flow may have there, with tags or without.
 * `ends`: its sending ports by whichever ways, each behind one by which its device is reached.
 */
export function prioritiesByDevice(
  { specs }: Fabric,
  ends: readonly LinkEnd[],
  priority: number,
): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map([[ends[0]!.device, new Set([priority])]]);
  for (const { device, peerDevice, peerPort } of ends) {
    const table = specs[peerDevice]!.ports[peerPort]!.received;
    const received = found.get(peerDevice) ?? new Set<number>();
    found.set(peerDevice, received);
    for (const sent of found.get(device) ?? [priority]) {
      if (table === undefined) received.add(sent);
      else for (const at of [sent, UNTAGGED | sent]) received.add(table[at]! % DROP_ELIGIBLE);
    }
  }
  return found;
}
