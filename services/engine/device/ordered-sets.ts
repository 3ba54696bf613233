import type { Mechanism } from '../contract/flow-control.js';
import type { LinkLayer } from '../contract/link-layer.js';
import type { FaultMechanism } from '../faults/fault-mechanism.js';
import { CUT, MEDDLED } from '../faults/fault-flags.js';
import { LATE } from '../frame/trace-mask.js';
import { isLlrSet, isLlrType } from '../wire/llr.js';
import {
  ORDERED_SET_OCTETS,
  packOrderedSet,
  typeOfPacked,
  unpackOrderedSet,
} from '../wire/ordered-set.js';
import type { Device } from './device.js';
import { DID_SEND_CONTROL, DID_TAKE_CONTROL, KIND_CONTROL, KIND_SET } from './device.js';
import type { Shared } from './shared.js';
import { assert } from '../kernel/assert.js';

/** Control ordered sets: eight octets between frames. */
export interface OrderedSets {
  /** Starts on the link now, which is free again when it has ended. */
  start(d: number, device: Device, port: number, octets: Uint8Array): void;
  /** The same of a packed one. */
  startPacked(d: number, device: Device, port: number, packed: number): void;
  /** A packed one has come in; -1, or the slot of its octets where faults are to see it. */
  arrived(device: Device, port: number, packed: number): number;
  /** One has come in. */
  take(device: Device, port: number, octets: Uint8Array): void;
}

export function makeOrderedSets(
  shared: Shared,
  devices: readonly Device[],
  mechanisms: readonly Mechanism[],
  faults: FaultMechanism,
  layer: LinkLayer | null,
): OrderedSets {
  const { clock, counters, digests, horizon, octets: store, ports, traceMask } = shared;
  const { flags } = faults;
  const handlers = mechanisms.filter((mechanism) => mechanism.receiveOrderedSet !== undefined);
  const scratch = new Uint8Array(ORDERED_SET_OCTETS);

  function start(d: number, device: Device, port: number, octets: Uint8Array): void {
    const packed = packOrderedSet(octets);
    if (packed >= 0) {
      startPacked(d, device, port, packed);
      return;
    }
    // Those of flow control keep their order with the frames, which pass the pipeline.
    const peer = ports.peer(port);
    const delayPs = isLlrSet(octets, ORDERED_SET_OCTETS) ? 0 : ports.pipelinePs(peer);
    const at = occupy(port) + delayPs;
    announceSent(device, port, octets);
    const slot = store.put(octets, ORDERED_SET_OCTETS);
    digests.mix(d, DID_SEND_CONTROL | (port - device.firstPort), store.hash(slot));
    deliver(peer, at, KIND_CONTROL, slot);
  }

  function startPacked(d: number, device: Device, port: number, packed: number): void {
    const peer = ports.peer(port);
    const at = occupy(port) + (isLlrType(typeOfPacked(packed)) ? 0 : ports.pipelinePs(peer));
    if (device.listeners.controlSent !== null) {
      unpackOrderedSet(packed, scratch);
      announceSent(device, port, scratch);
    }
    digests.mix(d, DID_SEND_CONTROL | (port - device.firstPort), packed);
    deliver(peer, at, KIND_SET, packed);
  }

  /** One starts on the link: when its last bit comes in. */
  function occupy(port: number): number {
    const octetPs = ports.octetPs(port);
    assert(ports.freeAt(port) <= clock.now, 'ordered-set.line-is-free');
    const linePs = ORDERED_SET_OCTETS * octetPs;
    const isLate = (traceMask.wantedOfSent(port) & LATE) !== 0;
    const late = isLate ? faults.slownessPs(port, ORDERED_SET_OCTETS, octetPs) : 0;
    const free = clock.now + linePs + late;
    ports.setFreeAt(port, free);
    counters.controlSent[port]++;
    const at = free + ports.latencyPs(port);
    return isLate ? faults.arrivalOf(port, at - linePs, free - clock.now) + linePs : at;
  }

  function announceSent(device: Device, port: number, octets: Uint8Array): void {
    const { listeners, place, firstPort } = device;
    const set = octets.subarray(0, ORDERED_SET_OCTETS);
    listeners.controlSent?.controlSent(place, port - firstPort, clock.now, set);
  }

  function deliver(peer: number, at: number, kind: number, value: number): void {
    assert(at > clock.now, 'ordered-set.arrives-later');
    const owner = ports.owner(peer);
    const device = devices[owner];
    device.post(at, kind, peer - device.firstPort, value);
    if (at < horizon[owner]) horizon[owner] = at;
  }

  function arrived(device: Device, port: number, packed: number): number {
    if ((flags[port] & (MEDDLED | CUT)) !== 0) {
      unpackOrderedSet(packed, scratch);
      return store.put(scratch, ORDERED_SET_OCTETS);
    }
    digests.mix(device.place, DID_TAKE_CONTROL | (port - device.firstPort), packed);
    if (device.listeners.controlReceived === null && layer?.answered(port, packed) === true) {
      counters.controlReceived[port]++;
      return -1;
    }
    unpackOrderedSet(packed, scratch);
    take(device, port, scratch);
    return -1;
  }

  function take({ listeners, place, firstPort }: Device, port: number, octets: Uint8Array): void {
    counters.controlReceived[port]++;
    listeners.controlReceived?.controlReceived(
      place,
      port - firstPort,
      clock.now,
      octets.subarray(0, ORDERED_SET_OCTETS),
    );
    if (!isTaken(port, octets)) counters.controlUnclaimed[port]++;
  }

  function isTaken(port: number, octets: Uint8Array): boolean {
    for (const handler of handlers) if (handler.receiveOrderedSet!(port, octets)) return true;
    return false;
  }

  return { start, startPacked, arrived, take };
}
