import { KIND_CONTROL, KIND_SET } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { readU16 } from '../../wire/big-endian.js';
import { ETHERTYPE_AT, ETHERTYPE_MAC_CONTROL } from '../../wire/ethernet.js';
import { ORDERED_SET_OCTETS } from '../../wire/ordered-set.js';
import { keyId, keyKind } from '../../kernel/timer-queue.js';

/** In the id of a control frame: the port of the device. */
const PORT_MASK = 0xffff;

/** A control frame is in flight to a port, or waits at its link partner to be sent. */
export function isControlUnderway(engine: Engine, port: number): boolean {
  const { ports } = engine.shared;
  if (ports.controlDue(ports.peer(port))) return true;
  const { timerQueue, firstPort } = engine.devices[ports.owner(port)];
  let underway = false;
  timerQueue.forEach((_, key) => {
    if (keyKind(key) === KIND_SET && keyId(key) === port - firstPort) underway = true;
  });
  forEachControlUnderway(engine, port, () => {
    underway = true;
  });
  return underway;
}

/** MAC control frames and ordered sets in flight to a port: what ports count as control. */
export function controlUnderway(engine: Engine, port: number): number {
  const { timerQueue, firstPort } = engine.devices[engine.shared.ports.owner(port)];
  let count = 0;
  timerQueue.forEach((_, key) => {
    if (keyKind(key) === KIND_SET && keyId(key) === port - firstPort) count++;
  });
  forEachControlUnderway(engine, port, (octets) => {
    const isSet = octets.length === ORDERED_SET_OCTETS;
    if (isSet || readU16(octets, ETHERTYPE_AT) === ETHERTYPE_MAC_CONTROL) count++;
  });
  return count;
}

/** Octets of control frames, and of what data frames carry, in flight to a port. */
export function forEachControlUnderway(
  { shared, devices }: Engine,
  port: number,
  visit: (octets: Uint8Array) => void,
): void {
  const { octets } = shared;
  const { timerQueue, firstPort } = devices[shared.ports.owner(port)];
  timerQueue.forEach((_, key, slot) => {
    if (keyKind(key) !== KIND_CONTROL || (keyId(key) & PORT_MASK) !== port - firstPort) return;
    visit(octets.get(slot).subarray(0, octets.length(slot)));
  });
}
