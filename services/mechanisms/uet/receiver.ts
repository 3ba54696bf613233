/**
 * The receiving end: it stores packets in any order, and counts all octets that come, duplicates
 * too. It answers at once what is marked, asks for it, comes twice, is the first or completes a
 * message; and otherwise one packet in so many. An answer is about the packet that caused it, and
 * has its EV.
 */

import { firstBroken } from '../../engine/contract/broken.js';
import type { ReceiveSpec } from '../../engine/contract/spec.js';
import type {
  Reordering,
  TrackedRows,
  TransportReceiver,
} from '../../engine/contract/transport.js';
import { MESSAGE_DONE, PLACED, SAY_ACK, SAY_NOTHING } from '../../engine/contract/transport.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import {
  CLASS,
  ECHO_FLAG,
  HASH,
  LENGTH,
  REMAINING,
  SEQUENCE,
} from '../../engine/frame/frame-pool.js';
import { assert } from '../../engine/kernel/assert.js';
import {
  clear,
  countFrom,
  firstMissing,
  has,
  set,
  wordFrom,
} from '../../engine/kernel/bit-window.js';
import { classOfDepth, DEPTH_CLASSES, depthPercentile } from '../../engine/kernel/depths.js';
import { assertFields } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { FrameRef } from '../../engine/units/indices.js';
import { RECEIVED_MODULO, RECEIVED_UNIT } from '../../engine/wire/uet.js';
import { entropyOf, hashOf } from './entropy.js';
import { ofReceivers } from './invariants.js';
import type { Window } from './layout.js';
import { BLOCK, packCounts, packSaid, windowOf } from './layout.js';
import type { UetSpec } from './spec.js';

const WORD_BITS = 32;
const NOT_COMPLETE = -1;

// Words of a receiving end, in doubles.

/** Next packet expected in order, and one past the highest that has come. */
const EXPECTED = 0;
const HIGHEST = 1;
/** Packets since the last acknowledgement. */
const UNACKNOWLEDGED = 2;
/** Packets that are stored behind one that is missing, their payload, and the most of both. */
const STORED_PACKETS = 3;
const STORED_OCTETS = 4;
const PEAK_PACKETS = 5;
const PEAK_OCTETS = 6;
/** The packet that came last, the hash of its path, and whether it was marked. */
const CAME = 7;
const CAME_HASH = 8;
const CAME_MARKED = 9;
const OUT_OF_ORDER = 10;
const DUPLICATES = 11;
/** Nominal octets of all packets that came. */
const OCTETS = 12;
const STRIDE = 13;
assertFields(
  STRIDE,
  EXPECTED,
  HIGHEST,
  UNACKNOWLEDGED,
  STORED_PACKETS,
  STORED_OCTETS,
  PEAK_PACKETS,
  PEAK_OCTETS,
  CAME,
  CAME_HASH,
  CAME_MARKED,
  OUT_OF_ORDER,
  DUPLICATES,
  OCTETS,
);

export function makeReceiver(tables: Tables, words: Int32Array): TransportReceiver {
  const state = tables.float64('transport', STRIDE);
  const depths = tables.int32('transport', DEPTH_CLASSES);
  /** Release times of messages that come out of order: behind the bits of the window. */
  const times = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  const specs: ReceiveSpec[] = [];
  const transports: UetSpec[] = [];
  const windows: Window[] = [];

  function configure(c: number, spec: ReceiveSpec, rows: TrackedRows): void {
    specs[c] = spec;
    transports[c] = spec.transport as UetSpec;
    windows[c] = windowOf(transports[c], rows);
  }

  function take(c: number, pool: FramePool, frame: FrameRef, isMarked: boolean): number {
    const { row, first, bits, packets } = windows[c];
    const { fullOctets, lastOctets, ackEvery } = transports[c];
    const s = row * STRIDE;
    const packet = pool.words[frame + SEQUENCE];
    const isLast = pool.ends[frame + REMAINING] === 0;
    const isFirst = state[s + OCTETS] === 0;
    const expected = state[s + EXPECTED];
    assert(packet < expected + packets, 'uet.packet-within-window');
    state[s + CAME] = packet;
    state[s + CAME_HASH] = pool.words[frame + HASH];
    state[s + CAME_MARKED] = isMarked ? 1 : 0;
    state[s + OCTETS] += isLast ? lastOctets : fullOctets;
    const isDuplicate = packet < expected || has(words, first, bits, packet);
    const asks = isFirst || isMarked || (pool.words[frame + CLASS] & ECHO_FLAG) !== 0;
    const isDue = ++state[s + UNACKNOWLEDGED] >= ackEvery;
    if (isDuplicate) {
      state[s + DUPLICATES]++;
      return answers(s, true);
    }
    if (packet >= state[s + HIGHEST]) state[s + HIGHEST] = packet + 1;
    if (packet !== expected) {
      store(c, s, pool, frame);
      return PLACED | answers(s, asks || isDue);
    }
    state[s + EXPECTED] = state[s + STORED_PACKETS] === 0 ? packet + 1 : unstore(c, s, packet + 1);
    // Its message is complete if its last packet is before the one that is expected now.
    const isDone = pool.ends[frame + REMAINING] < state[s + EXPECTED] - packet;
    // The last packet may have overtaken this one: nothing else would tell the sender. What only
    // ends a gap is not answered: it came by a slow path, whose EV would be used again.
    const say = answers(s, asks || isDue || isDone);
    return isDone ? PLACED | say | MESSAGE_DONE : PLACED | say;
  }

  function answers(s: number, isNow: boolean): number {
    if (!isNow) return SAY_NOTHING;
    state[s + UNACKNOWLEDGED] = 0;
    return SAY_ACK;
  }

  function store(c: number, s: number, pool: FramePool, frame: FrameRef): void {
    const { row, first, bits } = windows[c];
    const packet = pool.words[frame + SEQUENCE];
    set(words, first, bits, packet);
    const { packetsPerMessage, lastPayloadOctets, fullPayloadOctets } = specs[c];
    if (transports[c].rememberedMessages !== undefined) {
      times[timeOf(c, Math.floor(packet / packetsPerMessage))] = pool.born(frame);
    }
    const isLast = pool.ends[frame + REMAINING] === 0;
    const depth = ++state[s + STORED_PACKETS];
    const octets = (state[s + STORED_OCTETS] += isLast ? lastPayloadOctets : fullPayloadOctets);
    state[s + OUT_OF_ORDER]++;
    depths[row * DEPTH_CLASSES + classOfDepth(depth)]++;
    if (depth > state[s + PEAK_PACKETS]) state[s + PEAK_PACKETS] = depth;
    if (octets > state[s + PEAK_OCTETS]) state[s + PEAK_OCTETS] = octets;
  }

  /** Releases what is stored from a packet on without a gap; returns the packet that is missing. */
  function unstore(c: number, s: number, from: number): number {
    const { first, bits } = windows[c];
    const { packetsPerMessage, lastPayloadOctets, fullPayloadOctets } = specs[c];
    const to = firstMissing(words, first, bits, from, state[s + HIGHEST]);
    if (to === from) return to;
    clear(words, first, bits, from, to);
    const last = Math.floor(to / packetsPerMessage) - Math.floor(from / packetsPerMessage);
    state[s + STORED_PACKETS] -= to - from;
    state[s + STORED_OCTETS] -= last * lastPayloadOctets + (to - from - last) * fullPayloadOctets;
    assert(state[s + STORED_PACKETS] >= 0, 'uet.stored-packets');
    return to;
  }

  function answer(c: number, _say: number, pool: FramePool, frame: FrameRef): void {
    const { row, first, bits } = windows[c];
    const s = row * STRIDE;
    const { entropy: how } = transports[c];
    const { words: fields, ends } = pool;
    const expected = state[s + EXPECTED];
    const highest = state[s + HIGHEST];
    const came = state[s + CAME];
    // The block in which the packet is that came; of one in order, that of the first gap.
    const ahead = came > expected ? came - expected : 0;
    const block = Math.floor(ahead / WORD_BITS) * (WORD_BITS / BLOCK);
    const base = expected + block * BLOCK;
    const bitmap = base < highest ? wordFrom(words, first, bits, base, highest) : 0;
    fields[frame + SEQUENCE] = expected;
    fields[frame + HASH] = hashOf(specs[c].hash, entropyOf(state[s + CAME_HASH], how), how);
    if (state[s + CAME_MARKED] !== 0) fields[frame + CLASS] |= ECHO_FLAG;
    pool.setSaid(frame, packSaid(bitmap, block, came - expected));
    const units = Math.ceil(state[s + OCTETS] / RECEIVED_UNIT) % RECEIVED_MODULO;
    ends[frame + REMAINING] = packCounts(units, state[s + STORED_PACKETS]);
    assert(fields[frame + LENGTH] > 0, 'uet.answer-has-a-length');
  }

  function completed(c: number, message: number): number {
    const { packetsPerMessage, startPs } = specs[c];
    const s = windows[c].row * STRIDE;
    if (state[s + EXPECTED] < (message + 1) * packetsPerMessage) return NOT_COMPLETE;
    const isRemembered = transports[c].rememberedMessages !== undefined;
    return isRemembered ? times[timeOf(c, message)] : startPs;
  }

  /** Where the release time of a message is. */
  function timeOf(c: number, message: number): number {
    const { rememberedMessages = 1 } = transports[c];
    return windows[c].times + (message % rememberedMessages);
  }

  function broken(c: number): string | null {
    const { row, first, bits, packets: window } = windows[c];
    const s = row * STRIDE;
    const [expected, highest] = [state[s + EXPECTED], state[s + HIGHEST]];
    return firstBroken('uet', ofReceivers, {
      ...{ expected, highest, window },
      bits: highest > expected ? countFrom(words, first, bits, expected + 1, highest) : 0,
      packets: state[s + STORED_PACKETS],
      octets: state[s + STORED_OCTETS],
      hasExpected: has(words, first, bits, expected),
    });
  }

  function reordering(c: number): Reordering {
    const { row } = windows[c];
    const s = row * STRIDE;
    const own = depths.subarray(row * DEPTH_CLASSES, (row + 1) * DEPTH_CLASSES);
    return {
      outOfOrder: state[s + OUT_OF_ORDER],
      duplicates: state[s + DUPLICATES],
      peakPackets: state[s + PEAK_PACKETS],
      peakOctets: state[s + PEAK_OCTETS],
      p99Packets: Math.min(state[s + PEAK_PACKETS], depthPercentile(own, 0.99)),
    };
  }

  return { configure, take, answer, completed, broken, reordering };
}
