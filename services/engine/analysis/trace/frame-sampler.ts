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
import { diceOf, makeDraw, type Draw } from '../../frame/draw.js';

/** Frames of a flow, by what they carry. */
export interface FlowMark {
  readonly hash: number;
  readonly target: number;
  readonly connection: number;
}

/** Which frames are followed; plain data. A frame must pass all three, or be named. */
export interface SamplingSpec {
  /** 0 to 1. */
  readonly share: number;
  /** One bit each. */
  readonly priorities: number;
  /** Null: of any flow. */
  readonly flows: readonly FlowMark[] | null;
  /** Frames by name, whatever else is said: see `nameOf`. */
  readonly named: readonly string[];
  /** How many of the slowest frames every receiver notes. */
  readonly slowest: number;
  /** Note frames that are dropped. */
  readonly dropped: boolean;
}

/** Decides by what a frame carries when it is made, so that every run comes to the same. */
export class FrameSampler {
  private readonly draw: Draw;
  private readonly hasNames: boolean;
  private readonly named: ReadonlySet<string>;
  /** Of the named ones: what can be asked of a frame at once. */
  private readonly namedDice: ReadonlySet<number>;

  constructor(
    private readonly spec: SamplingSpec,
    private readonly pool: FramePool,
  ) {
    this.draw = makeDraw(pool);
    this.draw.setShare(spec.share);
    this.hasNames = spec.named.length > 0;
    this.named = new Set(spec.named);
    this.namedDice = new Set(spec.named.map((name) => Number(name.slice(0, name.indexOf(' ')))));
  }

  /** No frame that is not drawn of this share is taken. */
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
    return this.namedDice.has(diceOf(pool.words, frame)) && this.named.has(nameOf(pool, frame));
  }
}

/** A frame's name through its whole way; a packet that is sent again keeps it. */
export function nameOf(pool: FramePool, frame: number): string {
  const { words, ends } = pool;
  const kind = words[frame + CLASS] & KIND_MASK;
  const end = `${ends[frame + SOURCE]} ${words[frame + TARGET]} ${ends[frame + CONNECTION]}`;
  return `${diceOf(words, frame)} ${end} ${kind} ${words[frame + SEQUENCE]}`;
}

/** Whether it is data of a flow. */
export function isOfFlow(flow: FlowMark, { words, ends }: FramePool, frame: number): boolean {
  return (
    words[frame + HASH] === flow.hash &&
    words[frame + TARGET] === flow.target &&
    ends[frame + CONNECTION] === flow.connection
  );
}
