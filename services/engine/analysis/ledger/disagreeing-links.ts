import type { Engine } from '../../device/engine.js';
import { ruledBy } from '../../discovery/link-end.js';

/**
 * The first port whose frames start with grants that its link partner does not exchange, or the
 * other way round, longer than LLDP takes to forget a neighbor; or -1. Both negotiate by what each
 * has received of the other, and come to the same.
 */
export function disagreeingPort({ discovery, faults, shared }: Engine, nowPs: number): number {
  const { ports } = shared;
  for (let port = 0; port < ports.count; port++) {
    const peer = ports.peer(port);
    const [own, other] = [discovery.specs[port], peer < 0 ? null : discovery.specs[peer]];
    if (own?.drives !== true || other?.drives !== true) continue;
    if (faults.mayLose(port) || faults.mayLose(peer)) continue;
    const { timers, tickPs } = own;
    const forgottenPs = 2 * (timers.msgTxInterval * timers.msgTxHold + 1) * tickPs;
    const lastPs = Math.max(discovery.settledPs(port), discovery.settledPs(peer));
    if (discovery.isSettling(port) || discovery.isSettling(peer)) continue;
    if (nowPs - lastPs <= forgottenPs) continue;
    const [here, there] = [port, peer].map((end) => ruledBy(discovery.ports[end]!, 'grants'));
    if (here !== there) return port;
  }
  return -1;
}
