import type { FramePool } from '../frame/frame-pool.js';
import { ARRIVAL, CLASS, NEXT } from '../frame/frame-pool.js';
import { assert } from '../kernel/assert.js';
import { WIRE_OCTETS_MIN } from '../units/ethernet.js';
import { wordCell } from '../kernel/cells.js';
import type { Slots } from '../kernel/slots.js';
import type { Ports } from './ports.js';
import { IN_FLIGHT_QUEUE_HEAD, IN_FLIGHT_QUEUE_TAIL, OCTET_PS, PORT_WORDS } from './ports.js';
import type { FrameRef, PortRow } from '../units/indices.js';

/**
 * Frames in flight towards each port. A link delivers in order, so an in-flight queue is a list and
 * its head the port's next arrival. The arrival time of a frame is in the record of the one before
 * it, so that reading it does not wait for its own record to come from memory; the time of the
 * first is in `arrivals`, and the last one's record has its own.
 */
export type InFlightQueues = ReturnType<typeof makeInFlightQueues>;

export function makeInFlightQueues(ports: Ports, pool: FramePool, arrivals: Slots) {
  const rows = ports.words;
  const { words, times } = pool;
  /** Keeps the compiler from removing reads that only prefetch. */
  const fetched = wordCell();

  /**
   * The frame's record has its arrival time. True if the in-flight queue was empty, so that this is
   * the port's next arrival.
   */
  function push(port: PortRow, frame: FrameRef): boolean {
    const at = port * PORT_WORDS;
    words[frame + NEXT] = -1;
    const tail = rows[at + IN_FLIGHT_QUEUE_TAIL];
    rows[at + IN_FLIGHT_QUEUE_TAIL] = frame;
    if (tail < 0) {
      rows[at + IN_FLIGHT_QUEUE_HEAD] = frame;
      return true;
    }
    const arrivalPs = times[(frame >> 1) + ARRIVAL];
    const gapPs = arrivalPs - times[(tail >> 1) + ARRIVAL];
    assert(gapPs >= WIRE_OCTETS_MIN * rows[at + OCTET_PS], 'link.occupied');
    words[tail + NEXT] = frame;
    times[(tail >> 1) + ARRIVAL] = arrivalPs;
    return false;
  }

  /** Removes the first frame; its record has the arrival time of the next one, if there is any. */
  function shift(port: PortRow): number {
    const at = port * PORT_WORDS;
    const frame = rows[at + IN_FLIGHT_QUEUE_HEAD];
    assert(frame >= 0, 'link.empty');
    const next = words[frame + NEXT];
    rows[at + IN_FLIGHT_QUEUE_HEAD] = next;
    if (next < 0) rows[at + IN_FLIGHT_QUEUE_TAIL] = -1;
    return frame;
  }

  /** The next frame to arrive, -1 if none is in flight. */
  function head(port: PortRow): number {
    return rows[port * PORT_WORDS + IN_FLIGHT_QUEUE_HEAD];
  }

  /** Arrival time of the frame behind the one just removed: its record is prefetched meanwhile. */
  function timeBehind(port: PortRow, taken: number): number {
    const next = head(port);
    if (next < 0) return Infinity;
    fetched[0] = words[next + CLASS];
    return times[(taken >> 1) + ARRIVAL];
  }

  function forEach(port: PortRow, visit: (frame: FrameRef, arrivalPs: number) => void): void {
    let arrivalPs = arrivals.at[port];
    for (let f = head(port); f >= 0; f = words[f + NEXT]) {
      visit(f, arrivalPs);
      arrivalPs = times[(f >> 1) + ARRIVAL];
    }
  }

  /** Clears an in-flight queue, whose frames the caller has saved. */
  function clear(port: PortRow): void {
    rows[port * PORT_WORDS + IN_FLIGHT_QUEUE_HEAD] = -1;
    rows[port * PORT_WORDS + IN_FLIGHT_QUEUE_TAIL] = -1;
  }

  return { push, shift, head, timeBehind, forEach, clear };
}
