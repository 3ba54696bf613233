import { keyId, keyKind } from '../kernel/agenda.js';
import { KIND_CONTROL } from './device.js';
import type { Engine } from './engine.js';

/**
 * A neighbour that lives in another service has a stand-in here: a device that is never run, whose
 * lanes and agenda hold what was handed to it. The data path does not know the difference; what
 * the stand-in was given is taken out between windows and put into the real device over there.
 */

/** Takes what was handed to a stand-in. */
export interface HandOverSink {
  /** `frame` lies in the engine's pool and is gone after the call. */
  frame(localPort: number, frame: number): void;
  /** A control frame takes effect at `atPs`; the octets are only lent. */
  control(localPort: number, atPs: number, octets: Uint8Array): void;
}

/** Empties a stand-in, each port in the order of arrival. */
export function takeHandedOver(engine: Engine, standIn: number, sink: HandOverSink): void {
  const { shared } = engine;
  if (shared.horizon[standIn] === Infinity) return;
  const { arrivals, lanes, octets, pool } = shared;
  const { agenda, firstPort, spec } = engine.devices[standIn];
  for (let local = 0; local < spec.ports.length; local++) {
    const port = firstPort + local;
    if (lanes.head(port) < 0) continue;
    for (let at = arrivals.at[port]; at !== Infinity;) {
      const frame = lanes.shift(port);
      const next = lanes.timeBehind(port, frame);
      pool.setArrival(frame, at);
      sink.frame(local, frame);
      pool.release(frame);
      at = next;
    }
    arrivals.set(standIn, port, Infinity);
  }
  while (agenda.length > 0) {
    // Timers that a stand-in armed when it was built are not ours to run.
    if (keyKind(agenda.nextKey()) === KIND_CONTROL) {
      const slot = agenda.nextValue();
      const view = octets.get(slot).subarray(0, octets.length(slot));
      sink.control(keyId(agenda.nextKey()), agenda.time, view);
      octets.giveBack(slot);
    }
    agenda.pop();
  }
  shared.horizon[standIn] = Infinity;
}

/** Puts a frame on its way to a port of this service; its records tell when it arrives. */
export function putFrame(engine: Engine, port: number, records: Int32Array, offset: number): void {
  const { arrivals, horizon, lanes, pool, ports } = engine.shared;
  const frame = pool.write(records, offset);
  if (!lanes.push(port, frame)) return;
  const device = ports.owner(port);
  const at = pool.arrival(frame);
  arrivals.set(device, port, at);
  if (at < horizon[device]) horizon[device] = at;
}

/** Puts a control frame on its way to a port of this service, where it takes effect at `atPs`. */
export function putControl(engine: Engine, port: number, atPs: number, octets: Uint8Array): void {
  const { horizon, octets: store, ports } = engine.shared;
  const owner = ports.owner(port);
  const device = engine.devices[owner];
  const slot = store.put(octets, octets.length);
  device.schedule(atPs, KIND_CONTROL, port - device.firstPort, slot);
  if (atPs < horizon[owner]) horizon[owner] = atPs;
}
