import type { Engine } from '../engine/device/engine.js';
import type { FramePool } from '../engine/frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  GROUP_FLAG,
  KIND_MASK,
  KIND_RAW,
  SEQUENCE,
  TARGET,
} from '../engine/frame/frame-pool.js';

/**
 * Frames of a raw flow are numbered and sent once, so a receiver sees ever higher numbers. (The
 * reliable transport sends again and notices disorder itself; where packets are sprayed over
 * several paths, order is not promised.)
 */
export class OrderCheck {
  /** By receiving connection, numbered through the service: the last number seen. */
  private readonly last: Float64Array;
  private readonly promised: boolean;

  constructor(private readonly engine: Engine) {
    const receives = engine.devices.reduce((sum, { rows }) => sum + rows.receive.count, 0);
    this.last = new Float64Array(receives).fill(-1);
    this.promised = !engine.devices.some(
      ({ spec }) => spec.kind === 'switch' && 'spray' in spec.forwarding && spec.forwarding.spray,
    );
  }

  /** True if a frame that comes in was overtaken by a later one of its flow. */
  isOvertaken(place: number, pool: FramePool, frame: number): boolean {
    const { spec, rows } = this.engine.devices[place]!;
    const frameClass = pool.words[frame + CLASS]!;
    if (!this.promised || spec.kind !== 'host') return false;
    if ((frameClass & KIND_MASK) !== KIND_RAW || (frameClass & GROUP_FLAG) !== 0) return false;
    if (pool.words[frame + TARGET] !== spec.position) return false;
    const at = rows.receive.first + pool.ends[frame + CONNECTION]!;
    const sequence = pool.words[frame + SEQUENCE]!;
    const overtaken = sequence <= this.last[at]!;
    this.last[at] = sequence;
    return overtaken;
  }
}
