import type { TraceMask } from '../frame/trace-mask.js';
import { QUEUED, COUNTS_TIME } from '../frame/trace-mask.js';
import type { Clock } from '../kernel/clock.js';
import type { Ports } from './ports.js';
import type { Queues } from './queues.js';
import { QUEUE_FRAMES } from './queues.js';
import type { PortRow, Priority, TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';
import { assertFields } from '../kernel/fields.js';

// Doubles of a port and priority.

const UNTIL = 0;
const SUM = 1;
const WIDTH = 2;
assertFields(WIDTH, UNTIL, SUM);

/**
 * Frame-time of paused priorities: frames in the queue, each times how long. It is summed where
 * they join a queue, since a probe call for each one costs much more. Not state: the recorder that
 * requests it keeps it.
 */
export type FrameTimes = ReturnType<typeof makeFrameTimes>;

export function makeFrameTimes(ports: Ports, queues: Queues, traceMask: TraceMask, clock: Clock) {
  /** By port: priorities that are summed, one bit each. */
  const reckoned = new Uint8Array(ports.count);
  const doubles = new Float64Array(ports.count * 8 * WIDTH);
  const wanted = traceMask.wanted[QUEUED];

  /** From a time on; `sum`: the value by then. */
  function start(port: PortRow, priority: Priority, fromPs: number, sum: number): void {
    const row = (port << 3) | priority;
    reckoned[port] |= 1 << priority;
    wanted[port] |= COUNTS_TIME;
    doubles[row * WIDTH + UNTIL] = fromPs;
    doubles[row * WIDTH + SUM] = sum;
  }

  function stop(port: PortRow, priority: Priority): void {
    reckoned[port] &= ~(1 << priority);
    if (reckoned[port] === 0) wanted[port] &= ~COUNTS_TIME;
  }

  /** A frame has joined the queue of a class just now. */
  function joined(port: PortRow, trafficClass: TrafficClass): void {
    for (let rest = reckoned[port]; rest !== 0; rest &= rest - 1) {
      const priority = 31 - Math.clz32(rest & -rest);
      if (ports.classOf(port, priority) === trafficClass) reckon(port, priority, clock.now, 1);
    }
  }

  function reckon(port: PortRow, priority: Priority, now: number, newcomers: number): void {
    const at = ((port << 3) | priority) * WIDTH;
    const frames = queues.get(port, ports.classOf(port, priority), QUEUE_FRAMES) - newcomers;
    assert(now >= doubles[at + UNTIL], 'frame-times.forward');
    assert(frames >= 0, 'frame-times.frames-before');
    doubles[at + SUM] += frames * (now - doubles[at + UNTIL]);
    doubles[at + UNTIL] = now;
  }

  /** Sums up to now. */
  function upTo(port: PortRow, priority: Priority, now: number): number {
    reckon(port, priority, now, 0);
    return sum(port, priority);
  }

  /** The sum at its last update. */
  function sum(port: PortRow, priority: Priority): number {
    return doubles[((port << 3) | priority) * WIDTH + SUM];
  }

  /** Time of the last update. */
  function until(port: PortRow, priority: Priority): number {
    return doubles[((port << 3) | priority) * WIDTH + UNTIL];
  }

  /** Returns a function that restores the present sums: for a recorder that reads a past state. */
  function keep(): () => void {
    const [bits, sums] = [reckoned.slice(), doubles.slice()];
    return () => {
      reckoned.set(bits);
      doubles.set(sums);
      bits.forEach((priorities, port) => {
        if (priorities === 0) wanted[port] &= ~COUNTS_TIME;
        else wanted[port] |= COUNTS_TIME;
      });
    };
  }

  return { start, stop, joined, upTo, sum, until, keep };
}
