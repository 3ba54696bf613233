import type { SendSpec } from '../../contract/spec.js';
import {
  CLASS,
  CONNECTION,
  FramePool,
  HASH,
  LENGTH,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../frame/frame-pool.js';
import { RandomStream } from '../../kernel/random.js';
import type { Clock } from '../../kernel/clock.js';
import type { Tables } from '../../kernel/tables.js';
import type { ReleaseClock } from './release.js';
import { makeReleaseClock } from './release.js';

// Words of a connection record, in doubles.

/** Next packet to send, counted from 0 over all messages. */
const NEXT = 0;
/** Oldest packet not acknowledged. */
const UNACKED = 1;
/** Packets that may be sent so far. */
const RELEASED = 2;
const TOTAL = 3;
/** Release time of packet RELEASED; Infinity where messages, not packets, are released. */
const RELEASE_AT = 4;
/** Earliest start of the next packet at the flow's own rate. */
const PACE_AT = 5;
/** Silence until here means that something was lost. */
const DEADLINE = 6;
/** Packets of the current message from NEXT to its end. */
const LEFT = 7;
const WINDOW = 8;
const PER_MESSAGE = 9;
const LAST_OCTETS = 10;
const PACE_PS = 11;
/** Release time of what is sent now. */
const BORN = 12;
/** One past the highest packet ever sent. */
const HIGHEST = 13;
const TIMEOUT = 14;
const END = 15;
const STRIDE = 16;

const WIRE_OVERHEAD_OCTETS = 20;

/** Enough to say that a message does not end soon (an endless one never does). */
const MOST_REMAINING = 0x7fffffff;

export const READY = 0;
/** Nothing to send until an event (an ACK, a message) says otherwise. */
export const BLOCKED = 1;
/** Nothing to send until a time that is known. */
export const LATER = 2;

export interface SenderExtras {
  readonly clocks: (ReleaseClock | null)[];
  readonly messageBorn: (Float64Array | null)[];
}

/** The sending ends of flows: what may go next, and what must be sent again. */
export class Senders {
  private readonly state: Float64Array;
  /** A frame per connection with everything that does not change from packet to packet. */
  private readonly templates = new FramePool(0);
  private readonly template: Int32Array;
  private readonly specs: SendSpec[] = [];
  private readonly clocks: (ReleaseClock | null)[] = [];
  /** Release times of messages, for flows whose messages wait for others: by message. */
  private readonly messageBorn: (Float64Array | null)[] = [];
  /** By connection. */
  readonly retransmitted: Float64Array;
  readonly timeouts: Float64Array;
  readonly sentFrames: Float64Array;
  private readonly retry = new Float64Array(1);
  /** A retransmission timer is in the agenda. */
  readonly deadlineArmed: Uint8Array;

  constructor(
    tables: Tables,
    private readonly clock: Clock,
  ) {
    this.state = tables.float64('send', STRIDE);
    this.template = new Int32Array(this.state.length / STRIDE);
    this.retransmitted = tables.float64('send', 1);
    this.timeouts = tables.float64('send', 1);
    this.sentFrames = tables.float64('send', 1);
    this.deadlineArmed = tables.uint8('send', 1);
  }

  configure(c: number, spec: SendSpec, position: number, seed: number): void {
    this.specs[c] = spec;
    const random = new RandomStream(seed, `${spec.name}/release`);
    this.clocks[c] = makeReleaseClock(spec.release, spec.startPs, random);
    this.messageBorn[c] = spec.after.length > 0 ? new Float64Array(spec.messages) : null;
    this.template[c] = this.makeTemplate(spec, position);
    this.initialise(c, spec);
  }

  /** State of some connections that is not in the tables. */
  extras(first: number, count: number): SenderExtras {
    return {
      clocks: this.clocks.slice(first, first + count),
      messageBorn: this.messageBorn.slice(first, first + count),
    };
  }

  /** The flow's time has come: what is not held back by other messages is released. */
  start(c: number): void {
    const s = c * STRIDE;
    const spec = this.specs[c];
    const clock = this.clocks[c];
    if (clock !== null) this.state[s + RELEASE_AT] = clock.next();
    else if (spec.after.length === 0) this.state[s + RELEASED] = this.state[s + TOTAL];
  }

  /** Messages of a flow that waits for others: the first `messages` may go. True if that is new. */
  releaseMessages(c: number, messages: number): boolean {
    const s = c * STRIDE;
    const { state } = this;
    const per = state[s + PER_MESSAGE];
    const released = Math.min(messages * per, state[s + TOTAL]);
    const before = state[s + RELEASED];
    if (released <= before) return false;
    const born = this.messageBorn[c];
    if (born !== null) born.fill(this.clock.now, before / per, released / per);
    state[s + RELEASED] = released;
    return true;
  }

  /** Whether a connection may send now; LATER says to ask again at `retryAt`. */
  readiness(c: number): number {
    const s = c * STRIDE;
    const { state } = this;
    const { now } = this.clock;
    const next = state[s + NEXT];
    if (next >= state[s + UNACKED] + state[s + WINDOW]) return BLOCKED;
    if (next >= state[s + RELEASED]) {
      if (next >= state[s + TOTAL]) return BLOCKED;
      const at = state[s + RELEASE_AT];
      if (at >= state[s + END]) return BLOCKED;
      if (at > now) return this.later(at);
    } else if (now >= state[s + END] && next >= state[s + HIGHEST]) return BLOCKED;
    const pace = state[s + PACE_AT];
    return pace > now ? this.later(pace) : READY;
  }

  /** When to ask again, after an answer of LATER. */
  get retryAt(): number {
    return this.retry[0];
  }

  /** Makes the next packet of a connection that is READY. */
  build(c: number, pool: FramePool): number {
    const s = c * STRIDE;
    const { state } = this;
    const next = state[s + NEXT];
    if (next >= state[s + RELEASED]) this.releasePacket(c, s);
    const frame = pool.copyFrom(this.templates, this.template[c]);
    const { words, ends } = pool;
    const left = state[s + LEFT] - 1;
    words[frame + SEQUENCE] = next;
    if (left === 0) {
      words[frame + LENGTH] = state[s + LAST_OCTETS];
      state[s + LEFT] = state[s + PER_MESSAGE];
    } else {
      state[s + LEFT] = left;
      const spec = this.specs[c];
      if (spec.release.kind === 'trace') words[frame + LENGTH] = spec.release.frameOctets[next];
    }
    ends[frame + REMAINING] = Math.min(left, MOST_REMAINING);
    pool.setBorn(frame, this.bornOf(c, s, next));
    state[s + NEXT] = next + 1;
    if (next < state[s + HIGHEST]) this.retransmitted[c]++;
    else state[s + HIGHEST] = next + 1;
    this.sentFrames[c]++;
    const pace = state[s + PACE_PS];
    if (pace !== 0) {
      state[s + PACE_AT] =
        this.clock.now + Math.round((words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS) * pace);
    }
    return frame;
  }

  isReliable(c: number): boolean {
    return this.specs[c].reliable;
  }

  /** Everything before `expected` has arrived; after a NAK, what follows has not. */
  acknowledge(c: number, expected: number, goBack: boolean): boolean {
    const s = c * STRIDE;
    const { state } = this;
    let changed = false;
    if (expected > state[s + UNACKED]) {
      state[s + UNACKED] = expected;
      state[s + DEADLINE] = this.clock.now + state[s + TIMEOUT];
      changed = true;
      if (state[s + NEXT] < expected) this.rewind(s, expected);
    }
    if (goBack && expected === state[s + UNACKED] && state[s + NEXT] > expected) {
      this.rewind(s, expected);
      changed = true;
    }
    return changed;
  }

  /** Time of the retransmission timer if one is needed, Infinity if nothing is outstanding. */
  deadline(c: number): number {
    const s = c * STRIDE;
    return this.state[s + UNACKED] < this.state[s + NEXT] ? this.state[s + DEADLINE] : Infinity;
  }

  /** Starts the clock of a connection that has just sent its first outstanding packet. */
  extendDeadline(c: number): void {
    const s = c * STRIDE;
    this.state[s + DEADLINE] = this.clock.now + this.state[s + TIMEOUT];
  }

  /** Goes back to the oldest packet that was not acknowledged. */
  timeOut(c: number): void {
    const s = c * STRIDE;
    this.timeouts[c]++;
    this.rewind(s, this.state[s + UNACKED]);
    this.state[s + DEADLINE] = this.clock.now + this.state[s + TIMEOUT];
  }

  /** Packets not yet acknowledged (reliable) or sent. */
  remaining(c: number): number {
    const s = c * STRIDE;
    const done = this.specs[c].reliable ? this.state[s + UNACKED] : this.state[s + NEXT];
    return this.state[s + TOTAL] - done;
  }

  private later(time: number): number {
    this.retry[0] = time;
    return LATER;
  }

  private rewind(s: number, to: number): void {
    const { state } = this;
    state[s + NEXT] = to;
    const per = state[s + PER_MESSAGE];
    state[s + LEFT] = per === Infinity ? Infinity : per - (to % per);
  }

  private releasePacket(c: number, s: number): void {
    const { state } = this;
    state[s + RELEASED]++;
    state[s + BORN] = state[s + RELEASE_AT];
    state[s + RELEASE_AT] = this.clocks[c]?.next() ?? Infinity;
  }

  private bornOf(c: number, s: number, packet: number): number {
    const messages = this.messageBorn[c];
    if (messages !== null) return messages[Math.floor(packet / this.state[s + PER_MESSAGE])];
    if (this.specs[c].reliable) return this.specs[c].startPs;
    return this.clocks[c] === null ? this.clock.now : this.state[s + BORN];
  }

  private initialise(c: number, spec: SendSpec): void {
    const s = c * STRIDE;
    const { state } = this;
    state[s + TOTAL] = spec.packetsPerMessage * spec.messages;
    state[s + RELEASE_AT] = Infinity;
    state[s + LEFT] = spec.packetsPerMessage;
    state[s + WINDOW] = spec.windowPackets;
    state[s + PER_MESSAGE] = spec.packetsPerMessage;
    state[s + LAST_OCTETS] = spec.lastFrameOctets;
    state[s + PACE_PS] = spec.pacePsPerOctet;
    state[s + TIMEOUT] = spec.timeoutPs;
    state[s + END] = spec.endPs;
  }

  private makeTemplate(spec: SendSpec, position: number): number {
    const frame = this.templates.allocate();
    const { words, ends } = this.templates;
    words[frame + LENGTH] = spec.fullFrameOctets;
    words[frame + CLASS] = spec.frameClass;
    words[frame + HASH] = spec.hash;
    ends[frame + SOURCE] = position;
    words[frame + TARGET] = spec.target;
    ends[frame + CONNECTION] = spec.remote;
    ends[frame + VLAN] = spec.vlan;
    return frame;
  }
}
