import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { LOWEST_CLASS, SOURCE } from '../../flow-control/mvtx2802/mvtx2802-machine.js';
import type { Mvtx2802 } from '../../flow-control/mvtx2802/mvtx2802-mechanism.js';
import { MULTICAST, UNICAST } from '../../flow-control/mvtx2802/mvtx2802-stops.js';
import { QUEUE_FRAMES } from '../../port/queues.js';

/** The queue that frames of a priority from an ingress wait in; ports as the device counts them. */
export function queueClass(
  { shared }: Engine,
  { place, firstPort }: Device,
  ingress: number,
  egress: number,
  priority: number,
): number {
  const trafficClass = shared.ports.classOf(firstPort + egress, priority);
  const own = shared.chips[place];
  if (own === undefined) return trafficClass;
  return own.chip.queueOf(ingress, own.chip.classOf(ingress, trafficClass));
}

/** A source stays paused, whatever else may leave, while an egress of `held` sends nothing. */
export function sourceIsJammed(
  engine: Engine,
  { firstPort }: Device,
  chip: Mvtx2802,
  source: number,
  egress: number,
  held: readonly number[],
): boolean {
  const { memory, stops, spec } = chip;
  const reasons = stops.reasons[source];
  const waiting = slotsAt(engine, firstPort + egress);
  const isOwn = (slot: number): boolean =>
    memory.region[slot] === SOURCE && memory.source[slot] === source;
  if ((reasons & UNICAST) !== 0 && waiting.some(isOwn)) return true;
  if ((reasons & MULTICAST) === 0) return false;
  switch (spec.multicast.kind) {
    case 'off':
      return false;
    case 'managed': {
      const frames = engine.shared.queues.get(firstPort + egress, LOWEST_CLASS, QUEUE_FRAMES);
      const isMarked = (stops.portMap[source] & (1 << egress)) !== 0;
      return isMarked && frames >= spec.multicast.lowFrames;
    }
    case 'unmanaged': {
      const isCounted = (slot: number): boolean => memory.isMulticast[slot] !== 0;
      const stuck = new Set(held.flatMap((port) => slotsAt(engine, firstPort + port)));
      const count = [...stuck].filter(isCounted).length;
      return waiting.some(isCounted) && count >= spec.multicast.mcc;
    }
  }
}

/** Slots of the frames that wait at a port, which is numbered through the service. */
function slotsAt({ shared }: Engine, port: number): number[] {
  const slots: number[] = [];
  shared.queues.forEach(port, (frame) => slots.push(shared.pool.slot(frame)));
  return slots;
}
