import { behaviourOf, discoveryOf } from '../device/checkpoint.js';
import type { Device } from '../device/device.js';
import { KIND_CONTROL, KIND_LATE, KIND_SET } from '../device/device.js';
import type { Engine } from '../device/engine.js';
import { forEachQueuedAt } from '../device/queued-frames.js';
import { listsOf } from '../device/nic/frames-of-nic.js';
import { KIND_COMPLETE } from '../device/switch/switching.js';
import type { Kind } from '../kernel/kinds.js';
import { PORT_DISCOVERY_KIND } from '../discovery/port-discovery.js';
import { SENDER_EXTRAS } from '../device/host/senders.js';
import { STANDING_FAULT_KIND } from '../faults/standing-fault.js';
import { DUE, SHAPE, UNKNOWN } from '../kernel/kinds.js';
import { keyKind, type TimerEntry } from '../kernel/timer-queue.js';
import type { Connections } from './connections.js';
import type { Frames } from './frames.js';
import { makeFrames } from './frames.js';
import { type Holder, showObject, type Visitor } from './objects.js';
import type { Run } from './runs.js';
import { lengthOf } from './runs.js';

/** A number that is in no table: what it is, and of which device. */
interface Label {
  readonly kind: Kind;
  readonly name: string;
  readonly connection: number;
  readonly device: number;
}

/**
 * The state of some devices when everything before a time is executed, number by number: those in
 * tables in the order of their runs, and then frames, timers and what else a checkpoint has.
 */
export interface Imprint {
  readonly nowPs: number;
  readonly devices: readonly Device[];
  readonly runs: readonly Run[];
  readonly tables: Float64Array;
  readonly others: readonly number[];
  readonly labels: readonly Label[];
}

/** `timers`: those of the device, as `timersOf` has them. */
export type Walk = (device: Device, to: Visitor, timers?: readonly TimerEntry[]) => void;

export function takeImprint(
  nowPs: number,
  devices: readonly Device[],
  runs: readonly Run[],
  walk: Walk,
): Imprint {
  const tables = new Float64Array(lengthOf(runs));
  for (const run of runs) copyRun(run, tables);
  const others: number[] = [];
  const labels: Label[] = [];
  for (const device of devices) {
    const { place } = device;
    walk(device, {
      cell: (holder, key, kind, name, connection) => {
        others.push(holder[key]);
        labels.push({ kind, name, connection, device: place });
      },
      shape: (value, name) => {
        others.push(value);
        labels.push({ kind: SHAPE, name, connection: -1, device: place });
      },
    });
  }
  return { nowPs, devices, runs, tables, others, labels };
}

/** A loop for each kind of array: one for all costs ten times as much. */
function copyRun({ values, from, step, count, at }: Run, to: Float64Array): void {
  if (values instanceof Int32Array) copyWords(values, from, step, count, at, to);
  else if (values instanceof Float64Array) copyDoubles(values, from, step, count, at, to);
  else copyOctets(values, from, step, count, at, to);
}

type Copied = readonly [from: number, step: number, count: number, at: number, to: Float64Array];

function copyWords(values: Int32Array, ...[from, step, count, at, to]: Copied): void {
  for (let i = 0, place = from; i < count; i++, place += step) to[at + i] = values[place];
}

function copyDoubles(values: Float64Array, ...[from, step, count, at, to]: Copied): void {
  for (let i = 0, place = from; i < count; i++, place += step) to[at + i] = values[place];
}

function copyOctets(values: Uint8Array, ...[from, step, count, at, to]: Copied): void {
  for (let i = 0, place = from; i < count; i++, place += step) to[at + i] = values[place];
}

/** Shows what is in no table, in an order that depends on nothing but its shape. */
export function makeWalk(engine: Engine, connections: Connections): Walk {
  const { shared } = engine;
  const frames = makeFrames(engine, connections);
  return (device, to, timers = timersOf(device)) => {
    const { place, firstPort, spec } = device;
    const { first, count } = device.rows.send;
    showFrames(engine, device, frames, to);
    showTimers(device, timers, frames, to);
    showObject(device.arbiters, undefined, 'arbiters', to);
    showObject(behaviourOf(engine, place), undefined, spec.kind, to);
    showObject(engine.senders.extras(first, count), SENDER_EXTRAS, 'senders', to);
    showObject(discoveryOf(engine, device), PORT_DISCOVERY_KIND, 'discovery', to);
    const faults = engine.faults.saveAt(firstPort, spec.ports.length) as object;
    showObject(faults, STANDING_FAULT_KIND, 'faults', to);
    spec.ports.forEach((_, p) => {
      frames.octets(engine.controlPayloads.waiting(firstPort + p), to);
      shared.replayBuffers.forEach(firstPort + p, () => {
        to.cell({ kept: NaN }, 'kept', UNKNOWN, 'replay buffer', -1);
      });
    });
  };
}

function showFrames({ shared }: Engine, device: Device, frames: Frames, to: Visitor): void {
  const { spec, firstPort, rows, place } = device;
  const { inFlightQueues, nicFrames } = shared;
  const show = (frame: number): void => {
    frames.show(frame, false, to);
  };
  spec.ports.forEach((_, p) => {
    let count = 0;
    inFlightQueues.forEach(firstPort + p, (frame) => {
      frames.show(frame, true, to);
      count++;
    });
    to.shape(count, 'frames in flight');
    forEachQueuedAt(shared, device, p, show);
  });
  nicFrames.unread.forEach(place, show);
  for (const list of listsOf(rows)) {
    let count = 0;
    nicFrames.lists.forEach(list, (frame) => {
      show(frame);
      count++;
    });
    to.shape(count, 'frames of an adapter');
  }
  device.late.forEach(() => {
    to.cell({ late: NaN }, 'late', UNKNOWN, 'delayed message', -1);
  });
}

/** In the order of their keys: those of one key by their times. */
export function timersOf({ timerQueue }: Device): TimerEntry[] {
  const entries: TimerEntry[] = [];
  timerQueue.forEach((time, key, value) => entries.push({ time, key, value }));
  return entries.sort((a, b) => a.key - b.key || a.time - b.time || a.value - b.value);
}

function showTimers(
  device: Device,
  entries: readonly TimerEntry[],
  frames: Frames,
  to: Visitor,
): void {
  to.shape(entries.length, 'timers');
  for (const entry of entries) {
    const kind = keyKind(entry.key);
    to.shape(entry.key, 'timer.key');
    to.cell(entry as unknown as Holder, 'time', DUE, 'timer.time', -1);
    if (kind === KIND_CONTROL || kind === KIND_LATE) frames.octets(entry.value, to);
    else if (kind === KIND_SET) to.cell({ set: NaN }, 'set', UNKNOWN, 'ordered set', -1);
    else if (device.spec.kind === 'switch' && kind === KIND_COMPLETE) {
      frames.show(entry.value, false, to);
    } else to.shape(entry.value, 'timer.value');
  }
}
