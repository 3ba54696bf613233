import type { ManagedValue } from '../contract/flow-control.js';
import type { PortDiscovery } from './port-discovery.js';

/** Counters of all agents of a port, under the names of 802.1AB 9.2.6. */
export function discoveryManagedValues(port: PortDiscovery): ManagedValue[] {
  const [first, ...others] = port.agents.map(({ stats }) => Object.entries(stats));
  return first.map(([name, value], i) => ({
    name,
    priority: null,
    value: others.reduce((sum, entries) => sum + (entries[i][1] as number), value as number),
  }));
}
