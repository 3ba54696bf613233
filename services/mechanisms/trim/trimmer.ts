import { firstBroken } from '../../engine/contract/broken.js';
import type {
  DevicePlace,
  FrameCutter,
  SwitchCarrier,
  SwitchRole,
} from '../../engine/contract/slice.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CARRIES_FLAG,
  CLASS,
  GROUP_FLAG,
  isCut,
  KIND_DATA,
  KIND_MASK,
  LENGTH,
  PRIORITY_MASK,
} from '../../engine/frame/frame-pool.js';
import type { FrameRef, PortRow, Priority } from '../../engine/units/indices.js';
import * as invariants from './invariants.js';
import { trimmedClass } from './machine.js';
import type { TrimSwitchSpec } from './spec.js';

/** Frames trimmed that were to leave by a port, and trimmed ones for which it had no room. */
export interface TrimCounts {
  readonly trimmed: Float64Array;
  readonly dropped: Float64Array;
}

const NONE = -1;

/** Trims frames of one switch. */
export class Trimmer implements SwitchRole, FrameCutter {
  readonly #spec: TrimSwitchSpec;
  readonly #firstPort: number;
  readonly #pool: FramePool;
  readonly #counts: TrimCounts;
  readonly #carrier: SwitchCarrier;

  constructor(
    spec: TrimSwitchSpec,
    { firstPort }: DevicePlace,
    { pool, counts, carrier }: { pool: FramePool; counts: TrimCounts; carrier: SwitchCarrier },
  ) {
    this.#spec = spec;
    this.#firstPort = firstPort;
    this.#pool = pool;
    this.#counts = counts;
    this.#carrier = carrier;
  }

  get cutter(): FrameCutter {
    return this;
  }

  longestQueue(priority: Priority): number {
    return this.#spec.priorities[priority]?.queueOctets ?? Infinity;
  }

  headersOf(out: PortRow, frame: FrameRef): FrameRef {
    const pool = this.#pool;
    const { words } = pool;
    const frameClass = words[frame + CLASS];
    const spec = this.#spec.priorities[frameClass & PRIORITY_MASK];
    // Raw frames have no receiver that reads headers, and those of groups many.
    const isWhole = (frameClass & (KIND_MASK | GROUP_FLAG | CARRIES_FLAG)) === KIND_DATA;
    if (spec === null || !isWhole) return NONE;
    if (words[frame + LENGTH] <= spec.octets || pool.flowId(frame) !== 0) return NONE;
    this.#counts.trimmed[out]++;
    if (this.isFull(out, spec.priority, spec.octets, spec.limitOctets)) {
      this.lost(out);
      return NONE;
    }
    const headers = pool.copyFrom(pool, frame);
    words[headers + LENGTH] = spec.octets;
    words[headers + CLASS] = trimmedClass(
      frameClass,
      spec,
      this.#spec.isLastHop[out - this.#firstPort],
    );
    return headers;
  }

  lost(out: PortRow): void {
    this.#counts.dropped[out]++;
  }

  broken(): string | null {
    const { words } = this.#pool;
    let broken: string | null = null;
    for (let port = 0; port < this.#spec.isLastHop.length; port++) {
      this.#carrier.forEachQueued(this.#firstPort + port, (frame) => {
        if (!isCut(words[frame + CLASS])) return;
        broken ??= firstBroken('trim', invariants, { octets: words[frame + LENGTH] });
      });
    }
    return broken;
  }

  private isFull(out: PortRow, priority: Priority, octets: number, limit: number): boolean {
    const queued = this.#carrier.queueOctets(out, this.#carrier.classOf(out, priority));
    return queued + octets > limit;
  }
}
