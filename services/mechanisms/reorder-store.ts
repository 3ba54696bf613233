/**
 * What a receiver keeps behind a packet that is missing: a bit for each packet of its window, how
 * much that is, and how deep it was. It relies on a window: no packet is a window or more above the
 * one that is expected, so a bit of the ring stands for one packet.
 */

import { firstBroken } from '../engine/contract/broken.js';
import type { ReceiveSpec } from '../engine/contract/spec.js';
import type { Reordering } from '../engine/contract/transport.js';
import type { FramePool } from '../engine/frame/frame-pool.js';
import { REMAINING, SEQUENCE } from '../engine/frame/frame-pool.js';
import { assert } from '../engine/kernel/assert.js';
import { clear, countFrom, firstMissing, has, set, wordFrom } from '../engine/kernel/bit-window.js';
import { classOfDepth, DEPTH_CLASSES, depthPercentile } from '../engine/kernel/depths.js';
import { field, fields } from '../engine/kernel/fields.js';
import { COUNTER, PEAK, SHAPE, sequence } from '../engine/kernel/kinds.js';
import type { Tables } from '../engine/kernel/tables.js';
import type { FrameRef } from '../engine/units/indices.js';

const WORD_BITS = 32;
const NOT_COMPLETE = -1;

// Words of a store, in doubles.

/** Next packet expected in order, and one past the highest that has come. */
const EXPECTED = 0;
const HIGHEST = 1;
/** Packets that are stored behind one that is missing, their payload, and the most of both. */
const STORED_PACKETS = 2;
const STORED_OCTETS = 3;
const PEAK_PACKETS = 4;
const PEAK_OCTETS = 5;
const OUT_OF_ORDER = 6;
const DUPLICATES = 7;
const STRIDE = 8;
const STORE = fields(STRIDE, {
  // A row is of a sending or of a receiving end: of the other kind of end it is all zero.
  expected: [EXPECTED, sequence(0)],
  highest: [HIGHEST, sequence(0)],
  storedPackets: [STORED_PACKETS, SHAPE],
  storedOctets: [STORED_OCTETS, SHAPE],
  peakPackets: [PEAK_PACKETS, PEAK],
  peakOctets: [PEAK_OCTETS, PEAK],
  outOfOrder: [OUT_OF_ORDER, COUNTER],
  duplicates: [DUPLICATES, COUNTER],
});

/** Where a connection has its bits, and how many. */
interface Place {
  readonly row: number;
  /** First word of the bits, and how many bits there are. */
  readonly first: number;
  readonly bits: number;
  /** Most packets that are outstanding. */
  readonly packets: number;
  /** Messages whose release times lie behind the bits; undefined: they are not needed. */
  readonly rememberedMessages: number | undefined;
}

export function makeReorderStore(tables: Tables, words: Int32Array) {
  const state = tables.float64('transport', STORE);
  const depths = tables.int32('transport', field('depths', COUNTER, DEPTH_CLASSES));
  /** Release times of messages that come out of order: behind the bits of the window. */
  const times = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  const specs: ReceiveSpec[] = [];
  const places: Place[] = [];

  function configure(c: number, spec: ReceiveSpec, place: Place): void {
    specs[c] = spec;
    places[c] = place;
  }

  function expected(c: number): number {
    return state[places[c].row * STRIDE + EXPECTED];
  }

  function highest(c: number): number {
    return state[places[c].row * STRIDE + HIGHEST];
  }

  function stored(c: number): number {
    return state[places[c].row * STRIDE + STORED_PACKETS];
  }

  /** Whether a packet has come before; such a one is counted. */
  function cameBefore(c: number, packet: number): boolean {
    const { row, first, bits, packets } = places[c];
    const s = row * STRIDE;
    assert(packet < state[s + EXPECTED] + packets, 'reorder-store.packet-within-window');
    if (packet >= state[s + EXPECTED] && !has(words, first, bits, packet)) return false;
    state[s + DUPLICATES]++;
    return true;
  }

  /** Keeps a packet that is not the expected one. */
  function store(c: number, pool: FramePool, frame: FrameRef): void {
    const { row, first, bits, rememberedMessages } = places[c];
    const { packetsPerMessage, lastPayloadOctets, fullPayloadOctets } = specs[c];
    const s = row * STRIDE;
    const packet = pool.words[frame + SEQUENCE];
    assert(packet > state[s + EXPECTED], 'reorder-store.stored-is-out-of-order');
    if (packet >= state[s + HIGHEST]) state[s + HIGHEST] = packet + 1;
    set(words, first, bits, packet);
    if (rememberedMessages !== undefined) {
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

  /** The expected packet has come; returns by how many packets what is in order has grown. */
  function advance(c: number): number {
    const s = places[c].row * STRIDE;
    const packet = state[s + EXPECTED];
    if (packet >= state[s + HIGHEST]) state[s + HIGHEST] = packet + 1;
    const next = state[s + STORED_PACKETS] === 0 ? packet + 1 : release(c, packet + 1);
    state[s + EXPECTED] = next;
    return next - packet;
  }

  /** Releases what is stored from a packet on without a gap; returns the packet that is missing. */
  function release(c: number, from: number): number {
    const { row, first, bits } = places[c];
    const { packetsPerMessage, lastPayloadOctets, fullPayloadOctets } = specs[c];
    const s = row * STRIDE;
    const to = firstMissing(words, first, bits, from, state[s + HIGHEST]);
    if (to === from) return to;
    clear(words, first, bits, from, to);
    const last = Math.floor(to / packetsPerMessage) - Math.floor(from / packetsPerMessage);
    state[s + STORED_PACKETS] -= to - from;
    state[s + STORED_OCTETS] -= last * lastPayloadOctets + (to - from - last) * fullPayloadOctets;
    assert(state[s + STORED_PACKETS] >= 0, 'reorder-store.stored-packets');
    return to;
  }

  /** The bits of `packet` and of those behind it, as a word. */
  function bitmapFrom(c: number, packet: number): number {
    const { row, first, bits } = places[c];
    return wordFrom(words, first, bits, packet, state[row * STRIDE + HIGHEST]);
  }

  /** As a receiver of the contract answers it. */
  function completed(c: number, message: number): number {
    const { packetsPerMessage, startPs } = specs[c];
    if (expected(c) < (message + 1) * packetsPerMessage) return NOT_COMPLETE;
    return places[c].rememberedMessages === undefined ? startPs : times[timeOf(c, message)];
  }

  /** Where the release time of a message is. */
  function timeOf(c: number, message: number): number {
    const { first, bits, rememberedMessages = 1 } = places[c];
    return (first + bits / WORD_BITS) / 2 + (message % rememberedMessages);
  }

  function broken(c: number): string | null {
    const { row, first, bits, packets: window } = places[c];
    const s = row * STRIDE;
    const [from, to] = [state[s + EXPECTED], state[s + HIGHEST]];
    return firstBroken('reorderStore', invariants, {
      ...{ expected: from, highest: to, window },
      bits: to > from ? countFrom(words, first, bits, from + 1, to) : 0,
      packets: state[s + STORED_PACKETS],
      octets: state[s + STORED_OCTETS],
      hasExpected: has(words, first, bits, from),
    });
  }

  function reordering(c: number): Reordering {
    const { row } = places[c];
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

  return {
    ...{ configure, expected, highest, stored, cameBefore, store, advance, bitmapFrom },
    ...{ completed, broken, reordering },
  };
}

interface StoreOfEnd {
  readonly expected: number;
  readonly highest: number;
  readonly window: number;
  /** Packets behind the expected one that have a bit, and that are counted. */
  readonly bits: number;
  readonly packets: number;
  readonly octets: number;
  readonly hasExpected: boolean;
}

const invariants: Readonly<Record<string, (end: StoreOfEnd) => boolean>> = {
  windowIsKept: ({ expected, highest, window }) => highest - expected <= window,
  storedHaveBits: ({ bits, packets }) => bits === packets,
  nothingIsStoredInOrder: ({ hasExpected }) => !hasExpected,
  storedHaveOctets: ({ packets, octets }) => packets > 0 === octets > 0,
};
