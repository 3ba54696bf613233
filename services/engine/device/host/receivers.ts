import type { ReceiveSpec } from '../../contract/spec.js';
import {
  CLASS,
  CONNECTION,
  ECHO_FLAG,
  FramePool,
  HASH,
  isMarked,
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
import type { FrameRef } from '../../units/indices.js';
import { assert } from '../../kernel/assert.js';
import { assertFields } from '../../kernel/fields.js';

// Words of a connection record, in doubles.

/** Next packet expected in order (reliable). */
const EXPECTED = 0;
/** Packets since the last acknowledgement. */
const UNACKNOWLEDGED = 1;
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
export const LAST_AT = 9;
export const MESSAGES = 10;
/** Packets that were discarded: out of order, or duplicates. */
const DISCARDED = 11;
export const MARKED = 12;
/** From when on the sender may be notified again, and how often it was. */
const NOTIFY_AT = 13;
export const NOTIFIED = 14;
/** Whether the last packet in order was marked; of a connection that echoes marks. */
const ECHO = 15;
const STRIDE = 16;
assertFields(
  STRIDE,
  EXPECTED,
  UNACKNOWLEDGED,
  NAKKED,
  TOTAL,
  FRAMES,
  PAYLOAD,
  LATENCY_SUM,
  LATENCY_MAX,
  LATENCY_MIN,
  LAST_AT,
  MESSAGES,
  DISCARDED,
  MARKED,
  NOTIFY_AT,
  NOTIFIED,
  ECHO,
);

/** What the connection sends back after a packet. */
export const SAY_NOTHING = 0;
const SAY_ACK = 1;
const SAY_NAK = 2;
/** Added to it when the packet completed a message. */
export const MESSAGE_DONE = 4;
/** Added to it when the sender is to be notified of a mark. */
export const NOTIFY = 8;
/** Added to it when those before it, marked otherwise, are acknowledged apart. */
export const EARLIER = 16;

/** The receiving ends of flows. */
export type Receivers = ReturnType<typeof makeReceivers>;

export function makeReceivers(tables: Tables, clock: Clock) {
  const state = tables.float64('receive', STRIDE);
  const templates = new FramePool(tables.count('receive'));
  const template = new Int32Array(state.length / STRIDE);
  const specs: ReceiveSpec[] = [];

  function configure(c: number, spec: ReceiveSpec, position: number): void {
    specs[c] = spec;
    state[c * STRIDE + TOTAL] = spec.packetsPerMessage * spec.messages;
    state[c * STRIDE + LATENCY_MIN] = Infinity;
    template[c] = makeTemplate(spec, position);
  }

  /** Receives a packet; returns what to answer. */
  function take(c: number, pool: FramePool, frame: FrameRef): number {
    const marked = isMarked(pool.words[frame + CLASS]);
    const outcome = takePayload(c, pool, frame, marked);
    return marked ? outcome | takeMark(c) : outcome;
  }

  /** Notification point: notifies at once, but not again within the gap. */
  function takeMark(c: number): number {
    const s = c * STRIDE;
    const { notify } = specs[c];
    state[s + MARKED]++;
    if (notify === null || clock.now < state[s + NOTIFY_AT]) return 0;
    assert(notify.gapPs >= 0, 'receiver.gap-of-notifications');
    state[s + NOTIFY_AT] = clock.now + notify.gapPs;
    state[s + NOTIFIED]++;
    return NOTIFY;
  }

  function takePayload(c: number, pool: FramePool, frame: FrameRef, marked: boolean): number {
    const s = c * STRIDE;
    const spec = specs[c];
    if (!spec.reliable) {
      countRaw(s, pool, frame, spec);
      return state[s + FRAMES] === state[s + TOTAL] ? finishRaw(s, spec) : SAY_NOTHING;
    }
    const sequence = pool.words[frame + SEQUENCE];
    if (sequence !== state[s + EXPECTED]) return outOfOrder(s, sequence);
    assert(sequence < state[s + TOTAL], 'receiver.packet-of-flow');
    state[s + EXPECTED] = sequence + 1;
    state[s + NAKKED] = 0;
    count(s, spec, pool, frame);
    const earlier = spec.echoes ? turnEcho(s, marked) : SAY_NOTHING;
    const last = pool.ends[frame + REMAINING] === 0;
    if (!last && ++state[s + UNACKNOWLEDGED] < spec.ackEvery) return earlier;
    state[s + UNACKNOWLEDGED] = 0;
    if (!last) return SAY_ACK | earlier;
    state[s + MESSAGES]++;
    assert(state[s + MESSAGES] <= spec.messages, 'receiver.message-of-flow');
    return SAY_ACK | MESSAGE_DONE | earlier;
  }

  /** RFC 8257 3.2: what was received before a change of marks is acknowledged by itself. */
  function turnEcho(s: number, marked: boolean): number {
    const echo = marked ? 1 : 0;
    if (state[s + ECHO] === echo) return SAY_NOTHING;
    state[s + ECHO] = echo;
    if (state[s + UNACKNOWLEDGED] === 0) return SAY_NOTHING;
    state[s + UNACKNOWLEDGED] = 0;
    return EARLIER;
  }

  /** The ACK or NAK that `take` requested. */
  function answer(c: number, what: number, pool: FramePool): number {
    const frame = pool.copyFrom(templates, template[c]);
    const { words } = pool;
    if (what === SAY_NAK) words[frame + CLASS] = (words[frame + CLASS] & ~KIND_MASK) | KIND_NAK;
    words[frame + SEQUENCE] = state[c * STRIDE + EXPECTED];
    if (state[c * STRIDE + ECHO] !== 0) words[frame + CLASS] |= ECHO_FLAG;
    return frame;
  }

  /** The ACK of what came before the last packet, which was marked otherwise. */
  function earlierAnswer(c: number, pool: FramePool): number {
    const frame = pool.copyFrom(templates, template[c]);
    const { words } = pool;
    words[frame + SEQUENCE] = state[c * STRIDE + EXPECTED] - 1;
    if (state[c * STRIDE + ECHO] === 0) words[frame + CLASS] |= ECHO_FLAG;
    return frame;
  }

  function get(c: number, word: number): number {
    return state[c * STRIDE + word];
  }

  function outOfOrder(s: number, sequence: number): number {
    state[s + DISCARDED]++;
    if (sequence < state[s + EXPECTED]) return SAY_ACK;
    if (state[s + NAKKED] !== 0) return SAY_NOTHING;
    state[s + NAKKED] = 1;
    return SAY_NAK;
  }

  function count(s: number, spec: ReceiveSpec, pool: FramePool, frame: FrameRef): void {
    const last = pool.ends[frame + REMAINING] === 0;
    const { now } = clock;
    state[s + FRAMES]++;
    state[s + LAST_AT] = now;
    state[s + PAYLOAD] += last
      ? spec.lastPayloadOctets
      : pool.words[frame + LENGTH] - spec.overheadOctets;
  }

  function countRaw(s: number, pool: FramePool, frame: FrameRef, spec: ReceiveSpec): void {
    count(s, spec, pool, frame);
    const latency = clock.now - pool.born(frame);
    assert(latency > 0, 'receiver.latency');
    state[s + LATENCY_SUM] += latency;
    if (latency > state[s + LATENCY_MAX]) state[s + LATENCY_MAX] = latency;
    if (latency < state[s + LATENCY_MIN]) state[s + LATENCY_MIN] = latency;
  }

  function finishRaw(s: number, spec: ReceiveSpec): number {
    state[s + MESSAGES] = spec.messages;
    return MESSAGE_DONE;
  }

  function makeTemplate(spec: ReceiveSpec, position: number): number {
    const frame = templates.allocate();
    const { words, ends } = templates;
    words[frame + LENGTH] = spec.ackOctets;
    words[frame + CLASS] = spec.ackClass | KIND_ACK;
    words[frame + HASH] = spec.hash;
    ends[frame + SOURCE] = position;
    words[frame + TARGET] = spec.source;
    ends[frame + CONNECTION] = spec.sourceConnection;
    ends[frame + VLAN] = spec.ackVlan;
    return frame;
  }

  return { configure, take, answer, earlierAnswer, get };
}
