import type { FramePool } from '../frame/frame-pool.js';
import { NEXT } from '../frame/frame-pool.js';

/**
 * Frames in flight towards each port of a device. A link delivers in order, so a lane is a list
 * and its head the port's next arrival.
 */
export class Lanes {
  private readonly heads: Int32Array;
  private readonly tails: Int32Array;

  static readonly wiring = ['pool'];

  constructor(
    ports: number,
    private readonly pool: FramePool,
  ) {
    this.heads = new Int32Array(ports).fill(-1);
    this.tails = new Int32Array(ports).fill(-1);
  }

  /** True if the lane was empty, so that this frame is the port's next arrival. */
  push(port: number, frame: number): boolean {
    const { words } = this.pool;
    words[frame + NEXT] = -1;
    const tail = this.tails[port];
    this.tails[port] = frame;
    if (tail < 0) {
      this.heads[port] = frame;
      return true;
    }
    words[tail + NEXT] = frame;
    return false;
  }

  shift(port: number): number {
    const frame = this.heads[port];
    const next = this.pool.words[frame + NEXT];
    this.heads[port] = next;
    if (next < 0) this.tails[port] = -1;
    return frame;
  }

  /** The next frame to arrive, -1 if none is in flight. */
  head(port: number): number {
    return this.heads[port];
  }

  forEach(port: number, visit: (frame: number) => void): void {
    for (let f = this.heads[port]; f >= 0; f = this.pool.words[f + NEXT]) visit(f);
  }
}
