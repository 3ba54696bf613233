import type { Mechanism } from '../contract/flow-control.js';
import { ORDERED_SET_OCTETS } from '../wire/ordered-set.js';
import type { Device } from './device.js';
import type { Shared } from './shared.js';

/** Takes a control ordered set that has come in, whose octets are in a slot of the store. */
export type TakeOrderedSet = (device: Device, port: number, slot: number) => void;

export function makeOrderedSets(
  { clock, counters, octets: store }: Shared,
  mechanisms: readonly Mechanism[],
): TakeOrderedSet {
  const handlers = mechanisms.filter((mechanism) => mechanism.receiveOrderedSet !== undefined);

  function isTaken(port: number, octets: Uint8Array): boolean {
    for (const handler of handlers) if (handler.receiveOrderedSet!(port, octets)) return true;
    return false;
  }

  return ({ listeners, place, firstPort }, port, slot) => {
    const octets = store.get(slot);
    counters.controlReceived[port]++;
    listeners.controlReceived?.controlReceived(
      place,
      port - firstPort,
      clock.now,
      octets.subarray(0, ORDERED_SET_OCTETS),
    );
    if (!isTaken(port, octets)) counters.controlUnclaimed[port]++;
    store.giveBack(slot);
  };
}
