import type { PortSpec } from '../../engine/contract/spec.js';
import type { Engine } from '../../engine/device/engine.js';
import { bufferBacksCredit, repairTimePs } from './invariants.js';
import { costOf } from './machine.js';
import { mechanismOf } from './mechanism.js';
import {
  CHARGE_MASK,
  CHARGE_SHIFT,
  CLASS,
  LENGTH,
  PORT,
  PRIORITY_MASK,
} from '../../engine/frame/frame-pool.js';
import { forEachUnderway } from '../../engine/analysis/ledger/frames-underway.js';
import { forEachQueuedAt } from '../../engine/device/queued-frames.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';

/**
 * The first port (numbered through the service) with more credit outstanding than buffer; or -1.
 */
export function overdrawnPort(engine: Engine, now: number): number {
  const { shared, faults, devices } = engine;
  const credit = mechanismOf(engine);
  const { accounts } = credit;
  const { ports, pool } = shared;
  const specOf = (port: PortRow): PortSpec => {
    const { spec, firstPort } = devices[ports.owner(port)];
    return spec.ports[port - firstPort];
  };
  const mayGoWithout = (port: PortRow, priority: Priority): boolean => {
    const { discovery, pausing } = specOf(port);
    return discovery?.drives === true || ((pausing?.priorities ?? 0) & (1 << priority)) !== 0;
  };
  for (let port = 0; port < ports.count; port++) {
    const spec = accounts.spec(port);
    const peer = ports.peer(port);
    if (spec === null || peer < 0) continue;
    const incremental = spec.counts === 'incremental';
    // Increments have no epoch: the other end may grant again what an end had before it fell back.
    if (incremental && specOf(port).discovery?.drives === true) continue;
    // Frames that will be lost on the link take no buffer.
    if (incremental && faults.mayBeCut(port)) continue;
    const repairPs = repairTimePs(spec);
    const isExcused = (end: number): boolean =>
      faults.mayMakeGrants(end, incremental, now, repairPs);
    if (isExcused(port) || isExcused(peer)) continue;
    const inFlight = new Float64Array(8);
    forEachUnderway(engine, port, (frame) => {
      const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
      inFlight[priority] += costOf(pool.words[frame + LENGTH], spec.granting.unitOctets);
    });
    for (let priority = 0; priority < 8; priority++) {
      if ((spec.priorities & (1 << priority)) === 0) continue;
      const sendingRow = accounts.row(peer, 0, priority);
      const receivingRow = accounts.row(port, 0, priority);
      const link = { sending: credit, sendingRow, receiving: credit, receivingRow };
      // Where pauses may apply, or nothing does, more can be stored than is ever granted.
      const grants = credit.sender.available(sendingRow) > 0 || !mayGoWithout(port, priority);
      if (!grants || bufferBacksCredit(link, inFlight[priority])) continue;
      const own = ownUnits(engine, port, priority);
      if (own === 0 || !bufferBacksCredit(link, inFlight[priority] - own)) return port;
    }
  }
  return -1;
}

/**
 * Units of messages that a switch has created itself: they are stored at their egress, and nothing
 * was granted for them.
 */
function ownUnits({ shared, devices }: Engine, port: PortRow, priority: Priority): number {
  const { ports, pool } = shared;
  const device = devices[ports.owner(port)];
  let units = 0;
  forEachQueuedAt(shared, device, port - device.firstPort, (frame) => {
    const frameClass = pool.words[frame + CLASS];
    const isOwn = pool.words[frame + PORT] === port && (frameClass & PRIORITY_MASK) === priority;
    if (isOwn) units += (frameClass & CHARGE_MASK) >>> CHARGE_SHIFT;
  });
  return device.spec.kind === 'switch' ? units : 0;
}
