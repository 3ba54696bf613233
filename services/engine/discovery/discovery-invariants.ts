import type { DiscoveryPortSpec } from '../contract/discovery.js';
import type { PortDiscovery } from './port-discovery.js';

/** Neighbors are stored for their time to live, and there is room for them. */
export function databaseIsWhole(spec: DiscoveryPortSpec, { agents }: PortDiscovery): boolean {
  return agents.every(
    ({ rx }) =>
      rx.neighbors.length <= spec.neighborsMost &&
      rx.neighbors.every(({ ttl, ttlStated }) => ttl > 0 && ttl <= ttlStated),
  );
}

/** No agent sends faster than its credit allows (802.1AB 9.2.5.17). */
export function creditIsInRange(spec: DiscoveryPortSpec, { agents }: PortDiscovery): boolean {
  const { txCreditMax } = spec.timers;
  return agents.every(({ tx }) => tx.txCredit >= 0 && tx.txCredit <= txCreditMax);
}
