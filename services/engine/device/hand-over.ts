import { keyId, keyKind } from '../kernel/timer-queue.js';
import { ORDERED_SET_OCTETS, packOrderedSet, unpackOrderedSet } from '../wire/ordered-set.js';
import { KIND_CONTROL, KIND_SET } from './device.js';
import type { Engine } from './engine.js';
import type { FrameRef } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/**
 * A link partner in another service has a proxy device here: a device that is never run, whose
 * in-flight queues and timer queue hold what was sent to it. The data path does not distinguish it;
 * its contents are taken out between windows and put into the real device in the other service.
 */

const unpacked = new Uint8Array(ORDERED_SET_OCTETS);

/** Receives what was sent to a proxy device. */
export interface HandOverSink {
  /** `frame` is in the engine's pool and is released after the call. */
  frame(localPort: number, frame: FrameRef): void;
  /** A control frame takes effect at `atPs`; the octets are valid during the call only. */
  control(localPort: number, atPs: number, octets: Uint8Array): void;
}

/** Empties a proxy device, each port in the order of arrival. */
export function takeHandedOver(engine: Engine, proxyDevice: number, sink: HandOverSink): void {
  const { shared } = engine;
  if (shared.horizon[proxyDevice] === Infinity) return;
  const { arrivals, inFlightQueues, octets, pool } = shared;
  const { timerQueue, firstPort, spec } = engine.devices[proxyDevice];
  for (let local = 0; local < spec.ports.length; local++) {
    const port = firstPort + local;
    if (inFlightQueues.head(port) < 0) continue;
    for (let at = arrivals.at[port]; at !== Infinity;) {
      const frame = inFlightQueues.shift(port);
      const next = inFlightQueues.timeBehind(port, frame);
      assert(next > at, 'hand-over.in-order');
      pool.setArrival(frame, at);
      sink.frame(local, frame);
      pool.release(frame);
      at = next;
    }
    arrivals.set(proxyDevice, port, Infinity);
  }
  timerQueue.begin(Infinity);
  while (timerQueue.length > 0) {
    // Timers that a proxy device armed when it was built are not run here.
    const kind = keyKind(timerQueue.nextKey());
    if (kind === KIND_SET) {
      unpackOrderedSet(timerQueue.nextValue(), unpacked);
      sink.control(keyId(timerQueue.nextKey()), timerQueue.time, unpacked);
    } else if (kind === KIND_CONTROL) {
      const slot = timerQueue.nextValue();
      const view = octets.get(slot).subarray(0, octets.length(slot));
      sink.control(keyId(timerQueue.nextKey()), timerQueue.time, view);
      octets.giveBack(slot);
    }
    timerQueue.pop();
  }
  shared.horizon[proxyDevice] = Infinity;
}

/** Puts a frame in flight to a port of this service; its record has its arrival time. */
export function putFrame(engine: Engine, port: number, records: Int32Array, offset: number): void {
  const { arrivals, horizon, inFlightQueues, pool, ports } = engine.shared;
  const frame = pool.write(records, offset);
  if (!inFlightQueues.push(port, frame)) return;
  const device = ports.owner(port);
  const at = pool.arrival(frame);
  arrivals.set(device, port, at);
  if (at < horizon[device]) horizon[device] = at;
}

/** Puts a control frame on its way to a port of this service, where it takes effect at `atPs`. */
export function putControl(engine: Engine, port: number, atPs: number, octets: Uint8Array): void {
  const { horizon, octets: store, ports } = engine.shared;
  const owner = ports.owner(port);
  assert(octets.length > 0 && atPs < Infinity, 'hand-over.control-frame');
  const device = engine.devices[owner];
  const packed = octets.length === ORDERED_SET_OCTETS ? packOrderedSet(octets) : -1;
  const local = port - device.firstPort;
  if (packed >= 0) device.post(atPs, KIND_SET, local, packed);
  else device.schedule(atPs, KIND_CONTROL, local, store.put(octets, octets.length));
  if (atPs < horizon[owner]) horizon[owner] = atPs;
}
