import { CREDIT, INGRESS, TAGS } from '../../buffer/shared-frames.js';
import type { PortSpec } from '../../contract/spec.js';
import type { Engine } from '../../device/engine.js';
import { bufferBacksCredit, repairTimePs } from '../../flow-control/credit/credit-invariants.js';
import { costOf } from '../../flow-control/credit/credit-machine.js';
import {
  CHARGE_MASK,
  CHARGE_SHIFT,
  CLASS,
  LENGTH,
  PORT,
  PRIORITY_MASK,
  REPLICA_FLAG,
} from '../../frame/frame-pool.js';
import { forEachUnderway } from './frames-underway.js';
import { ChargeSums } from './link-books.js';
import { forEachReceived } from '../../device/nic/frames-of-nic.js';
import { forEachQueued, forEachQueuedAt } from '../../device/queued-frames.js';

/**
 * The first port (numbered through the service) with more credit outstanding than buffer; or -1.
 */
export function overdrawnPort(engine: Engine, now: number): number {
  const { credit, shared, faults, devices } = engine;
  const { accounts } = credit;
  const { ports, pool } = shared;
  const specOf = (port: number): PortSpec => {
    const { spec, firstPort } = devices[ports.owner(port)];
    return spec.ports[port - firstPort];
  };
  const mayGoWithout = (port: number, priority: number): boolean => {
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
      faults.mayMakeCredit(end, incremental, now, repairPs);
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
function ownUnits({ shared, devices }: Engine, port: number, priority: number): number {
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

/** The first port whose receiver counts other units than are stored; or -1. */
export function misbookedPort(engine: Engine): number {
  const { credit, shared, devices } = engine;
  const { words } = shared.pool;
  const stored = new Float64Array(credit.accounts.count);
  const ofOthers = new ChargeSums(engine);
  for (const device of devices) {
    const { spec, rows, firstPort } = device;
    const add = (port: number, frame: number): void => {
      const units = (words[frame + CLASS] & CHARGE_MASK) >>> CHARGE_SHIFT;
      if (units === 0) return;
      const priority = words[frame + CLASS] & PRIORITY_MASK;
      if (shared.ports.isCredited(port, priority)) stored[credit.rowOf(port, frame)] += units;
      else ofOthers.add(port, priority, units);
    };
    if (spec.kind === 'host') {
      forEachReceived(shared.nicFrames, rows, (frame) => {
        add(firstPort, frame);
      });
    } else {
      forEachQueued(shared, device, (frame) => {
        if ((words[frame + CLASS] & REPLICA_FLAG) === 0) add(words[frame + PORT], frame);
      });
      // A frame that leaves by several ports is charged once.
      const { sharedFrames } = engine.switching.parts(device.place);
      sharedFrames.forEach((number) => {
        const charge = sharedFrames.get(number, CREDIT);
        const units = (charge & CHARGE_MASK) >>> CHARGE_SHIFT;
        if (units === 0) return;
        const port = firstPort + sharedFrames.get(number, INGRESS);
        const priority = charge & PRIORITY_MASK;
        if (!shared.ports.isCredited(port, priority)) {
          ofOthers.add(port, priority, units);
          return;
        }
        const tags = sharedFrames.get(number, TAGS);
        stored[credit.accounts.rowOfFrame(port, priority, tags)] += units;
      });
    }
  }
  for (let row = 0; row < stored.length; row++) {
    if (credit.receiver.occupied(row) !== stored[row]) return credit.accounts.port(row);
  }
  return ofOthers.wrongPort();
}
