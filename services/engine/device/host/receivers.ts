import type { ReceiveSpec } from '../../contract/spec.js';
import {
  CLASS,
  CONNECTION,
  ECN_CE,
  ECN_MASK,
  FramePool,
  HASH,
  KIND_ACK,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../frame/frame-pool.js';
import type { Clock } from '../../kernel/clock.js';
import type { Tables } from '../../kernel/tables.js';

// Words of a connection record, in doubles.

/** Next packet expected in order (reliable). */
const EXPECTED = 0;
/** Packets since the last acknowledgement. */
const UNTOLD = 1;
/** A NAK was sent for EXPECTED and nothing in order has come since. */
const NAKKED = 2;
const TOTAL = 3;
export const FRAMES = 4;
/** Payload octets, each counted once. */
export const PAYLOAD = 5;
/** Sum over frames of (arrival - release), for the mean; raw flows only. */
export const LATENCY_SUM = 6;
export const LATENCY_MAX = 7;
export const LATENCY_MIN = 8;
export const FIRST_AT = 9;
export const LAST_AT = 10;
export const MESSAGES = 11;
/** Packets that came out of order and were thrown away, or twice. */
export const DISCARDED = 12;
export const MARKED = 13;
const STRIDE = 16;

/** What the connection wants sent back after a packet. */
export const SAY_NOTHING = 0;
export const SAY_ACK = 1;
export const SAY_NAK = 2;

/** The receiving ends of flows. */
export class Receivers {
  private readonly state: Float64Array;
  private readonly templates = new FramePool(0);
  private readonly template: Int32Array;
  private readonly specs: ReceiveSpec[] = [];
  /** Set by `take`: the packet completed a message. */
  messageDone = false;

  constructor(
    tables: Tables,
    private readonly clock: Clock,
  ) {
    this.state = tables.float64('receive', STRIDE);
    this.template = new Int32Array(this.state.length / STRIDE);
  }

  configure(c: number, spec: ReceiveSpec, position: number): void {
    this.specs[c] = spec;
    this.state[c * STRIDE + TOTAL] = spec.packetsPerMessage * spec.messages;
    this.state[c * STRIDE + LATENCY_MIN] = Infinity;
    this.template[c] = this.makeTemplate(spec, position);
  }

  /** Takes a packet in; says what to answer. */
  take(c: number, pool: FramePool, frame: number): number {
    this.messageDone = false;
    const s = c * STRIDE;
    const { state } = this;
    const spec = this.specs[c];
    if ((pool.words[frame + CLASS] & ECN_MASK) === ECN_CE) state[s + MARKED]++;
    if (!spec.reliable) {
      this.countRaw(s, spec, pool, frame);
      return SAY_NOTHING;
    }
    const sequence = pool.words[frame + SEQUENCE];
    if (sequence !== state[s + EXPECTED]) return this.outOfOrder(s, sequence);
    state[s + EXPECTED] = sequence + 1;
    state[s + NAKKED] = 0;
    this.count(s, spec, pool, frame);
    const last = pool.ends[frame + REMAINING] === 0;
    if (last) {
      state[s + MESSAGES]++;
      this.messageDone = true;
    }
    if (!last && ++state[s + UNTOLD] < spec.ackEvery) return SAY_NOTHING;
    state[s + UNTOLD] = 0;
    return SAY_ACK;
  }

  /** The ACK or NAK that `take` asked for. */
  answer(c: number, what: number, pool: FramePool): number {
    const frame = pool.copyFrom(this.templates, this.template[c]);
    const { words } = pool;
    if (what === SAY_NAK) words[frame + CLASS] = (words[frame + CLASS] & ~KIND_MASK) | KIND_NAK;
    words[frame + SEQUENCE] = this.state[c * STRIDE + EXPECTED];
    return frame;
  }

  get(c: number, word: number): number {
    return this.state[c * STRIDE + word];
  }

  private outOfOrder(s: number, sequence: number): number {
    const { state } = this;
    state[s + DISCARDED]++;
    if (sequence < state[s + EXPECTED]) return SAY_ACK;
    if (state[s + NAKKED] !== 0) return SAY_NOTHING;
    state[s + NAKKED] = 1;
    return SAY_NAK;
  }

  private count(s: number, spec: ReceiveSpec, pool: FramePool, frame: number): void {
    const { state } = this;
    const last = pool.ends[frame + REMAINING] === 0;
    const { now } = this.clock;
    if (state[s + FRAMES] === 0) state[s + FIRST_AT] = now;
    state[s + FRAMES]++;
    state[s + LAST_AT] = now;
    state[s + PAYLOAD] += last
      ? spec.lastPayloadOctets
      : pool.words[frame + LENGTH] - spec.overheadOctets;
  }

  private countRaw(s: number, spec: ReceiveSpec, pool: FramePool, frame: number): void {
    const { state } = this;
    this.count(s, spec, pool, frame);
    const latency = this.clock.now - pool.born(frame);
    state[s + LATENCY_SUM] += latency;
    if (latency > state[s + LATENCY_MAX]) state[s + LATENCY_MAX] = latency;
    if (latency < state[s + LATENCY_MIN]) state[s + LATENCY_MIN] = latency;
    if (state[s + FRAMES] === state[s + TOTAL]) {
      state[s + MESSAGES] = spec.messages;
      this.messageDone = true;
    }
  }

  private makeTemplate(spec: ReceiveSpec, position: number): number {
    const frame = this.templates.allocate();
    const { words, ends } = this.templates;
    words[frame + LENGTH] = spec.ackOctets;
    words[frame + CLASS] = spec.ackClass | KIND_ACK;
    words[frame + HASH] = spec.hash;
    ends[frame + SOURCE] = position;
    words[frame + TARGET] = spec.source;
    ends[frame + CONNECTION] = spec.sourceConnection;
    ends[frame + VLAN] = spec.ackVlan;
    return frame;
  }
}
