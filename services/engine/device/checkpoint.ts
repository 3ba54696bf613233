import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import { ARRIVAL, PORT, STORED } from '../frame/frame-pool.js';
import { keyKind } from '../kernel/timer-queue.js';
import type { Plain } from '../kernel/snapshot.js';
import { ACCOUNT, type SavedRows, type SharedRows } from '../kernel/tables.js';
import { restore, save } from '../kernel/snapshot.js';
import type { Device } from './device.js';
import { KIND_CONTROL, KIND_LATE } from './device.js';
import type { Engine } from './engine.js';
import { listsOf } from './nic/frames-of-nic.js';
import { forEachQueued, forEachReplayed } from './queued-frames.js';
import { KIND_COMPLETE } from './switch/switching.js';
import type { FrameRef } from '../units/indices.js';

/** Lists that have frames, by their number in the device, in its order. */
type SavedLists = readonly (readonly [list: number, frames: readonly Int32Array[]])[];

/** An actor's whole state, in a form that does not depend on the partition it runs in. */
export interface DeviceState<StateRows = SavedRows> {
  readonly rows: StateRows;
  readonly own: Plain;
  readonly behaviour: Plain;
  readonly senders: Plain;
  readonly discovery: Plain;
  readonly faults: Plain;
  /** Octets that the device stores, each with the slot that refers to it. */
  readonly octets: readonly (readonly [number, Uint8Array])[];
  /** By port of the device: frames in flight towards it. */
  readonly inFlightQueues: SavedLists;
  /** By port of the device and traffic class. */
  readonly queues: SavedLists;
  /** By account of grants of the device: frames that wait for a grant. */
  readonly lines: SavedLists;
  /** By frame list of the device's NIC. */
  readonly adapter: SavedLists;
  /** Frames that the application of the device has not read yet. */
  readonly unread: readonly Int32Array[];
  /** Frames that wait for their last bit, in the order of the timer queue's entries. */
  readonly incomplete: readonly Int32Array[];
  /** By port of the device: copies that its link layer may send again. */
  readonly replays: SavedLists;
  /** Messages that faults delay. */
  readonly late: readonly Int32Array[];
}

const RECORD_PORT = PORT;
const RECORD_OUT = STORED;

export function saveDevice(engine: Engine, d: number): DeviceState {
  const { tables } = engine.shared;
  return { ...saveBesideRows(engine, d), rows: tables.save(engine.devices[d].rows) };
}

/** The same of an engine that does not go on: its rows stay where they are. */
export function shareDevice(engine: Engine, d: number): DeviceState<SharedRows> {
  const { tables } = engine.shared;
  return { ...saveBesideRows(engine, d), rows: tables.share(engine.devices[d].rows) };
}

function saveBesideRows(engine: Engine, d: number): Omit<DeviceState, 'rows'> {
  const device = engine.devices[d];
  const { pool, inFlightQueues, queues, lines, nicFrames, octets } = engine.shared;
  const { replayBuffers } = engine.shared;
  const { firstPort, rows } = device;
  const ports = device.spec.ports.map((_, p) => firstPort + p);
  /** Ports are written as the device counts them. */
  const record = (frame: FrameRef, fields: readonly number[]): Int32Array => {
    const words = pool.read(frame);
    for (const field of fields) words[field] -= firstPort;
    return words;
  };
  const queued = new ListsWithFrames();
  const flying = new ListsWithFrames();
  const replays = new ListsWithFrames();
  ports.forEach((port, p) => {
    queues.forEach(port, (frame, tc) => {
      queued.add(p * TRAFFIC_CLASSES + tc, record(frame, [RECORD_PORT]));
    });
    inFlightQueues.forEach(port, (frame, arrivalPs) => {
      const words = pool.read(frame);
      new Float64Array(words.buffer)[ARRIVAL] = arrivalPs;
      flying.add(p, words);
    });
    replayBuffers.forEach(port, (frame) => {
      replays.add(p, pool.read(frame));
    });
  });
  const waiting = new ListsWithFrames();
  for (let i = 0; i < rows[ACCOUNT].count; i++) {
    lines.forEach(rows[ACCOUNT].first + i, (frame) => {
      waiting.add(i, record(frame, [RECORD_PORT]));
    });
  }
  const adapter = new ListsWithFrames();
  listsOf(rows).forEach((list, i) => {
    nicFrames.lists.forEach(list, (frame) => {
      adapter.add(i, pool.read(frame));
    });
  });
  const { first, count } = rows.send;
  return {
    own: save(device.state),
    behaviour: save(behaviourOf(engine, d)),
    senders: save(engine.senders.extras(first, count)),
    discovery: save(discoveryOf(engine, device)),
    faults: engine.faults.saveAt(firstPort, ports.length),
    octets: slotsOf(engine, device).map((slot) => [
      slot,
      octets.get(slot).slice(0, octets.length(slot)),
    ]),
    inFlightQueues: flying.lists,
    queues: queued.lists,
    lines: waiting.lists,
    adapter: adapter.lists,
    unread: unreadOf(engine, d).map((frame) => pool.read(frame)),
    incomplete: framesNotWhole(device).map((frame) => record(frame, [RECORD_PORT, RECORD_OUT])),
    replays: replays.lists,
    late: device.late.map((frame) => record(frame, [RECORD_PORT])),
  };
}

/**
 * Restores a saved state into the device of an engine that was built from the same specification.
 */
export function restoreDevice(
  engine: Engine,
  d: number,
  state: DeviceState<SavedRows | SharedRows>,
): void {
  const device = engine.devices[d];
  const { controlPayloads, shared } = engine;
  const { pool, inFlightQueues, queues, lines, nicFrames, octets: store, tables } = shared;
  const { firstPort, rows } = device;
  releaseAll(engine, device);
  const slots = new Map(
    state.octets.map(([slot, octets]) => [slot, store.put(octets, octets.length)]),
  );
  const moved = (slot: number): number => slots.get(slot) ?? slot;
  tables.restore(rows, state.rows);
  restore(device.state, state.own);
  restore(behaviourOf(engine, d), state.behaviour);
  restore(engine.senders.extras(rows.send.first, rows.send.count), state.senders);
  restore(discoveryOf(engine, device), state.discovery);
  engine.faults.restoreAt(firstPort, state.faults);
  engine.failover.restored(d);
  engine.rates.restored(device);
  const revive = (record: Int32Array, fields: readonly number[]): number => {
    const frame = pool.write(record);
    pool.setCarried(frame, moved(pool.carried(frame)));
    for (const field of fields) pool.words[frame + field] += firstPort;
    return frame;
  };
  const ports = device.spec.ports.length;
  forEachList(state.inFlightQueues, ports, (p, records) => {
    inFlightQueues.clear(firstPort + p);
    // In flight a frame carries no octets: what stands there is a number of its link layer.
    for (const record of records) inFlightQueues.push(firstPort + p, pool.write(record));
  });
  forEachList(state.replays, ports, (p, records) => {
    const copies = records.map((record) => {
      const copy = record.slice();
      pool.setCarriedOf(copy, 0, moved(pool.carriedOf(copy, 0)));
      return copy;
    });
    shared.replayBuffers.relink(firstPort + p, copies);
  });
  forEachList(state.queues, ports * TRAFFIC_CLASSES, (i, records) => {
    const frames = records.map((record) => revive(record, [RECORD_PORT]));
    queues.relink(firstPort + Math.floor(i / TRAFFIC_CLASSES), i % TRAFFIC_CLASSES, frames);
  });
  forEachList(state.lines, rows[ACCOUNT].count, (i, records) => {
    const frames = records.map((record) => revive(record, [RECORD_PORT]));
    lines.relink(rows[ACCOUNT].first + i, frames);
  });
  const adapterLists = listsOf(rows);
  forEachList(state.adapter, adapterLists.length, (i, records) => {
    const frames = records.map((record) => revive(record, []));
    nicFrames.lists.relink(adapterLists[i], frames);
  });
  nicFrames.unread.relink(
    d,
    state.unread.map((record) => revive(record, [])),
  );
  device.late.splice(
    0,
    device.late.length,
    ...state.late.map((record) => revive(record, [RECORD_PORT])),
  );
  for (let port = firstPort; port < firstPort + ports; port++) {
    controlPayloads.moved(port, moved(controlPayloads.waiting(port)));
  }
  for (const kind of [KIND_CONTROL, KIND_LATE]) device.timerQueue.replaceValues(kind, moved);
  const waiting = state.incomplete.map((record) => revive(record, [RECORD_PORT, RECORD_OUT]));
  let taken = 0;
  if (device.spec.kind === 'switch') {
    device.timerQueue.replaceValues(KIND_COMPLETE, () => waiting[taken++]);
  }
}

/** Frames come list by list, and most lists have none. */
class ListsWithFrames {
  readonly lists: [number, Int32Array[]][] = [];

  add(list: number, frame: Int32Array): void {
    const last = this.lists[this.lists.length - 1];
    if (last?.[0] === list) last[1].push(frame);
    else this.lists.push([list, [frame]]);
  }
}

/** Visits so many lists; those that are not saved have no frames. */
function forEachList(
  saved: SavedLists,
  count: number,
  visit: (list: number, frames: readonly Int32Array[]) => void,
): void {
  let next = 0;
  for (let list = 0; list < count; list++) {
    visit(list, saved[next]?.[0] === list ? saved[next++][1] : NO_FRAMES);
  }
}

const NO_FRAMES: readonly Int32Array[] = [];

/** Frames of a switch that wait for their last bit, because they could not cut through. */
export function framesNotWhole(device: Device): number[] {
  const frames: number[] = [];
  if (device.spec.kind !== 'switch') return frames;
  device.timerQueue.forEach((_, key, value) => {
    if (keyKind(key) === KIND_COMPLETE) frames.push(value);
  });
  return frames;
}

export function behaviourOf(engine: Engine, d: number): object {
  const isHost = engine.devices[d].spec.kind === 'host';
  return isHost ? engine.hosting.parts(d) : engine.switching.parts(d);
}

export function discoveryOf({ discovery }: Engine, { firstPort, spec }: Device): object {
  return discovery.ports.slice(firstPort, firstPort + spec.ports.length);
}

function unreadOf({ shared }: Engine, d: number): number[] {
  const frames: number[] = [];
  shared.nicFrames.unread.forEach(d, (frame) => frames.push(frame));
  return frames;
}

/**
 * Slots of the octets that a device stores: of control frames in flight to it, and of frames. The
 * order is that of the timer queue for entries that are due together.
 */
function slotsOf({ shared, controlPayloads }: Engine, device: Device): number[] {
  const slots: number[] = [];
  const add = (slot: number): void => {
    if (slot >= 0) slots.push(slot);
  };
  const addCarried = (frame: FrameRef): void => {
    add(shared.pool.carried(frame));
  };
  device.timerQueue.forEach((_, key, value) => {
    if (keyKind(key) === KIND_CONTROL) add(value);
  });
  device.spec.ports.forEach((_, p) => {
    add(controlPayloads.waiting(device.firstPort + p));
  });
  forEachQueued(shared, device, addCarried);
  forEachReplayed(shared, device, addCarried);
  framesNotWhole(device).forEach(addCarried);
  device.late.forEach(addCarried);
  return slots.sort((a, b) => a - b);
}

/** Releases all frames and octets that the device has. */
function releaseAll(engine: Engine, device: Device): void {
  const { pool, inFlightQueues, octets } = engine.shared;
  for (const slot of slotsOf(engine, device)) octets.giveBack(slot);
  const frames = [...framesNotWhole(device), ...device.late];
  device.spec.ports.forEach((_, p) => {
    inFlightQueues.forEach(device.firstPort + p, (frame) => frames.push(frame));
  });
  forEachQueued(engine.shared, device, (frame) => frames.push(frame));
  for (const frame of frames) pool.release(frame);
}
