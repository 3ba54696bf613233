import type { Engine } from '../../engine/device/engine.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  GROUP_FLAG,
  KIND_DATA,
  KIND_MASK,
  KIND_RAW,
  SEQUENCE,
  TARGET,
} from '../../engine/frame/frame-pool.js';

/**
 * Frames of a raw flow are numbered and sent once, so a receiver gets ascending numbers. A reliable
 * flow may retransmit some, but leaves none out: as long as nothing was lost, a gap means
 * reordering. Where packets are sprayed over several paths, or flows are moved from a link that is
 * down to another, order is not guaranteed.
 */
export class OrderCheck {
  /** By receiving connection, numbered through the service: the highest number received. */
  private readonly last: Float64Array;

  /** `knowsLosses`: all frames that are dropped on their path are reported to it. */
  constructor(
    private readonly engine: Engine,
    private knowsLosses: boolean,
  ) {
    const receives = engine.devices.reduce((sum, { rows }) => sum + rows.receive.count, 0);
    this.last = new Float64Array(receives).fill(-1);
  }

  /** From now on reliable flows may have gaps. */
  lost(): void {
    this.knowsLosses = false;
  }

  /** True if a frame that arrives was overtaken by a later one of its flow. */
  isOvertaken(place: number, pool: FramePool, frame: number): boolean {
    const { spec, rows } = this.engine.devices[place]!;
    const frameClass = pool.words[frame + CLASS]!;
    if (spec.kind !== 'host' || !spec.inOrder || this.engine.failover.mayReorder) return false;
    const kind = frameClass & KIND_MASK;
    if (kind > KIND_DATA || (frameClass & GROUP_FLAG) !== 0) return false;
    if (pool.words[frame + TARGET] !== spec.position) return false;
    const at = rows.receive.first + pool.ends[frame + CONNECTION]!;
    const sequence = pool.words[frame + SEQUENCE]!;
    const highest = this.last[at]!;
    this.last[at] = Math.max(highest, sequence);
    if (kind === KIND_RAW) return sequence <= highest;
    // Frames before the first are unknown.
    return this.knowsLosses && highest >= 0 && sequence > highest + 1;
  }
}
