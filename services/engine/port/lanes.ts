import type { FramePool } from '../frame/frame-pool.js';
import { NEXT } from '../frame/frame-pool.js';
import type { Ports } from './ports.js';
import { LANE_HEAD, LANE_TAIL, PORT_WORDS } from './ports.js';

/**
 * Frames in flight towards each port. A link delivers in order, so a lane is a list and its head
 * the port's next arrival.
 */
export type Lanes = ReturnType<typeof makeLanes>;

export function makeLanes(ports: Ports, pool: FramePool) {
  const rows = ports.words;
  const { words } = pool;

  /** True if the lane was empty, so that this frame is the port's next arrival. */
  function push(port: number, frame: number): boolean {
    const at = port * PORT_WORDS;
    words[frame + NEXT] = -1;
    const tail = rows[at + LANE_TAIL];
    rows[at + LANE_TAIL] = frame;
    if (tail < 0) {
      rows[at + LANE_HEAD] = frame;
      return true;
    }
    words[tail + NEXT] = frame;
    return false;
  }

  function shift(port: number): number {
    const at = port * PORT_WORDS;
    const frame = rows[at + LANE_HEAD];
    const next = words[frame + NEXT];
    rows[at + LANE_HEAD] = next;
    if (next < 0) rows[at + LANE_TAIL] = -1;
    return frame;
  }

  /** The next frame to arrive, -1 if none is in flight. */
  function head(port: number): number {
    return rows[port * PORT_WORDS + LANE_HEAD];
  }

  function forEach(port: number, visit: (frame: number) => void): void {
    for (let f = head(port); f >= 0; f = words[f + NEXT]) visit(f);
  }

  /** Forgets the frames of a lane, which its owner has put elsewhere. */
  function clear(port: number): void {
    rows[port * PORT_WORDS + LANE_HEAD] = -1;
    rows[port * PORT_WORDS + LANE_TAIL] = -1;
  }

  return { push, shift, head, forEach, clear };
}
