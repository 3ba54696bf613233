import { readU48 } from '../../engine/wire/big-endian.js';
import type { HostAddress } from '../address.js';
import { macOfVm } from '../address.js';
import type { Flow } from '../load/flow.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { Settings } from './settings.js';

interface Stations {
  readonly topology: Topology;
  readonly settings: readonly Settings[];
  /** By host. */
  readonly addresses: readonly HostAddress[];
}

/** Addresses of virtual machines that have load differ from each other and from those of hosts. */
export function checkVmAddresses(
  flows: readonly Flow[],
  { topology, settings, addresses }: Stations,
  fail: Fail,
): void {
  const name = (host: number): string => topology.devices[host]!.name;
  const owners = new Map<number, string>();
  addresses.forEach(({ mac }, host) => owners.set(readU48(mac, 0), name(host)));
  const check = (host: number, vm: number, load: number): void => {
    if (vm === 0 || settings[host]!.host.nic === null) return;
    const own = `VM ${vm} of ${name(host)}`;
    const mac = macOfVm(readU48(addresses[host]!.mac, 0), vm);
    const owner = owners.get(mac) ?? own;
    owners.set(mac, owner);
    if (owner === own) return;
    const message = `${own} would have the address of ${owner}; give ${name(host)} another mac`;
    throw fail(['load', load], message);
  };
  for (const { source, destination, group, vm, toVm, load } of flows) {
    check(source, vm, load);
    if (!group) check(destination, toVm, load);
  }
}
