import type { Engine } from '../../device/engine.js';

/**
 * Among so many, the first port (numbered through the service) that has a frame which may start, and no intention
 * of starting one; -1 if there is none. Whoever lets frames go has to wake their port.
 */
export function sleepingPort({ shared, faults }: Engine, among = shared.ports.count): number {
  const { ports, queues, transmits } = shared;
  for (let port = 0; port < among; port++) {
    if (transmits.at[port] !== Infinity || faults.isSilent(port)) continue;
    if (ports.controlDue(port) || queues.eligible(port) !== 0) return port;
  }
  return -1;
}
