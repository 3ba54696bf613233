import type { FramePool } from '../frame/frame-pool.js';
import { CLASS, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { TraceMask } from '../frame/trace-mask.js';
import { QUEUED, RECKONS } from '../frame/trace-mask.js';
import type { Clock } from '../kernel/clock.js';
import type { Ports } from './ports.js';
import type { Queues } from './queues.js';
import { QUEUE_FRAMES } from './queues.js';

// Doubles of a port and priority.

const UNTIL = 0;
const SUM = 1;
const WIDTH = 2;

/**
 * Frame-time of priorities that are held: frames that stand there, each times how long. It is
 * reckoned where they join a queue, since to tell a listener of each one costs much more. Not
 * state: the one who asks for it keeps it.
 */
export type FrameTimes = ReturnType<typeof makeFrameTimes>;

export function makeFrameTimes(
  pool: FramePool,
  ports: Ports,
  queues: Queues,
  traceMask: TraceMask,
  clock: Clock,
) {
  /** By port: priorities that are reckoned, one bit each. */
  const reckoned = new Uint8Array(ports.count);
  const doubles = new Float64Array(ports.count * 8 * WIDTH);
  const minded = traceMask.minded[QUEUED];

  /** From a time on; `sum`: what there is by then. */
  function start(port: number, priority: number, fromPs: number, sum: number): void {
    const row = (port << 3) | priority;
    reckoned[port] |= 1 << priority;
    minded[port] |= RECKONS;
    doubles[row * WIDTH + UNTIL] = fromPs;
    doubles[row * WIDTH + SUM] = sum;
  }

  function stop(port: number, priority: number): void {
    reckoned[port] &= ~(1 << priority);
    if (reckoned[port] === 0) minded[port] &= ~RECKONS;
  }

  /** A frame has joined a queue just now. */
  function joined(port: number, frame: number): void {
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    if ((reckoned[port] & (1 << priority)) !== 0) reckon(port, priority, clock.now, 1);
  }

  function reckon(port: number, priority: number, now: number, newcomers: number): void {
    const at = ((port << 3) | priority) * WIDTH;
    const frames = queues.get(port, ports.classOf(port, priority), QUEUE_FRAMES) - newcomers;
    doubles[at + SUM] += frames * (now - doubles[at + UNTIL]);
    doubles[at + UNTIL] = now;
  }

  /** Reckons up to now. */
  function upTo(port: number, priority: number, now: number): number {
    reckon(port, priority, now, 0);
    return sum(port, priority);
  }

  /** What there was when it was last reckoned. */
  function sum(port: number, priority: number): number {
    return doubles[((port << 3) | priority) * WIDTH + SUM];
  }

  /** When that was. */
  function until(port: number, priority: number): number {
    return doubles[((port << 3) | priority) * WIDTH + UNTIL];
  }

  /** Returns what puts back all that is reckoned now: for a recorder that reads a past state. */
  function keep(): () => void {
    const [bits, sums] = [reckoned.slice(), doubles.slice()];
    return () => {
      reckoned.set(bits);
      doubles.set(sums);
      bits.forEach((priorities, port) => {
        if (priorities === 0) minded[port] &= ~RECKONS;
        else minded[port] |= RECKONS;
      });
    };
  }

  return { start, stop, joined, upTo, sum, until, keep };
}
