/**
 * Selective repeat. The receiver keeps what comes out of order, and says with each such packet
 * which packets of its neighbourhood it has. The sender sends again what is missing below the
 * highest of them, and nothing else. It relies on a window: no packet is a window or more above the
 * oldest one that is not acknowledged, so a bit of a ring stands for one packet. It would break if
 * one end cleared a bit before the window has left it.
 */

import { firstBroken } from '../../engine/contract/broken.js';
import type { ReceiveSpec, SendSpec } from '../../engine/contract/spec.js';
import type {
  TrackedRows,
  TransportEnds,
  TransportReceiver,
  TransportSender,
} from '../../engine/contract/transport.js';
import {
  BITMAP_WORDS,
  EARLIER,
  MESSAGE_DONE,
  PLACED,
  SAY_ACK,
  SAY_NAK,
  SAY_NOTHING,
} from '../../engine/contract/transport.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  ECHO_FLAG,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  REMAINING,
  SEQUENCE,
} from '../../engine/frame/frame-pool.js';
import { assert } from '../../engine/kernel/assert.js';
import { fields } from '../../engine/kernel/fields.js';
import { SHAPE, sequence, unknown } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { FrameRef } from '../../engine/units/indices.js';
import {
  BITMAP_SCALE,
  SELECTIVE_ACK_BITS,
  SELECTIVE_ACK_OCTETS,
} from '../../engine/wire/selective-ack.js';
import { clear, firstMissing, set } from '../../engine/kernel/bit-window.js';
import { makeReorderStore } from '../reorder-store.js';
import { ofSenders } from './invariants.js';
import type { SelectiveSpec } from './spec.js';

const WORD_BITS = 32;

// Words of a sending end, in doubles.

/** Up to here, without it, acknowledgements have cleared the bitmap. */
const CLEARED = 0;
/** One past the highest packet that is known to have arrived. */
const SACKED_TO = 1;
/** Packets below it that are not known to have arrived are lost. */
const LOST_TO = 2;
/** Lost packets below it were sent again. */
const RESENT_TO = 3;
/** Losses below it were told to the rate control. */
const RECOVER_TO = 4;
const SEND_STRIDE = 5;
const SENDER = fields(SEND_STRIDE, {
  // A row is of a sending or of a receiving end: of the other kind of end it is all zero.
  cleared: [CLEARED, sequence(0)],
  sackedTo: [SACKED_TO, unknown(0)],
  lostTo: [LOST_TO, unknown(0)],
  resentTo: [RESENT_TO, unknown(0)],
  recoverTo: [RECOVER_TO, unknown(0)],
});

// Words of a receiving end beside its store, in doubles.

/** Packets in order since the last acknowledgement. */
const UNACKNOWLEDGED = 0;
/** The packet that came last. */
const CAME = 1;
/** Whether the last packet was marked; of a connection that echoes marks. */
const ECHO = 2;
const RECEIVE_STRIDE = 3;
const RECEIVER = fields(RECEIVE_STRIDE, {
  unacknowledged: [UNACKNOWLEDGED, SHAPE],
  came: [CAME, sequence(0)],
  echo: [ECHO, SHAPE],
});

/** The bits that a connection has, and where they begin. */
interface Window {
  readonly row: number;
  readonly first: number;
  readonly bits: number;
  /** Most that are outstanding. */
  readonly packets: number;
}

function windowOf({ trackedPackets = 0 }: SelectiveSpec, { row, bitmap }: TrackedRows): Window {
  const rowBits = WORD_BITS * BITMAP_WORDS;
  const bits = rowBits * Math.ceil(trackedPackets / rowBits);
  return { row, first: bitmap * BITMAP_WORDS, bits, packets: trackedPackets };
}

/** The sending ends: what is missing is sent again. */
export function makeSender(
  tables: Tables,
  ends: TransportEnds,
  words: Int32Array,
): TransportSender {
  const state = tables.float64('transport', SENDER);
  const specs: SelectiveSpec[] = [];
  const windows: Window[] = [];

  function configure(c: number, { transport }: SendSpec, rows: TrackedRows): void {
    specs[c] = transport as SelectiveSpec;
    windows[c] = windowOf(specs[c], rows);
  }

  /** Notes what has arrived. A loss is told once until all that was sent by then has arrived. */
  function tellsLoss(c: number, pool: FramePool, frame: FrameRef): boolean {
    if ((pool.words[frame + CLASS] & KIND_MASK) !== KIND_NAK) return false;
    const { row } = windows[c];
    const s = row * SEND_STRIDE;
    note(c, s, pool.words[frame + SEQUENCE], pool.said(frame));
    const lostTo = state[s + SACKED_TO] - 1 - specs[c].reorderPackets;
    if (lostTo > state[s + LOST_TO]) state[s + LOST_TO] = lostTo;
    const from = Math.max(ends.unacked(c), pool.words[frame + SEQUENCE]);
    if (from < state[s + RECOVER_TO] || lostFrom(c, s, from) === ends.highest(c)) return false;
    state[s + RECOVER_TO] = ends.highest(c);
    return true;
  }

  function note(c: number, s: number, expected: number, said: number): void {
    const { first, bits } = windows[c];
    const block = Math.floor(said / BITMAP_SCALE);
    const bitmap = (said % BITMAP_SCALE) | 0;
    const base = expected + 1 + block * SELECTIVE_ACK_BITS;
    const unacked = ends.unacked(c);
    for (let rest = bitmap; rest !== 0; rest &= rest - 1) {
      const packet = base + WORD_BITS - 1 - Math.clz32(rest & -rest);
      if (packet < unacked) continue;
      assert(packet < ends.highest(c), 'selective.acknowledged-was-sent');
      set(words, first, bits, packet);
      if (packet >= state[s + SACKED_TO]) state[s + SACKED_TO] = packet + 1;
    }
  }

  function answered(c: number, pool: FramePool, frame: FrameRef): boolean {
    const expected = pool.words[frame + SEQUENCE];
    const { row, first, bits } = windows[c];
    const s = row * SEND_STRIDE;
    const isNew = ends.acknowledge(c, expected);
    if (isNew) {
      clear(words, first, bits, state[s + CLEARED], expected);
      state[s + CLEARED] = expected;
    }
    return place(c, s) || isNew;
  }

  /** Sends next what is lost, and new packets where nothing is; true if that is a change. */
  function place(c: number, s: number): boolean {
    const packet = lostFrom(c, s, ends.unacked(c));
    if (packet === ends.next(c)) return false;
    ends.goTo(c, packet);
    return true;
  }

  /** The first packet from `from` on that is lost and not sent again; or else the next new one. */
  function lostFrom(c: number, s: number, from: number): number {
    const { first, bits } = windows[c];
    const to = state[s + LOST_TO];
    const start = Math.max(from, state[s + RESENT_TO]);
    const packet = start < to ? firstMissing(words, first, bits, start, to) : to;
    return start < to && packet < to ? packet : ends.highest(c);
  }

  function follows(c: number, packet: number): number {
    const s = windows[c].row * SEND_STRIDE;
    state[s + RESENT_TO] = packet + 1;
    return lostFrom(c, s, ends.unacked(c));
  }

  /** All that is not known to have arrived is lost, what was sent again included. */
  function timedOut(c: number): void {
    const s = windows[c].row * SEND_STRIDE;
    state[s + LOST_TO] = ends.highest(c);
    state[s + RESENT_TO] = ends.unacked(c);
    state[s + RECOVER_TO] = ends.highest(c);
    ends.goTo(c, ends.unacked(c));
  }

  function broken(c: number): string | null {
    const s = windows[c].row * SEND_STRIDE;
    const [unacked, highest, next] = [ends.unacked(c), ends.highest(c), ends.next(c)];
    return firstBroken('selective', ofSenders, {
      ...{ unacked, highest, next, lost: lostFrom(c, s, unacked) },
      ...{ window: windows[c].packets, cleared: state[s + CLEARED] },
      ...{ sackedTo: state[s + SACKED_TO], lostTo: state[s + LOST_TO] },
    });
  }

  return { configure, tellsLoss, answered, follows, timedOut, broken };
}

/** The receiving ends: what comes out of order is stored. */
export function makeReceiver(tables: Tables, words: Int32Array): TransportReceiver {
  const state = tables.float64('transport', RECEIVER);
  const store = makeReorderStore(tables, words);
  const specs: ReceiveSpec[] = [];
  const transports: SelectiveSpec[] = [];
  const rows: number[] = [];

  function configure(c: number, spec: ReceiveSpec, tracked: TrackedRows): void {
    const transport = spec.transport as SelectiveSpec;
    const { rememberedMessages } = transport;
    specs[c] = spec;
    transports[c] = transport;
    rows[c] = tracked.row;
    store.configure(c, spec, { ...windowOf(transport, tracked), rememberedMessages });
  }

  function take(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number {
    const s = rows[c] * RECEIVE_STRIDE;
    const packet = pool.words[frame + SEQUENCE];
    state[s + CAME] = packet;
    if (store.cameBefore(c, packet)) return store.stored(c) === 0 ? SAY_ACK : SAY_NAK;
    if (packet === store.expected(c)) {
      return inOrder(c, s, pool.ends[frame + REMAINING], isMarked);
    }
    if (specs[c].echoes) state[s + ECHO] = isMarked ? 1 : 0;
    store.store(c, pool, frame);
    return PLACED | SAY_NAK;
  }

  /** The packet that was expected has come, and ends the wait of those stored behind it. */
  function inOrder(c: number, s: number, remaining: number, isMarked: boolean): number {
    const hadStored = store.stored(c) !== 0;
    // Its message is complete if its last packet is before the one that is expected now.
    const isDone = remaining < store.advance(c);
    const earlier = specs[c].echoes ? turnEcho(s, isMarked) : SAY_NOTHING;
    const waits = !hadStored && !isDone && ++state[s + UNACKNOWLEDGED] < transports[c].ackEvery;
    if (waits) return PLACED | earlier;
    state[s + UNACKNOWLEDGED] = 0;
    const say = store.stored(c) === 0 ? SAY_ACK : SAY_NAK;
    return isDone ? PLACED | say | MESSAGE_DONE | earlier : PLACED | say | earlier;
  }

  /** RFC 8257 3.2: what was received before a change of marks is acknowledged by itself. */
  function turnEcho(s: number, isMarked: boolean): number {
    const echo = isMarked ? 1 : 0;
    if (state[s + ECHO] === echo) return SAY_NOTHING;
    state[s + ECHO] = echo;
    if (state[s + UNACKNOWLEDGED] === 0) return SAY_NOTHING;
    state[s + UNACKNOWLEDGED] = 0;
    return EARLIER;
  }

  function answer(c: number, say: number, pool: FramePool, frame: FrameRef): void {
    const s = rows[c] * RECEIVE_STRIDE;
    pool.words[frame + SEQUENCE] = store.expected(c);
    if (state[s + ECHO] !== 0) pool.words[frame + CLASS] |= ECHO_FLAG;
    if (say === SAY_NAK) select(c, s, pool, frame);
  }

  /** Says which packets are stored about the one that came last, or else about the highest. */
  function select(c: number, s: number, pool: FramePool, frame: FrameRef): void {
    const from = store.expected(c) + 1;
    const about = state[s + CAME] >= from ? state[s + CAME] : store.highest(c) - 1;
    const block = Math.floor((about - from) / SELECTIVE_ACK_BITS);
    const bitmap = store.bitmapFrom(c, from + block * SELECTIVE_ACK_BITS);
    assert(bitmap !== 0, 'selective.says-what-is-stored');
    const { words: fields } = pool;
    fields[frame + CLASS] = (fields[frame + CLASS] & ~KIND_MASK) | KIND_NAK;
    fields[frame + LENGTH] += SELECTIVE_ACK_OCTETS;
    pool.setSaid(frame, block * BITMAP_SCALE + (bitmap >>> 0));
  }

  function answerEarlier(c: number, pool: FramePool, frame: FrameRef): void {
    const s = rows[c] * RECEIVE_STRIDE;
    pool.words[frame + SEQUENCE] = state[s + CAME];
    if (state[s + ECHO] === 0) pool.words[frame + CLASS] |= ECHO_FLAG;
  }

  const { completed, broken, reordering } = store;
  return { configure, take, answer, answerEarlier, completed, broken, reordering };
}
