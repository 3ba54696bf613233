import type { ManagedValue } from '../contract/flow-control.js';
import type { LldpStatistics } from './lldp/lldp-managed.js';
import type { PortDiscovery } from './port-discovery.js';

/** Counters of all agents of a port, under the names of 802.1AB 9.2.6. */
export function discoveryManagedValues(port: PortDiscovery): ManagedValue[] {
  const names = Object.keys(port.agents[0].stats) as (keyof LldpStatistics)[];
  return names.map((name) => ({
    name,
    priority: null,
    value: port.agents.reduce((sum, { stats }) => sum + stats[name], 0),
  }));
}
