import type { FramePool } from '../frame/frame-pool.js';
import { NEXT } from '../frame/frame-pool.js';
import type { Ports } from './ports.js';
import { LANE_HEAD, LANE_TAIL, PORT_WORDS } from './ports.js';

/**
 * Frames in flight towards each port. A link delivers in order, so a lane is a list and its head
 * the port's next arrival.
 */
export class Lanes {
  constructor(
    private readonly ports: Ports,
    private readonly pool: FramePool,
  ) {}

  /** True if the lane was empty, so that this frame is the port's next arrival. */
  push(port: number, frame: number): boolean {
    const rows = this.ports.words;
    const at = port * PORT_WORDS;
    const { words } = this.pool;
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

  shift(port: number): number {
    const rows = this.ports.words;
    const at = port * PORT_WORDS;
    const frame = rows[at + LANE_HEAD];
    const next = this.pool.words[frame + NEXT];
    rows[at + LANE_HEAD] = next;
    if (next < 0) rows[at + LANE_TAIL] = -1;
    return frame;
  }

  /** The next frame to arrive, -1 if none is in flight. */
  head(port: number): number {
    return this.ports.words[port * PORT_WORDS + LANE_HEAD];
  }

  forEach(port: number, visit: (frame: number) => void): void {
    for (let f = this.head(port); f >= 0; f = this.pool.words[f + NEXT]) visit(f);
  }

  /** Forgets the frames of a lane, which its owner has put elsewhere. */
  clear(port: number): void {
    this.ports.words[port * PORT_WORDS + LANE_HEAD] = -1;
    this.ports.words[port * PORT_WORDS + LANE_TAIL] = -1;
  }
}
