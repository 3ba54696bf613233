import type { TraceMask } from '../frame/trace-mask.js';
import { QUEUED, WATCHED } from '../frame/trace-mask.js';
import type { Ports } from './ports.js';
import type { Queues } from './queues.js';
import { QUEUE_OCTETS } from './queues.js';
import type { PortRow, TrafficClass } from '../units/indices.js';

/** No queue is so long. */
const NEVER = 0x7fffffff;

/**
 * Queues that are reported while they are long. Their length is compared where frames join them,
 * since a probe call for each frame costs much more. Not state: the recorder that requests it
 * keeps what it requested.
 */
export type QueueWatch = ReturnType<typeof makeQueueWatch>;

export function makeQueueWatch(ports: Ports, queues: Queues, traceMask: TraceMask) {
  /** By port and class: octets from which on a queue is reported, and frames to pass over. */
  const limits = new Int32Array(ports.count * 8).fill(NEVER);
  const skips = new Int32Array(ports.count * 8);
  const wanted = traceMask.wanted[QUEUED];

  /** A queue is reported when a frame joins it and it has at least so many octets then. */
  function from(port: PortRow, trafficClass: TrafficClass, octets: number): void {
    limits[(port << 3) | trafficClass] = octets;
    wanted[port] |= WATCHED;
  }

  /** The next report of a long queue passes over so many frames. */
  function skip(port: PortRow, trafficClass: TrafficClass, frames: number): void {
    skips[(port << 3) | trafficClass] = frames;
  }

  /** So many frames it still passes over. */
  function left(port: PortRow, trafficClass: TrafficClass): number {
    return skips[(port << 3) | trafficClass];
  }

  function isLong(port: PortRow, trafficClass: TrafficClass): boolean {
    return queues.get(port, trafficClass, QUEUE_OCTETS) >= limits[(port << 3) | trafficClass];
  }

  /** A frame has joined a queue: whether that is reported. */
  function joined(port: PortRow, trafficClass: TrafficClass): boolean {
    return isLong(port, trafficClass) && --skips[(port << 3) | trafficClass] < 0;
  }

  /** It changes whenever a frame joins a long queue that is not reported. */
  function passedOver(): number {
    return skips.reduce((sum, frames) => sum + frames, 0);
  }

  return { from, skip, left, isLong, joined, passedOver };
}
