/**
 * Buffers as switches are configured: memory in whole cells, slices of which a port sees one, pools
 * of fixed size at ingress and egress, and a headroom pool that groups share. It charges the same
 * accounts as the buffer with one pool (`shared-buffer`), which calls it for those that have pools;
 * a fabric without them has no row here.
 *
 * Of an account only what is beyond its reservation is charged to its pool. A lossless group at its
 * threshold is charged to its headroom, as far as its own limit and the headroom pool of its slice
 * go. What is released empties the headroom first. Thresholds are whole cells: a threshold with a
 * fraction of a cell would be reached one frame late.
 */

import type { BufferSpec, PooledSpec, PoolsSpec } from '../contract/memory.js';
import { poolRows, QUEUES } from '../contract/memory.js';
import { DROP } from '../contract/probe.js';
import { assert } from '../kernel/assert.js';
import { fields } from '../kernel/fields.js';
import { COUNTER, PEAK, SHAPE } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import type { PortRow, TrafficClass } from '../units/indices.js';
import {
  ADMITTED,
  ALPHA,
  DOUBLES,
  HEADROOM,
  HEADROOM_LIMIT,
  HEADROOM_PEAK,
  KIND,
  LOSSLESS_BIT,
  REFUSED,
  RESERVED,
  SHARED_PEAK,
  USED,
  USED_PEAK,
  WORDS,
  XOFF,
  XON_GAP,
} from './account-words.js';

// Doubles of a row: a pool in a slice, the pool of a port, or a queue.

/** What may be shared; 0 in the row of a queue. */
const SIZE = 0;
const TAKEN = 1;
const MOST = 2;
/** Of a queue: frames that it did not take, and their octets. */
const REFUSED_FRAMES = 3;
const REFUSED_OCTETS = 4;
const STRIDE = 5;
const POOL = fields(STRIDE, {
  size: [SIZE, SHAPE],
  taken: [TAKEN, SHAPE],
  peak: [MOST, PEAK],
  refusedFrames: [REFUSED_FRAMES, COUNTER],
  refusedOctets: [REFUSED_OCTETS, COUNTER],
});

const HEADROOM_POOL = 'headroom';
const GROUPS = 8;
const NONE = -1;

/** The accounts of groups, which both kinds of buffer have. */
interface Accounts {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly rowOf: (port: number, group: number) => number;
  /** Octets of the ingress pools of a port's device were taken, or (negative) given back. */
  readonly counted: (port: number, octets: number) => void;
}

/** Where a device has its rows, and how it shares. */
interface Layout {
  readonly firstPort: number;
  readonly first: number;
  readonly firstQueue: number;
  readonly cellOctets: number;
  readonly spec: PoolsSpec;
}

export type Pools = ReturnType<typeof makePools>;

export function makePools(tables: Tables, { words, doubles, rowOf, counted }: Accounts) {
  const hasPools = tables.count('pool') > 0;
  const ports = hasPools ? tables.count('port') : 0;
  const rows = tables.float64('pool', POOL);
  const layoutOf: (Layout | undefined)[] = [];
  // By port and group, or class: rows of its pool, and of its port in that pool.
  const groupPool = new Int32Array(ports * GROUPS).fill(NONE);
  const groupPort = new Int32Array(ports * GROUPS).fill(NONE);
  const groupXon = new Float64Array(ports * GROUPS);
  const portAlpha = new Float64Array(ports * GROUPS);
  const queuePool = new Int32Array(ports * QUEUES).fill(NONE);
  const queueReserved = new Float64Array(ports * QUEUES);
  const queueAlpha = new Float64Array(ports * QUEUES);
  const queueLimit = new Float64Array(ports * QUEUES);
  /** 1: a queue is not charged to its pool, which groups charge. */
  const isByGroups = new Uint8Array(ports * QUEUES);
  // By port.
  const headroomPool = new Int32Array(ports).fill(NONE);
  const queueRow = new Int32Array(ports).fill(NONE);
  const cellOf = new Float64Array(ports);
  const isSteady = new Uint8Array(ports);

  /** `firstRow` is that of the device in the tables. */
  function configure(firstPort: number, firstRow: number, buffer: BufferSpec): void {
    const { pools: spec, cellOctets } = buffer;
    if (spec === null) return;
    const count = spec.pools.length;
    const firstOfPorts = firstRow + spec.slices * (count + 1);
    const firstQueue = firstOfPorts + spec.sliceOf.length * count;
    for (let slice = 0; slice < spec.slices; slice++) {
      const first = firstRow + slice * (count + 1);
      spec.pools.forEach(({ octets }, pool) => {
        setSize(first + pool, octets, cellOctets);
      });
      setSize(first + count, spec.headroomOctets, cellOctets);
    }
    spec.sliceOf.forEach((slice, p) => {
      const port = firstPort + p;
      assert(slice >= 0 && slice < spec.slices, 'pools.slice-of-port');
      layoutOf[port] = { firstPort, first: firstRow, firstQueue, cellOctets, spec };
      const first = firstRow + slice * (count + 1);
      headroomPool[port] = first + count;
      queueRow[port] = firstQueue + p * QUEUES;
      cellOf[port] = cellOctets;
      isSteady[port] = spec.steadyXon ? 1 : 0;
      configureGroups(port, p, { first, firstOfPort: firstOfPorts + p * count, spec });
      spec.queues[p].forEach((queue, tc) => {
        configureQueue(port * QUEUES + tc, first, queue);
      });
    });
    assert(firstQueue + spec.sliceOf.length * QUEUES === firstRow + poolRows(buffer), 'pools.rows');
  }

  function setSize(row: number, octets: number, cellOctets: number): void {
    assert(octets >= 0 && (octets === Infinity || octets % cellOctets === 0), 'pools.whole-cells');
    rows[row * STRIDE + SIZE] = octets;
  }

  function configureGroups(
    port: number,
    p: number,
    at: { readonly first: number; readonly firstOfPort: number; readonly spec: PoolsSpec },
  ): void {
    at.spec.groups[p].forEach((group, g) => {
      const own = port * GROUPS + g;
      const alpha = group.pool < 0 ? null : at.spec.portAlphas[p][group.pool];
      groupPool[own] = group.pool < 0 ? NONE : at.first + group.pool;
      groupPort[own] = group.pool < 0 ? NONE : at.firstOfPort + group.pool;
      groupXon[own] = group.xonOctets;
      portAlpha[own] = alpha ?? Infinity;
      const d = rowOf(port, g) * DOUBLES;
      doubles[d + ALPHA] = group.alpha;
      doubles[d + XOFF] = group.limitOctets;
      doubles[d + XON_GAP] = group.xonOffsetOctets;
    });
  }

  function configureQueue(own: number, first: number, queue: PooledSpec): void {
    queuePool[own] = queue.pool < 0 ? NONE : first + queue.pool;
    queueReserved[own] = queue.reservedOctets;
    queueAlpha[own] = queue.alpha;
    queueLimit[own] = queue.limitOctets;
    isByGroups[own] = queue.isByGroups ? 1 : 0;
  }

  function free(row: number): number {
    return rows[row * STRIDE + SIZE] - rows[row * STRIDE + TAKEN];
  }

  /** What an account may share of a pool of which so much is free; the port takes `portOctets`. */
  function limitOf(port: number, group: number, freeOctets: number, portOctets: number): number {
    const d = rowOf(port, group) * DOUBLES;
    const own = portAlpha[port * GROUPS + group];
    const share = own === Infinity ? freeOctets : Math.max(0, own * freeOctets - portOctets);
    return capped(doubles[d + ALPHA], share, doubles[d + XOFF], cellOf[port]);
  }

  function capped(alpha: number, share: number, fixed: number, cell: number): number {
    // What is taken of a pool grows in cells: a threshold above what is free is never reached.
    const dynamic = alpha === Infinity ? Infinity : Math.floor((alpha * share) / cell) * cell;
    return dynamic < fixed ? dynamic : fixed;
  }

  /** Octets that a group may share now; Infinity: it is charged to no pool. */
  function limit(port: number, group: number): number {
    const own = port * GROUPS + group;
    const row = groupPool[own];
    if (row === NONE) return Infinity;
    return limitOf(port, group, free(row), rows[groupPort[own] * STRIDE + TAKEN]);
  }

  /** What of an account lies beyond its reservation and not in its headroom; below 0: unused. */
  function beyond(a: number): number {
    return words[a + USED] - words[a + HEADROOM] - words[a + RESERVED];
  }

  /** Charges a frame to its group, or returns why it must be dropped. */
  function admit(port: number, group: number, stored: number): number {
    const a = rowOf(port, group) * WORDS;
    const own = port * GROUPS + group;
    const before = Math.max(0, beyond(a));
    const need = Math.max(0, beyond(a) + stored) - before;
    const isLossless = (words[a + KIND] & LOSSLESS_BIT) !== 0;
    assert(stored > 0 && stored % cellOf[port] === 0, 'buffer.admitted-octets');
    if (groupPool[own] !== NONE && need > 0) {
      const room = free(groupPool[own]);
      // A lossless group may pass its threshold by the rest of a frame, a lossy one may not.
      const most = limit(port, group);
      const isBelow = isLossless ? before < most : before + need <= most;
      if (need > room || !isBelow) {
        if (!isLossless) return need > room ? DROP.BUFFER_FULL : DROP.INGRESS_THRESHOLD;
        if (!takeHeadroom(port, a, stored)) return DROP.HEADROOM_EXHAUSTED;
      } else takeShared(port, own, need);
    }
    const used = words[a + USED] + stored;
    words[a + USED] = used;
    if (used > words[a + USED_PEAK]) words[a + USED_PEAK] = used;
    if (beyond(a) > words[a + SHARED_PEAK]) words[a + SHARED_PEAK] = beyond(a);
    return ADMITTED;
  }

  function takeShared(port: number, own: number, octets: number): void {
    take(groupPool[own], octets);
    take(groupPort[own], octets);
    counted(port, octets);
  }

  function take(row: number, octets: number): void {
    const r = row * STRIDE;
    const taken = rows[r + TAKEN] + octets;
    assert(taken >= 0, 'pools.taken');
    rows[r + TAKEN] = taken;
    if (taken > rows[r + MOST]) rows[r + MOST] = taken;
  }

  function takeHeadroom(port: number, a: number, stored: number): boolean {
    const filled = words[a + HEADROOM] + stored;
    if (filled > words[a + HEADROOM_LIMIT] || stored > free(headroomPool[port])) return false;
    words[a + HEADROOM] = filled;
    if (filled > words[a + HEADROOM_PEAK]) words[a + HEADROOM_PEAK] = filled;
    take(headroomPool[port], stored);
    return true;
  }

  function release(port: number, group: number, stored: number): void {
    const a = rowOf(port, group) * WORDS;
    const own = port * GROUPS + group;
    assert(stored <= words[a + USED], 'buffer.release');
    const before = Math.max(0, beyond(a));
    const fromHeadroom = Math.min(stored, words[a + HEADROOM]);
    words[a + HEADROOM] -= fromHeadroom;
    words[a + USED] -= stored;
    assert(words[a + HEADROOM] <= words[a + USED], 'buffer.headroom-of-used');
    if (fromHeadroom > 0) take(headroomPool[port], -fromHeadroom);
    if (groupPool[own] !== NONE) takeShared(port, own, Math.max(0, beyond(a)) - before);
  }

  /** Why a frame may not join a queue, or ADMITTED. */
  function refusesQueue(port: number, trafficClass: number, stored: number): number {
    const own = port * QUEUES + trafficClass;
    const row = queuePool[own];
    if (row === NONE) return ADMITTED;
    const shared = rows[(queueRow[port] + trafficClass) * STRIDE + TAKEN] - queueReserved[own];
    const after = shared + stored;
    if (after <= 0) return ADMITTED;
    const room = free(row);
    if (after - Math.max(0, shared) > room) return DROP.BUFFER_FULL;
    const most = capped(queueAlpha[own], room, queueLimit[own], cellOf[port]);
    return after > most ? DROP.EGRESS_THRESHOLD : ADMITTED;
  }

  /** A frame has joined a queue, or (negative) left it. */
  function queued(port: number, trafficClass: number, stored: number): void {
    const own = port * QUEUES + trafficClass;
    const row = queueRow[port] + trafficClass;
    const before = Math.max(0, rows[row * STRIDE + TAKEN] - queueReserved[own]);
    take(row, stored);
    const after = Math.max(0, rows[row * STRIDE + TAKEN] - queueReserved[own]);
    if (queuePool[own] === NONE || isByGroups[own] !== 0 || after === before) return;
    take(queuePool[own], after - before);
  }

  function atXoff(port: number, group: number): boolean {
    const a = rowOf(port, group) * WORDS;
    return words[a + HEADROOM] > 0 || (beyond(a) >= 0 && beyond(a) >= limit(port, group));
  }

  function atXon(port: number, group: number): boolean {
    const a = rowOf(port, group) * WORDS;
    return words[a + HEADROOM] === 0 && words[a + USED] <= xonLimit(port, group, null);
  }

  /** XOFF threshold on the whole account. */
  function threshold(port: number, group: number): number {
    return words[rowOf(port, group) * WORDS + RESERVED] + limit(port, group);
  }

  /** What an account must fall to before it is at XON; `taken`: of its pool, if not as it is. */
  function xonLimit(port: number, group: number, taken: number | null): number {
    const row = rowOf(port, group);
    const own = port * GROUPS + group;
    const pool = groupPool[own];
    const reserved = words[row * WORDS + RESERVED];
    const least = groupXon[own];
    if (pool === NONE) return doubles[row * DOUBLES + XOFF];
    const free = rows[pool * STRIDE + SIZE] - (taken ?? rows[pool * STRIDE + TAKEN]);
    const portOctets = taken === null ? rows[groupPort[own] * STRIDE + TAKEN] : 0;
    const now =
      isSteady[port] === 0 || taken !== null
        ? limitOf(port, group, free, portOctets)
        : steady(port, group, free);
    return Math.max(least, reserved + now - doubles[row * DOUBLES + XON_GAP], 0);
  }

  /** The threshold that a group would have if it were just there; its own frames do not move it. */
  function steady(port: number, group: number, freeOctets: number): number {
    const row = rowOf(port, group);
    const alpha = doubles[row * DOUBLES + ALPHA];
    const fixed = doubles[row * DOUBLES + XOFF];
    const others = freeOctets + Math.max(0, beyond(row * WORDS));
    const share = alpha === Infinity ? Infinity : alpha / (1 + alpha);
    return capped(share, others, fixed, cellOf[port]);
  }

  /** Removes what is free from the ingress pool of a slice, or returns it; returns how much. */
  function shrink(port: number, octets: number): number {
    const layout = layoutOf[port]!;
    const row = headroomPool[port] - layout.spec.pools.length;
    const cell = layout.cellOctets;
    const whole = octets < 0 ? octets : Math.floor(octets / cell) * cell;
    const taken = Math.min(whole, free(row));
    rows[row * STRIDE + SIZE] -= taken;
    return taken;
  }

  /** Of the device of a port: pools by slice, the headroom pool last. */
  function uses(port: number) {
    const { spec, first } = layoutOf[port]!;
    const names = [...spec.pools.map(({ name }) => name), HEADROOM_POOL];
    return Array.from({ length: spec.slices * names.length }, (_, i) => ({
      name: names[i % names.length],
      slice: Math.floor(i / names.length),
      ...useAt(first + i),
    }));
  }

  function useAt(row: number) {
    const r = row * STRIDE;
    return { sizeOctets: rows[r + SIZE], usedOctets: rows[r + TAKEN], peakOctets: rows[r + MOST] };
  }

  /** What each pool of a device should hold by its accounts and queues, in the order of `uses`. */
  function owed(port: number): number[] {
    const { spec, first, firstPort } = layoutOf[port]!;
    const sums = new Array<number>(spec.slices * (spec.pools.length + 1)).fill(0);
    spec.sliceOf.forEach((_, p) => {
      const own = firstPort + p;
      for (let g = 0; g < GROUPS; g++) {
        const a = rowOf(own, g) * WORDS;
        sums[headroomPool[own] - first] += words[a + HEADROOM];
        const pool = groupPool[own * GROUPS + g];
        if (pool !== NONE) sums[pool - first] += Math.max(0, beyond(a));
        const queue = queuePool[own * QUEUES + g];
        const held = rows[(queueRow[own] + g) * STRIDE + TAKEN];
        if (queue !== NONE && isByGroups[own * QUEUES + g] === 0) {
          sums[queue - first] += Math.max(0, held - queueReserved[own * QUEUES + g]);
        }
      }
    });
    return sums;
  }

  /** A frame was lost at its egress queue. */
  function refusedAtQueue(port: PortRow, trafficClass: TrafficClass, octets: number): void {
    const r = (queueRow[port] + trafficClass) * STRIDE;
    rows[r + REFUSED_FRAMES]++;
    rows[r + REFUSED_OCTETS] += octets;
  }

  /** A frame was lost at its group. */
  function refusedAtGroup(port: PortRow, group: number): void {
    words[rowOf(port, group) * WORDS + REFUSED]++;
  }

  function statisticsOf(port: PortRow, trafficClass: TrafficClass) {
    const r = (queueRow[port] + trafficClass) * STRIDE;
    return {
      peakOctets: rows[r + MOST],
      peakSharedOctets: Math.max(0, rows[r + MOST] - queueReserved[port * QUEUES + trafficClass]),
      refusedFrames: rows[r + REFUSED_FRAMES],
      refusedOctets: rows[r + REFUSED_OCTETS],
    };
  }

  /** Octets that a queue is charged with. */
  function octetsQueued(port: number, trafficClass: number): number {
    return rows[(queueRow[port] + trafficClass) * STRIDE + TAKEN];
  }

  return {
    configure,
    admit,
    release,
    refusesQueue,
    queued,
    atXoff,
    atXon,
    threshold,
    xonLimit,
    shrink,
    uses,
    owed,
    refusedAtQueue,
    refusedAtGroup,
    statisticsOf,
    octetsQueued,
  };
}
