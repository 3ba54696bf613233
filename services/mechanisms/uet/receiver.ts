/**
 * The receiving end: it stores packets in any order, and counts all octets that come, duplicates
 * too. It answers at once what is marked, asks for it, comes twice, is the first or completes a
 * message; and otherwise one packet in so many. An answer is about the packet that caused it, and
 * has its EV.
 */

import type { ReceiveSpec } from '../../engine/contract/spec.js';
import type {
  NicOfEnd,
  TrackedRows,
  TransportEnds,
  TransportReceiver,
} from '../../engine/contract/transport.js';
import {
  MESSAGE_DONE,
  PLACED,
  SAY_ACK,
  SAY_MORE,
  SAY_NAK,
  SAY_NOTHING,
} from '../../engine/contract/transport.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  ECHO_FLAG,
  HASH,
  KIND_CUT_LAST,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  REMAINING,
  SEQUENCE,
} from '../../engine/frame/frame-pool.js';
import { assert } from '../../engine/kernel/assert.js';
import { assertFields, field } from '../../engine/kernel/fields.js';
import { unknown } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { FrameRef } from '../../engine/units/indices.js';
import {
  CONTROL_CREDIT,
  NACK_TRIMMED,
  NACK_TRIMMED_LAST_HOP,
  RECEIVED_MODULO,
  RECEIVED_UNIT,
  UET_ACK_CC_OCTETS,
  UET_NACK_OCTETS,
} from '../../engine/wire/uet.js';
import { makeReorderStore } from '../reorder-store.js';
import { entropyOf, hashOf } from './entropy.js';
import { BLOCK, packCounts, packSaid, windowOf } from './layout.js';
import { makePacer } from './pacer.js';
import type { UetSpec } from './spec.js';

const WORD_BITS = 32;

// Words of a receiving end beside its store, in doubles.

/** Packets since the last acknowledgement. */
const UNACKNOWLEDGED = 0;
/** The packet that came last, the hash of its path, and whether it was marked. */
const CAME = 1;
const CAME_HASH = 2;
const CAME_MARKED = 3;
/** Nominal octets of all packets that came. */
const OCTETS = 4;
/** Why a packet is refused that came as headers. */
const CODE = 5;
const STRIDE = 6;
assertFields(STRIDE, UNACKNOWLEDGED, CAME, CAME_HASH, CAME_MARKED, OCTETS, CODE);

/** The shortest frame. */
const LEAST_OCTETS = 64;

export function makeReceiver(
  tables: Tables,
  ends: TransportEnds,
  words: Int32Array,
): TransportReceiver {
  const state = tables.float64('transport', field('uet receiver', unknown(0), STRIDE));
  const store = makeReorderStore(tables, words);
  const pacer = makePacer(tables, ends);
  const specs: ReceiveSpec[] = [];
  const transports: UetSpec[] = [];
  const rows: number[] = [];

  function configure(c: number, spec: ReceiveSpec, tracked: TrackedRows, nic: NicOfEnd): void {
    const transport = spec.transport as UetSpec;
    const { rememberedMessages, credit } = transport;
    specs[c] = spec;
    transports[c] = transport;
    rows[c] = tracked.row;
    store.configure(c, spec, { ...windowOf(transport, tracked), rememberedMessages });
    if (credit !== null) pacer.configure(c, credit, { row: tracked.row, ...nic });
  }

  function take(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number {
    const { fullOctets, lastOctets, ackEvery, credit } = transports[c];
    const s = rows[c] * STRIDE;
    if (credit !== null) pacer.wants(c, pool.slot(frame));
    const packet = pool.words[frame + SEQUENCE];
    const remaining = pool.ends[frame + REMAINING];
    const isFirst = state[s + OCTETS] === 0;
    state[s + CAME] = packet;
    state[s + CAME_HASH] = pool.words[frame + HASH];
    state[s + CAME_MARKED] = isMarked ? 1 : 0;
    state[s + OCTETS] += remaining === 0 ? lastOctets : fullOctets;
    const asks = isFirst || isMarked || (pool.words[frame + CLASS] & ECHO_FLAG) !== 0;
    const isDue = ++state[s + UNACKNOWLEDGED] >= ackEvery;
    if (store.cameBefore(c, packet)) return answers(s, true);
    if (packet !== store.expected(c)) {
      store.store(c, pool, frame);
      return PLACED | answers(s, asks || isDue);
    }
    // Its message is complete if its last packet is before the one that is expected now.
    const isDone = remaining < store.advance(c);
    // The last packet may have overtaken this one: nothing else would tell the sender. What only
    // ends a gap is not answered: it came by a slow path, whose EV would be used again.
    const say = answers(s, asks || isDue || isDone);
    return isDone ? PLACED | say | MESSAGE_DONE : PLACED | say;
  }

  /** Nothing of it is placed: its sender is told, and which path it came by. */
  function takeCut(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number {
    const { words: fields } = pool;
    const s = rows[c] * STRIDE;
    state[s + CAME] = fields[frame + SEQUENCE];
    state[s + CAME_HASH] = fields[frame + HASH];
    state[s + CAME_MARKED] = isMarked ? 1 : 0;
    if (transports[c].credit !== null) pacer.wants(c, pool.slot(frame));
    // It was sent again in vain: an acknowledgement says so.
    if (store.cameBefore(c, fields[frame + SEQUENCE])) return answers(s, true);
    if (transports[c].credit !== null) pacer.wantsAgain(c, transports[c].fullOctets);
    const isLastHop = (fields[frame + CLASS] & KIND_MASK) === KIND_CUT_LAST;
    state[s + CODE] = isLastHop ? NACK_TRIMMED_LAST_HOP : NACK_TRIMMED;
    return SAY_NAK;
  }

  function answers(s: number, isNow: boolean): number {
    if (!isNow) return SAY_NOTHING;
    state[s + UNACKNOWLEDGED] = 0;
    return SAY_ACK;
  }

  function answer(c: number, say: number, pool: FramePool, frame: FrameRef): void {
    const s = rows[c] * STRIDE;
    if (say === SAY_NAK) {
      const offset = state[s + CAME] - store.expected(c);
      control(c, state[s + CODE], packSaid(0, 0, offset), pool, frame);
      if (state[s + CAME_MARKED] !== 0) pool.words[frame + CLASS] |= ECHO_FLAG;
    } else if (say === SAY_MORE) control(c, CONTROL_CREDIT, pacer.total(c), pool, frame);
    else acknowledge(c, pool, frame);
    assert(pool.words[frame + LENGTH] > 0, 'uet.answer-has-a-length');
  }

  /** A short answer, which says one thing, and what is expected, as any answer. */
  function control(c: number, code: number, said: number, pool: FramePool, frame: FrameRef): void {
    const s = rows[c] * STRIDE;
    const { entropy: how } = transports[c];
    const { words: fields, ends: further } = pool;
    fields[frame + CLASS] = (fields[frame + CLASS] & ~KIND_MASK) | KIND_NAK;
    fields[frame + SEQUENCE] = store.expected(c);
    const octets = fields[frame + LENGTH] - UET_ACK_CC_OCTETS + UET_NACK_OCTETS;
    fields[frame + LENGTH] = Math.max(LEAST_OCTETS, octets);
    fields[frame + HASH] = hashOf(specs[c].hash, entropyOf(state[s + CAME_HASH], how), how);
    pool.setSaid(frame, said);
    further[frame + REMAINING] = code;
  }

  function acknowledge(c: number, pool: FramePool, frame: FrameRef): void {
    const s = rows[c] * STRIDE;
    const { entropy: how } = transports[c];
    const { words: fields, ends: further } = pool;
    const expected = store.expected(c);
    const came = state[s + CAME];
    // The block in which the packet is that came; of one in order, that of the first gap.
    const ahead = came > expected ? came - expected : 0;
    const block = Math.floor(ahead / WORD_BITS) * (WORD_BITS / BLOCK);
    const base = expected + block * BLOCK;
    const bitmap = base < store.highest(c) ? store.bitmapFrom(c, base) : 0;
    fields[frame + SEQUENCE] = expected;
    fields[frame + HASH] = hashOf(specs[c].hash, entropyOf(state[s + CAME_HASH], how), how);
    if (state[s + CAME_MARKED] !== 0) fields[frame + CLASS] |= ECHO_FLAG;
    pool.setSaid(frame, packSaid(bitmap, block, came - expected));
    const units = Math.ceil(state[s + OCTETS] / RECEIVED_UNIT) % RECEIVED_MODULO;
    further[frame + REMAINING] = packCounts(units, store.stored(c));
  }

  function broken(c: number): string | null {
    return store.broken(c) ?? (transports[c].credit === null ? null : pacer.broken(c));
  }

  const { completed, reordering } = store;
  const paced = pacer.turn;
  return { configure, take, takeCut, paced, answer, completed, broken, reordering };
}
