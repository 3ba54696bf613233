/** The priority with which frames of a path are sent on each link of it: ports may change it. */

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
