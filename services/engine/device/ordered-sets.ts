import type { Mechanism } from '../contract/flow-control.js';
import type { FaultMechanism } from '../faults/fault-mechanism.js';
import { CUT, MEDDLED } from '../faults/fault-mechanism.js';
import { LATE } from '../frame/trace-mask.js';
import { isLlrSet } from '../wire/llr.js';
import { ORDERED_SET_OCTETS, packOrderedSet, unpackOrderedSet } from '../wire/ordered-set.js';
import type { Device } from './device.js';
import { DID_SEND_CONTROL, DID_TAKE_CONTROL, KIND_CONTROL, KIND_SET } from './device.js';
import type { Shared } from './shared.js';

/** Control ordered sets: eight octets between frames. */
export interface OrderedSets {
  /** Starts on the link now, which is free again when it has ended. */
  start(d: number, device: Device, port: number, octets: Uint8Array): void;
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
): OrderedSets {
  const { clock, counters, digests, horizon, octets: store, ports, traceMask } = shared;
  const { flags } = faults;
  const handlers = mechanisms.filter((mechanism) => mechanism.receiveOrderedSet !== undefined);
  const scratch = new Uint8Array(ORDERED_SET_OCTETS);

  function start(d: number, device: Device, port: number, octets: Uint8Array): void {
    const { now } = clock;
    const peer = ports.peer(port);
    const octetPs = ports.octetPs(port);
    const linePs = ORDERED_SET_OCTETS * octetPs;
    const isLate = (traceMask.wantedOfSent(port) & LATE) !== 0;
    const late = isLate ? faults.slownessPs(port, ORDERED_SET_OCTETS, octetPs) : 0;
    const free = now + linePs + late;
    ports.setFreeAt(port, free);
    counters.controlSent[port]++;
    const local = port - device.firstPort;
    const { listeners } = device;
    listeners.controlSent?.controlSent(d, local, now, octets.subarray(0, ORDERED_SET_OCTETS));
    const at = free + ports.latencyPs(port);
    const end = isLate ? faults.arrivalOf(port, at - linePs, free - now) + linePs : at;
    // Those of flow control keep their order with the frames, which pass the pipeline.
    const delayPs = isLlrSet(octets, ORDERED_SET_OCTETS) ? 0 : ports.pipelinePs(peer);
    deliver(d, local, peer, octets, end + delayPs);
  }

  function deliver(d: number, local: number, peer: number, octets: Uint8Array, at: number): void {
    const owner = ports.owner(peer);
    const device = devices[owner];
    const packed = packOrderedSet(octets);
    const slot = packed < 0 ? store.put(octets, ORDERED_SET_OCTETS) : -1;
    digests.mix(d, DID_SEND_CONTROL | local, slot < 0 ? packed : store.hash(slot));
    if (slot < 0) device.schedule(at, KIND_SET, peer - device.firstPort, packed);
    else device.schedule(at, KIND_CONTROL, peer - device.firstPort, slot);
    if (at < horizon[owner]) horizon[owner] = at;
  }

  function arrived(device: Device, port: number, packed: number): number {
    unpackOrderedSet(packed, scratch);
    if ((flags[port] & (MEDDLED | CUT)) !== 0) return store.put(scratch, ORDERED_SET_OCTETS);
    digests.mix(device.place, DID_TAKE_CONTROL | (port - device.firstPort), packed);
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

  return { start, arrived, take };
}
