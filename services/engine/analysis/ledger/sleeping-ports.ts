import type { Engine } from '../../device/engine.js';

/**
 * Among so many ports (numbered through the service), the first that has a frame which may start,
 * and no event to start it; or -1. Code that permits frames has to wake their port.
 */
export function sleepingPort({ shared, faults }: Engine, among = shared.ports.count): number {
  const { ports, queues, transmits } = shared;
  for (let port = 0; port < among; port++) {
    if (transmits.at[port] !== Infinity || faults.isSilent(port)) continue;
    if (ports.controlDue(port) || queues.eligible(port) !== 0) return port;
  }
  return -1;
}
