import type { FramePool } from '../frame/frame-pool.js';
import { LENGTH, NEXT, STORED } from '../frame/frame-pool.js';
import type { Heads } from '../contract/arbiter.js';

/** Words of a queue record: one per port and traffic class. */
const HEAD = 0;
const TAIL = 1;
export const QUEUE_FRAMES = 2;
/** Memory octets. */
export const QUEUE_OCTETS = 3;
export const QUEUE_PEAK = 4;
const STRIDE = 8;

const WIRE_OVERHEAD_OCTETS = 20;

/** Egress queues of a device: a list of frames per port and traffic class. */
export class Queues implements Heads {
  private readonly records: Int32Array;
  /** By port: classes that have frames, one bit each. */
  readonly ready: Uint8Array;

  static readonly wiring = ['pool'];

  constructor(
    ports: number,
    private readonly pool: FramePool,
  ) {
    this.records = new Int32Array(ports * 8 * STRIDE).fill(0);
    this.ready = new Uint8Array(ports);
    for (let q = 0; q < ports * 8; q++) this.records[q * STRIDE + HEAD] = -1;
  }

  push(port: number, trafficClass: number, frame: number): void {
    const { words } = this.pool;
    const { records } = this;
    const q = ((port << 3) | trafficClass) * STRIDE;
    words[frame + NEXT] = -1;
    if (records[q + HEAD] < 0) {
      records[q + HEAD] = frame;
      this.ready[port] |= 1 << trafficClass;
    } else words[records[q + TAIL] + NEXT] = frame;
    records[q + TAIL] = frame;
    records[q + QUEUE_FRAMES]++;
    const octets = (records[q + QUEUE_OCTETS] += words[frame + STORED]);
    if (octets > records[q + QUEUE_PEAK]) records[q + QUEUE_PEAK] = octets;
  }

  /** Takes the first frame of a class that has one. */
  shift(port: number, trafficClass: number): number {
    const { words } = this.pool;
    const { records } = this;
    const q = ((port << 3) | trafficClass) * STRIDE;
    const frame = records[q + HEAD];
    const next = words[frame + NEXT];
    records[q + HEAD] = next;
    if (next < 0) this.ready[port] &= ~(1 << trafficClass);
    records[q + QUEUE_FRAMES]--;
    records[q + QUEUE_OCTETS] -= words[frame + STORED];
    return frame;
  }

  /** First frame of a class, -1 if none. */
  head(port: number, trafficClass: number): number {
    return this.records[((port << 3) | trafficClass) * STRIDE + HEAD];
  }

  headWireOctets(port: number, trafficClass: number): number {
    return this.pool.words[this.head(port, trafficClass) + LENGTH] + WIRE_OVERHEAD_OCTETS;
  }

  get(port: number, trafficClass: number, word: number): number {
    return this.records[((port << 3) | trafficClass) * STRIDE + word];
  }

  forEach(port: number, visit: (frame: number, trafficClass: number) => void): void {
    for (let tc = 0; tc < 8; tc++) {
      for (let f = this.head(port, tc); f >= 0; f = this.pool.words[f + NEXT]) visit(f, tc);
    }
  }
}
