import { controlUnderway } from './control-underway.js';
import { PRIORITY_NUMBERS } from '../../units/ethernet.js';
import { HEADROOM, POOL, POOL_USED, RESERVED, USED } from '../../buffer/shared-buffer.js';
import { CHARGED, COPIES, GROUP, INGRESS } from '../../buffer/shared-frames.js';
import { DROP } from '../../contract/probe.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import { hasSharedBuffer, type SwitchSpec } from '../../contract/spec.js';
import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { framesNotWhole } from '../../device/checkpoint.js';
import { forEachReceived } from '../../device/nic/frames-of-nic.js';
import { forEachQueued } from '../../device/queued-frames.js';
import {
  CLASS,
  ISOLATED_FLAG,
  LENGTH,
  PORT,
  PRIORITY_MASK,
  REPLICA_FLAG,
  STORED,
} from '../../frame/frame-pool.js';
import {
  DROP_FRAMES,
  DROP_OCTETS,
  MADE_FRAMES,
  MADE_OCTETS,
  RX_FRAMES,
  RX_OCTETS,
  TX_FRAMES,
  TX_OCTETS,
} from '../../port/counters.js';

/**
 * A conservation law that is violated. Ports are as the device counts them; -1 for the whole
 * device.
 */
export interface Imbalance {
  readonly device: number;
  readonly port: number;
  readonly priority: number;
  readonly what: string;
  readonly expected: number;
  readonly actual: number;
}

/**
 * The ledger of a service at a moment when every actor has executed the same time: no frame and no
 * octet is created, lost or counted twice, per priority (design: conservation).
 */
export function checkLedger(engine: Engine): Imbalance[] {
  return imbalances((expect) => {
    for (const device of engine.devices) {
      checkOwn(engine, device, expect);
      checkLinks(engine, device, expect);
    }
    checkPool(engine, expect);
  });
}

/** The part of the ledger within the first devices: it balances between any two events. */
export function checkOwnLedgers(engine: Engine, devices: number): Imbalance[] {
  return imbalances((expect) => {
    for (const device of engine.devices.slice(0, devices)) checkOwn(engine, device, expect);
  });
}

function imbalances(check: (expect: Expect) => void): Imbalance[] {
  const found: Imbalance[] = [];
  check((device, port, priority, what, expected, actual) => {
    if (expected !== actual) found.push({ device, port, priority, what, expected, actual });
  });
  return found;
}

function checkOwn(engine: Engine, device: Device, expect: Expect): void {
  checkDevice(engine, device, expect);
  if (device.spec.kind === 'host') {
    if (device.spec.nic !== null) checkReceived(engine, device, expect);
    else if (device.spec.receiveMemory !== null) checkUnread(engine, device, expect);
  } else if (hasSharedBuffer(device.spec)) checkMemory(engine, device, device.spec, expect);
  else checkSlots(engine, device, expect);
}

type Expect = (
  device: number,
  port: number,
  priority: number,
  what: string,
  expected: number,
  actual: number,
) => void;

/** Received or created = sent, dropped or consumed, or stored. */
function checkDevice(engine: Engine, device: Device, expect: Expect): void {
  const { counters } = engine.shared;
  const ports = device.spec.ports.map((_, p) => device.firstPort + p);
  const total = (of: (port: number) => number): number =>
    ports.reduce((all, port) => all + of(port), 0);
  const sum = (priority: number, word: number): number =>
    total((port) => counters.get(port, priority, word));
  const buffered = bufferedFrames(engine, device);
  for (const priority of PRIORITY_NUMBERS) {
    const isHost = device.spec.kind === 'host';
    // A host consumes what it receives; only what it creates can be stored or sent.
    const received = isHost ? 0 : sum(priority, RX_FRAMES);
    const receivedOctets = isHost ? 0 : sum(priority, RX_OCTETS);
    const discarded = (port: number): number =>
      counters.get(port, priority, DROP_FRAMES) + counters.rejectedFrames(port, priority);
    const discardedOctets = (port: number): number =>
      counters.get(port, priority, DROP_OCTETS) + counters.rejectedOctets(port, priority);
    const dropped = isHost ? 0 : total(discarded);
    const droppedOctets = isHost ? 0 : total(discardedOctets);
    const consumed = total((port) => counters.consumedFrames(port, priority));
    const consumedOctets = total((port) => counters.consumedOctets(port, priority));
    const tags = total((port) => counters.tagOctetsOf(port, priority));
    expect(
      device.place,
      -1,
      priority,
      'frames in = frames out, dropped, consumed and buffered',
      received + sum(priority, MADE_FRAMES),
      sum(priority, TX_FRAMES) + dropped + consumed + buffered.frames[priority],
    );
    expect(
      device.place,
      -1,
      priority,
      'octets in = octets out, dropped, consumed and buffered',
      receivedOctets + sum(priority, MADE_OCTETS) + tags,
      sum(priority, TX_OCTETS) + droppedOctets + consumedOctets + buffered.octets[priority],
    );
  }
}

/** Sent by a port = received by its peer, or in flight. */
function checkLinks(engine: Engine, device: Device, expect: Expect): void {
  const { faults } = engine;
  const { counters, inFlightQueues, ports, pool } = engine.shared;
  device.spec.ports.forEach((_, p) => {
    const port = device.firstPort + p;
    const peer = ports.peer(port);
    const frames = new Float64Array(8);
    const octets = new Float64Array(8);
    const add = (frame: number): void => {
      const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
      frames[priority]++;
      octets[priority] += pool.words[frame + LENGTH];
    };
    inFlightQueues.forEach(peer, add);
    engine.devices[ports.owner(peer)].late
      .filter((f) => pool.words[f + PORT] === peer)
      .forEach(add);
    // Faults lose, repeat and delay control frames.
    if (!faults.mayBe(port) && !faults.mayBe(peer)) {
      expect(
        device.place,
        p,
        -1,
        'control frames sent = received at the peer and in flight',
        counters.controlSent[port],
        counters.controlReceived[peer] + controlUnderway(engine, peer),
      );
    }
    for (const priority of PRIORITY_NUMBERS) {
      expect(
        device.place,
        p,
        priority,
        'frames sent, and repeated by faults = received at the peer and in flight',
        counters.get(port, priority, TX_FRAMES) + counters.repeatedFrames(peer, priority),
        counters.get(peer, priority, RX_FRAMES) + frames[priority],
      );
      expect(
        device.place,
        p,
        priority,
        'octets sent, and repeated by faults = received at the peer and in flight',
        counters.get(port, priority, TX_OCTETS) + counters.repeatedOctets(peer, priority),
        counters.get(peer, priority, RX_OCTETS) + octets[priority],
      );
    }
  });
}

/** Accounts equal the contents of the queues, and the pool what the accounts have taken from it. */
function checkMemory(engine: Engine, device: Device, spec: SwitchSpec, expect: Expect): void {
  const { buffer, pool } = engine.shared;
  const { firstPort, place } = device;
  const stored = new Float64Array(spec.ports.length * 8);
  const { sharedFrames } = engine.switching.parts(place);
  const isolation = engine.switching.isolationOf(place);
  const copies = new Map<number, number>();
  const countCopy = (frame: number): void => {
    const number = pool.replica(frame);
    copies.set(number, (copies.get(number) ?? 0) + 1);
  };
  for (const frame of framesNotWhole(device)) {
    if ((pool.words[frame + CLASS] & REPLICA_FLAG) !== 0) countCopy(frame);
  }
  forEachQueued(engine.shared, device, (frame) => {
    const { words } = pool;
    if ((words[frame + CLASS] & REPLICA_FLAG) !== 0) {
      countCopy(frame);
      return;
    }
    const from = words[frame + PORT] - firstPort;
    const isIsolated = isolation !== null && (words[frame + CLASS] & ISOLATED_FLAG) !== 0;
    const priority = isIsolated ? isolation.priority : words[frame + CLASS] & PRIORITY_MASK;
    const group = spec.ports[from].groupOf[priority];
    stored[from * 8 + group] += words[frame + STORED];
  });
  sharedFrames.forEach((number) => {
    const from = sharedFrames.get(number, INGRESS);
    const group = sharedFrames.get(number, GROUP);
    stored[from * 8 + group] += sharedFrames.get(number, CHARGED);
    const what = 'copies of a frame that is stored once = those that have not left';
    const left = sharedFrames.get(number, COPIES);
    expect(place, from, group, what, left, copies.get(number) ?? 0);
    copies.delete(number);
  });
  expect(place, -1, -1, 'copies without the frame that they are of', 0, copies.size);
  let taken = 0;
  spec.ports.forEach((_, p) => {
    for (const group of PRIORITY_NUMBERS) {
      const port = firstPort + p;
      const used = buffer.get(port, group, USED);
      const headroom = buffer.get(port, group, HEADROOM);
      expect(place, p, group, 'octets charged = octets stored', stored[p * 8 + group], used);
      taken += Math.max(0, used - headroom - buffer.get(port, group, RESERVED));
    }
  });
  if (spec.buffer.pools !== null) {
    checkPools(engine, device, expect);
    return;
  }
  const pooled = buffer.memoryOfDevice(place, POOL_USED);
  expect(place, -1, -1, 'octets of the pool = what the accounts took', taken, pooled);
  const excess = Math.max(0, pooled - buffer.memoryOfDevice(place, POOL));
  expect(place, -1, -1, 'octets of the pool beyond its size', 0, excess);
}

/** Pools, and the headroom that groups share, hold what accounts and queues took; never more. */
function checkPools(engine: Engine, { place, firstPort, spec }: Device, expect: Expect): void {
  const { buffer, queues } = engine.shared;
  const { pools } = buffer;
  const owed = pools.owed(firstPort);
  const most = pools.mostHeld(firstPort);
  pools.uses(firstPort).forEach(({ name, slice, usedOctets }, i) => {
    const pool = `${name} of slice ${slice}`;
    expect(place, -1, -1, `octets of ${pool} = what was charged to it`, owed[i], usedOctets);
    const outside = Math.max(0, -usedOctets, usedOctets - most[i]);
    expect(place, -1, -1, `octets of ${pool} below none or beyond its size`, 0, outside);
  });
  spec.ports.forEach((_, p) => {
    for (const tc of PRIORITY_NUMBERS) {
      const charged = pools.octetsQueued(firstPort + p, tc);
      const queued = queues.get(firstPort + p, tc, QUEUE_OCTETS);
      expect(place, p, tc, 'octets charged to a queue = octets queued', queued, charged);
    }
  });
}

/** Received by a NIC with buffers = dropped, read by software, or still stored. */
function checkReceived(engine: Engine, device: Device, expect: Expect): void {
  const { counters, nicFrames, pool, buffer } = engine.shared;
  const { place, firstPort, rows } = device;
  const { taken, looped } = engine.hosting.parts(place).nic!;
  const buffered = new Float64Array(8);
  forEachReceived(
    nicFrames,
    rows,
    (frame) => buffered[pool.words[frame + CLASS] & PRIORITY_MASK]++,
  );
  for (const p of PRIORITY_NUMBERS) {
    // Those that the link layer does not let out were never received.
    const kept = counters.drops(firstPort, p, DROP.LINK_NOT_READY);
    const dropped = counters.get(firstPort, p, DROP_FRAMES) - kept;
    const gone = dropped + counters.rejectedFrames(firstPort, p) + taken[p] + buffered[p];
    const received = counters.get(firstPort, p, RX_FRAMES) + looped[p];
    expect(place, 0, p, 'frames received = dropped, taken and buffered', received, gone);
    let stored = 0;
    nicFrames.lists.forEach(nicFrames.received(rows.nic.first, p), (frame) => {
      stored += pool.words[frame + LENGTH];
    });
    expect(place, 0, p, 'octets charged = octets stored', stored, buffer.get(firstPort, p, USED));
  }
}

/** Charged to a plain NIC = not read by its application. */
function checkUnread(engine: Engine, { place, firstPort, rows }: Device, expect: Expect): void {
  const { nicFrames, pool, ports, buffer } = engine.shared;
  const stored = new Float64Array(8);
  forEachReceived(nicFrames, rows, (frame) => {
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    stored[ports.groupOf(firstPort, priority)] += pool.words[frame + LENGTH];
  });
  for (const group of PRIORITY_NUMBERS) {
    const used = buffer.get(firstPort, group, USED);
    expect(place, 0, group, 'octets charged = octets unread', stored[group], used);
  }
}

/** Slots equal the contents of the queues, and the chip's own invariants hold. */
function checkSlots(engine: Engine, device: Device, expect: Expect): void {
  const { pool } = engine.shared;
  const chip = engine.switching.parts(device.place).chip!;
  const queued = new Uint8Array(chip.memory.copies.length);
  forEachQueued(engine.shared, device, (frame) => queued[pool.slot(frame)]++);
  const { copies } = chip.memory;
  for (let slot = 0; slot < copies.length; slot++) {
    if (copies[slot] === queued[slot]) continue;
    const what = 'copies of a slot = its frames in queues';
    expect(device.place, -1, -1, what, copies[slot], queued[slot]);
  }
  for (const name of engine.switching.brokenSlots(device.place)) {
    expect(device.place, -1, -1, name, 1, 0);
  }
}

/** Every frame record is in flight, queued or waiting for its last bit; none is anywhere twice. */
function checkPool(engine: Engine, expect: Expect): void {
  const { pool, inFlightQueues } = engine.shared;
  let frames = 0;
  for (const device of engine.devices) {
    frames += framesNotWhole(device).length + device.late.length;
    device.spec.ports.forEach((_, p) => {
      inFlightQueues.forEach(device.firstPort + p, () => frames++);
    });
    forEachQueued(engine.shared, device, () => frames++);
  }
  expect(-1, -1, -1, 'frame records in use = frames that are somewhere', frames, pool.inUse());
}

function bufferedFrames(
  engine: Engine,
  device: Device,
): { frames: Float64Array; octets: Float64Array } {
  const { pool } = engine.shared;
  const frames = new Float64Array(8);
  const octets = new Float64Array(8);
  const add = (frame: number): void => {
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    frames[priority]++;
    octets[priority] += pool.words[frame + LENGTH];
  };
  forEachQueued(engine.shared, device, add);
  // Frames that a host has received are not among those it has created.
  forEachReceived(engine.shared.nicFrames, device.rows, (frame) => {
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    frames[priority]--;
    octets[priority] -= pool.words[frame + LENGTH];
  });
  framesNotWhole(device).forEach(add);
  return { frames, octets };
}
