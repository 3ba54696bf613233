import type { ReceiveSpec, TransportSpec } from '../../contract/spec.js';
import type {
  NicOfEnd,
  Reordering,
  Transport,
  TrackedRows,
  TransportReceiver,
} from '../../contract/transport.js';
import { MESSAGE_DONE, NOTIFY, PLACED, SAY_NOTHING } from '../../contract/transport.js';
import {
  CLASS,
  CONNECTION,
  FramePool,
  HASH,
  isCut,
  isMarked,
  KIND_ACK,
  LENGTH,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../frame/frame-pool.js';
import type { Clock } from '../../kernel/clock.js';
import { COUNTER, DUE, limit, PEAK, SHAPE, STAMP } from '../../kernel/kinds.js';
import type { Tables } from '../../kernel/tables.js';
import type { FrameRef } from '../../units/indices.js';
import { assert } from '../../kernel/assert.js';
import { fields } from '../../kernel/fields.js';

// Words of a connection record, in doubles.

const TOTAL = 0;
export const FRAMES = 1;
/** Payload octets, each counted once. */
export const PAYLOAD = 2;
/** Sum over frames of (arrival - release), for the mean; raw flows only. */
export const LATENCY_SUM = 3;
export const LATENCY_MAX = 4;
export const LATENCY_MIN = 5;
export const LAST_AT = 6;
export const MESSAGES = 7;
/** Packets that were discarded: out of order, or duplicates. */
const DISCARDED = 8;
export const MARKED = 9;
/** From when on the sender may be notified again, and how often it was. */
const NOTIFY_AT = 10;
export const NOTIFIED = 11;
/** Packets whose payload was cut off on their way. */
export const CUT = 12;
const STRIDE = 13;
const RECEIVER = fields(STRIDE, {
  // A flow that nobody acknowledges is done when its last frame has come.
  total: [TOTAL, limit('frames')],
  frames: [FRAMES, COUNTER],
  payload: [PAYLOAD, COUNTER],
  latencySum: [LATENCY_SUM, COUNTER],
  latencyMost: [LATENCY_MAX, PEAK],
  latencyLeast: [LATENCY_MIN, PEAK],
  lastAt: [LAST_AT, STAMP],
  messages: [MESSAGES, SHAPE],
  discarded: [DISCARDED, COUNTER],
  marked: [MARKED, COUNTER],
  notifyAt: [NOTIFY_AT, DUE],
  notified: [NOTIFIED, COUNTER],
  cut: [CUT, COUNTER],
});

/** What is not complete was released at no time. */
export const NOT_COMPLETE = -1;

/** The receiving ends of flows. */
export type Receivers = ReturnType<typeof makeReceivers>;

export function makeReceivers(
  tables: Tables,
  clock: Clock,
  transportOf: (spec: TransportSpec) => Transport,
) {
  const state = tables.float64('receive', RECEIVER);
  const templates = new FramePool(tables.count('receive'));
  const template = new Int32Array(state.length / STRIDE);
  const specs: ReceiveSpec[] = [];
  /** By connection; raw ones have none. */
  const receivingOf: TransportReceiver[] = [];

  function configure(
    c: number,
    spec: ReceiveSpec,
    position: number,
    rows: TrackedRows,
    nic: NicOfEnd,
  ): void {
    specs[c] = spec;
    if (spec.transport !== null) {
      receivingOf[c] = transportOf(spec.transport).receiving;
      receivingOf[c].configure(c, spec, rows, nic);
    }
    state[c * STRIDE + TOTAL] = spec.packetsPerMessage * spec.messages;
    state[c * STRIDE + LATENCY_MIN] = Infinity;
    template[c] = makeTemplate(spec, position);
  }

  /** Receives a packet; returns what to answer. */
  function take(c: number, pool: FramePool, frame: FrameRef): number {
    const marked = isMarked(pool.words[frame + CLASS]);
    if (isCut(pool.words[frame + CLASS])) {
      state[c * STRIDE + CUT]++;
      return specs[c].transport === null
        ? SAY_NOTHING
        : (receivingOf[c].takeCut?.(c, pool, frame, marked) ?? SAY_NOTHING);
    }
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
    if (spec.transport === null) {
      countRaw(s, pool, frame, spec);
      return state[s + FRAMES] === state[s + TOTAL] ? finishRaw(s, spec) : SAY_NOTHING;
    }
    assert(pool.words[frame + SEQUENCE] < state[s + TOTAL], 'receiver.packet-of-flow');
    const outcome = receivingOf[c].take(c, pool, frame, marked);
    if ((outcome & PLACED) === 0) state[s + DISCARDED]++;
    else count(s, spec, pool, frame);
    if ((outcome & MESSAGE_DONE) !== 0) completeMessage(s, spec);
    return outcome & ~PLACED;
  }

  function completeMessage(s: number, { messages }: ReceiveSpec): void {
    state[s + MESSAGES]++;
    assert(state[s + MESSAGES] <= messages, 'receiver.message-of-flow');
  }

  /**
   * After MESSAGE_DONE: a message behind it is complete as well, and this is when it was released;
   * -1: none is.
   */
  function nextCompleted(c: number): number {
    const spec = specs[c];
    if (spec.transport === null) return NOT_COMPLETE;
    const born = receivingOf[c].completed(c, state[c * STRIDE + MESSAGES]);
    if (born !== NOT_COMPLETE) completeMessage(c * STRIDE, spec);
    return born;
  }

  /** The ACK or NAK that `take` requested. */
  function answer(c: number, what: number, pool: FramePool): number {
    const frame = pool.copyFrom(templates, template[c]);
    receivingOf[c].answer(c, what, pool, frame);
    return frame;
  }

  /** The ACK of what came before the last packet, which was marked otherwise. */
  function earlierAnswer(c: number, pool: FramePool): number {
    const frame = pool.copyFrom(templates, template[c]);
    receivingOf[c].answerEarlier!(c, pool, frame);
    return frame;
  }

  /** The name of an invariant of its transport that does not hold; null if all do. */
  function broken(c: number): string | null {
    return specs[c].transport === null ? null : receivingOf[c].broken(c);
  }

  /** Null: it accepts packets in order only, or frames have no order. */
  function reordering(c: number): Reordering | null {
    return specs[c].transport === null ? null : (receivingOf[c].reordering?.(c) ?? null);
  }

  function get(c: number, word: number): number {
    return state[c * STRIDE + word];
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

  return { configure, take, nextCompleted, answer, earlierAnswer, broken, reordering, get };
}
