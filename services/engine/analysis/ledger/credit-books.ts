import type { Engine } from '../../device/engine.js';
import { bufferBacksCredit } from '../../flow-control/credit/credit-invariants.js';
import { costOf } from '../../flow-control/credit/credit-machine.js';
import { OCCUPIED } from '../../flow-control/credit/credit-records.js';
import {
  CHARGE_MASK,
  CHARGE_SHIFT,
  CLASS,
  LENGTH,
  PORT,
  PRIORITY_MASK,
} from '../../frame/frame-pool.js';
import { forEachQueued } from '../../device/queued-frames.js';

/** The first port (numbered through the service) with more credit behind it than buffer; or -1. */
export function overdrawnPort({ credit, shared, faults }: Engine): number {
  const { accounts } = credit;
  const { ports, lanes, pool } = shared;
  for (let port = 0; port < ports.count; port++) {
    const spec = accounts.spec(port);
    const peer = ports.peer(port);
    if (spec === null || peer < 0) continue;
    const incremental = spec.counts === 'incremental';
    if ([port, peer].some((end) => faults.mayMakeCredit(end, incremental))) continue;
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

/** The first port with credit whose receiver counts other units than are stored; or -1. */
export function misbookedPort(engine: Engine): number {
  const { credit, shared, devices } = engine;
  const { words } = shared.pool;
  const stored = new Float64Array(credit.accounts.count);
  for (const device of devices) {
    if (device.spec.kind === 'host') continue;
    forEachQueued(shared, device, (frame) => {
      const units = (words[frame + CLASS] & CHARGE_MASK) >>> CHARGE_SHIFT;
      if (units > 0) stored[credit.rowOf(words[frame + PORT], frame)] += units;
    });
  }
  for (let row = 0; row < stored.length; row++) {
    if (credit.receiver.count(row, OCCUPIED) !== stored[row]) return credit.accounts.port(row);
  }
  return -1;
}
