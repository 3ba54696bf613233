import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import type { SlottedSwitch } from '../../device/shared.js';
import { QUEUE_FRAMES } from '../../port/queues.js';
import { PRIORITIES } from '../../units/ethernet.js';

/** The class whose queue has the frames of flow-controlled ports. */
const LOWEST = 0;

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

/** Frames of a device may wait in queues of other priorities than theirs. */
export function movesFrames({ mechanisms }: Engine, { spec }: Device): boolean {
  return mechanisms.some((own) => own.holdsQueues === true && spec.slices[own.name] !== undefined);
}

/** The priority of a port that is held where one of its queues is, for frames of a priority. */
export function priorityOfQueue(
  { shared }: Engine,
  { place, firstPort }: Device,
  { port, trafficClass, priority }: QueueOfFrames,
): number {
  const { ports, chips } = shared;
  const number = firstPort + port;
  // Queues of such a chip are not told apart by priorities.
  if (chips[place] !== undefined) return priority;
  if (ports.classOf(number, priority) === trafficClass) return priority;
  for (let other = 0; other < PRIORITIES; other++) {
    if (ports.classOf(number, other) === trafficClass) return other;
  }
  return priority;
}

interface QueueOfFrames {
  readonly port: number;
  readonly trafficClass: number;
  readonly priority: number;
}

interface SlotWait {
  readonly source: number;
  readonly egress: number;
  /** Ports that send nothing. */
  readonly blocked: readonly number[];
}

/** A source stays paused, whatever else may leave, while an egress of `blocked` sends nothing. */
export function sourceIsJammed(
  engine: Engine,
  { chip, firstPort }: SlottedSwitch,
  { source, egress, blocked }: SlotWait,
): boolean {
  return chip.isJammed(source, egress, {
    waiting: slotsAt(engine, firstPort + egress),
    stuck: new Set(blocked.flatMap((port) => slotsAt(engine, firstPort + port))),
    frames: engine.shared.queues.get(firstPort + egress, LOWEST, QUEUE_FRAMES),
  });
}

/** Slots of the frames that wait at a port, which is numbered through the service. */
function slotsAt({ shared }: Engine, port: number): number[] {
  const slots: number[] = [];
  shared.queues.forEach(port, (frame) => slots.push(shared.pool.slot(frame)));
  return slots;
}
