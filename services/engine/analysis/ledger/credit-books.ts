import type { Engine } from '../../device/engine.js';
import { bufferBacksCredit } from '../../flow-control/credit/credit-invariants.js';
import { costOf } from '../../flow-control/credit/credit-machine.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../../frame/frame-pool.js';

/** The first port (numbered through the service) with more credit behind it than buffer; or -1. */
export function overdrawnPort({ credit, shared }: Engine): number {
  const { accounts } = credit;
  const { ports, lanes, pool } = shared;
  for (let port = 0; port < ports.count; port++) {
    const spec = accounts.spec(port);
    const peer = ports.peer(port);
    if (spec === null || peer < 0) continue;
    const inFlight = new Float64Array(8);
    lanes.forEach(port, (frame) => {
      const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
      inFlight[priority] += costOf(pool.words[frame + LENGTH], spec.granting.unitOctets);
    });
    for (let priority = 0; priority < 8; priority++) {
      if ((spec.priorities & (1 << priority)) === 0) continue;
      const sendingRow = accounts.row(peer, 0, priority);
      const receivingRow = accounts.row(port, 0, priority);
      const link = { sending: credit, sendingRow, receiving: credit, receivingRow };
      if (!bufferBacksCredit(link, inFlight[priority])) return port;
    }
  }
  return -1;
}
