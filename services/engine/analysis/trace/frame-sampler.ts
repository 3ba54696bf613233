import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  HASH,
  KIND_MASK,
  PRIORITY_MASK,
  SEQUENCE,
  SOURCE,
  TARGET,
} from '../../frame/frame-pool.js';
import { sampleOf, makeDraw, type Draw } from '../../frame/draw.js';

/** Frames of a flow, by their fields. */
export interface FlowMark {
  readonly hash: number;
  readonly target: number;
  readonly connection: number;
}

/** Which frames are traced; plain data. A frame must match all three criteria, or be named. */
export interface SamplingSpec {
  /** 0 to 1. */
  readonly share: number;
  /** One bit each. */
  readonly priorities: number;
  /** Null: of any flow. */
  readonly flows: readonly FlowMark[] | null;
  /** Frames by name, whatever the criteria: see `nameOf`. */
  readonly named: readonly string[];
  /** How many of the slowest frames every receiver records. */
  readonly slowest: number;
  /** Record frames that are dropped. */
  readonly dropped: boolean;
}

/**
 * Samples by the fields of a frame when it is created, so that every run selects the same frames.
 */
export class FrameSampler {
  private readonly draw: Draw;
  private readonly hasNames: boolean;
  private readonly named: ReadonlySet<string>;
  /** Hashes of the named ones, for a quick test. */
  private readonly namedSamples: ReadonlySet<number>;

  constructor(
    private readonly spec: SamplingSpec,
    private readonly pool: FramePool,
  ) {
    this.draw = makeDraw(pool);
    this.draw.setShare(spec.share);
    this.hasNames = spec.named.length > 0;
    this.named = new Set(spec.named);
    this.namedSamples = new Set(spec.named.map((name) => Number(name.slice(0, name.indexOf(' ')))));
  }

  /** The share of frames; no frame outside it is selected. */
  get share(): number {
    return this.hasNames ? 1 : this.spec.share;
  }

  takes(frame: number): boolean {
    const { pool } = this;
    if (this.hasNames && this.isNamed(frame)) return true;
    if (!this.draw.draws(frame)) return false;
    const { priorities, flows } = this.spec;
    if ((priorities & (1 << (pool.words[frame + CLASS] & PRIORITY_MASK))) === 0) return false;
    return flows === null || flows.some((flow) => isOfFlow(flow, pool, frame));
  }

  private isNamed(frame: number): boolean {
    const { pool } = this;
    return (
      this.namedSamples.has(sampleOf(pool.words, frame)) && this.named.has(nameOf(pool, frame))
    );
  }
}

/** The name of a frame on its whole path; a packet that is retransmitted has the same name. */
export function nameOf(pool: FramePool, frame: number): string {
  const { words, ends } = pool;
  const kind = words[frame + CLASS] & KIND_MASK;
  const end = `${ends[frame + SOURCE]} ${words[frame + TARGET]} ${ends[frame + CONNECTION]}`;
  return `${sampleOf(words, frame)} ${end} ${kind} ${words[frame + SEQUENCE]}`;
}

/** Whether it is data of a flow. */
export function isOfFlow(flow: FlowMark, { words, ends }: FramePool, frame: number): boolean {
  return (
    words[frame + HASH] === flow.hash &&
    words[frame + TARGET] === flow.target &&
    ends[frame + CONNECTION] === flow.connection
  );
}
