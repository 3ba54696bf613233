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

import type {
  BufferChange,
  BufferSpec,
  PooledGroupSpec,
  PooledSpec,
  PoolsSpec,
} from '../contract/memory.js';
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
/** What was taken when the pool was last set: it may be beyond its size until that has left. */
const HELD = 5;
const STRIDE = 6;
const POOL = fields(STRIDE, {
  size: [SIZE, SHAPE],
  taken: [TAKEN, SHAPE],
  peak: [MOST, PEAK],
  refusedFrames: [REFUSED_FRAMES, COUNTER],
  refusedOctets: [REFUSED_OCTETS, COUNTER],
  held: [HELD, SHAPE],
});

// Doubles of the same rows, of a queue and the group of its number: what each may take.

/** Position of a pool among those of its device. */
const QUEUE_POOL = 0;
const QUEUE_RESERVED = 1;
const QUEUE_ALPHA = 2;
const QUEUE_LIMIT = 3;
/** 1: a queue is not charged to its pool, which groups charge. */
const BY_GROUPS = 4;
const GROUP_POOL = 5;
const GROUP_XON = 6;
const PORT_ALPHA = 7;
const SHARES = 8;
const SHARE = fields(SHARES, {
  queuePool: [QUEUE_POOL, SHAPE],
  queueReserved: [QUEUE_RESERVED, SHAPE],
  queueAlpha: [QUEUE_ALPHA, SHAPE],
  queueLimit: [QUEUE_LIMIT, SHAPE],
  byGroups: [BY_GROUPS, SHAPE],
  groupPool: [GROUP_POOL, SHAPE],
  groupXon: [GROUP_XON, SHAPE],
  portAlpha: [PORT_ALPHA, SHAPE],
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
  const shares = tables.float64('pool', SHARE);
  // By port: the first row of its slice, of its own in pools, and of its queues.
  const sliceRow = new Int32Array(ports).fill(NONE);
  const portRow = new Int32Array(ports).fill(NONE);
  const queueRow = new Int32Array(ports).fill(NONE);
  const headroomPool = new Int32Array(ports).fill(NONE);
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
      sliceRow[port] = first;
      portRow[port] = firstOfPorts + p * count;
      headroomPool[port] = first + count;
      queueRow[port] = firstQueue + p * QUEUES;
      cellOf[port] = cellOctets;
      isSteady[port] = spec.steadyXon ? 1 : 0;
      spec.groups[p].forEach((group, g) => {
        const alpha = group.pool < 0 ? null : spec.portAlphas[p][group.pool];
        configureGroup(port, g, group, alpha);
      });
      spec.queues[p].forEach((queue, tc) => {
        configureQueue(port, tc, queue);
      });
    });
    assert(firstQueue + spec.sliceOf.length * QUEUES === firstRow + poolRows(buffer), 'pools.rows');
  }

  function setSize(row: number, octets: number, cellOctets: number): void {
    assert(octets >= 0 && (octets === Infinity || octets % cellOctets === 0), 'pools.whole-cells');
    rows[row * STRIDE + SIZE] = octets;
  }

  function configureGroup(
    port: number,
    group: number,
    spec: PooledGroupSpec,
    ofPort: number | null,
  ): void {
    const at = shareAt(port, group);
    shares[at + GROUP_POOL] = spec.pool;
    shares[at + GROUP_XON] = spec.xonOctets;
    shares[at + PORT_ALPHA] = ofPort ?? Infinity;
    const d = rowOf(port, group) * DOUBLES;
    doubles[d + ALPHA] = spec.alpha;
    doubles[d + XOFF] = spec.limitOctets;
    doubles[d + XON_GAP] = spec.xonOffsetOctets;
  }

  function configureQueue(port: number, trafficClass: number, queue: PooledSpec): void {
    const at = shareAt(port, trafficClass);
    shares[at + QUEUE_POOL] = queue.pool;
    shares[at + QUEUE_RESERVED] = queue.reservedOctets;
    shares[at + QUEUE_ALPHA] = queue.alpha;
    shares[at + QUEUE_LIMIT] = queue.limitOctets;
    shares[at + BY_GROUPS] = queue.isByGroups ? 1 : 0;
  }

  /**
   * A device is configured anew while it stores frames. Nothing is lost: what an account holds is
   * charged as its new profile has it, and may be beyond a limit until it has left.
   */
  function change(firstPort: number, { sizes, groups, queues }: BufferChange): void {
    const { first, spec } = layoutOf[firstPort]!;
    const count = spec.pools.length + 1;
    for (const { port, group, account, share, portAlpha } of groups) {
      const a = rowOf(firstPort + port, group) * WORDS;
      recharge(firstPort + port, group, -1);
      words[a + RESERVED] = account.reservedOctets;
      words[a + HEADROOM_LIMIT] = account.headroomOctets;
      configureGroup(firstPort + port, group, share, portAlpha);
      recharge(firstPort + port, group, 1);
    }
    for (const { port, queue, share } of queues) {
      rechargeQueue(firstPort + port, queue, -1);
      configureQueue(firstPort + port, queue, share);
      rechargeQueue(firstPort + port, queue, 1);
    }
    for (let i = 0; i < spec.slices * count; i++) {
      const r = (first + i) * STRIDE;
      rows[r + SIZE] += sizes[i % count];
      rows[r + HELD] = rows[r + TAKEN];
    }
  }

  function recharge(port: number, group: number, sign: number): void {
    const row = groupRow(port, group);
    if (row === NONE) return;
    takeShared(port, group, sign * Math.max(0, beyond(rowOf(port, group) * WORDS)));
  }

  function rechargeQueue(port: number, trafficClass: number, sign: number): void {
    const at = shareAt(port, trafficClass);
    if (shares[at + QUEUE_POOL] < 0 || shares[at + BY_GROUPS] !== 0) return;
    const held = rows[(queueRow[port] + trafficClass) * STRIDE + TAKEN];
    take(poolOfQueue(port, at), sign * Math.max(0, held - shares[at + QUEUE_RESERVED]));
  }

  /** Of the group and the queue of a number at a port. */
  function shareAt(port: number, number: number): number {
    return (queueRow[port] + number) * SHARES;
  }

  /** Row of the pool of a group; NONE: it has none. */
  function groupRow(port: number, group: number): number {
    const pool = shares[shareAt(port, group) + GROUP_POOL];
    return pool < 0 ? NONE : sliceRow[port] + pool;
  }

  /** Row of its port in that pool. */
  function portRowOf(port: number, group: number): number {
    return portRow[port] + shares[shareAt(port, group) + GROUP_POOL];
  }

  function poolOfQueue(port: number, at: number): number {
    return sliceRow[port] + shares[at + QUEUE_POOL];
  }

  function free(row: number): number {
    return rows[row * STRIDE + SIZE] - rows[row * STRIDE + TAKEN];
  }

  /** What an account may share of a pool of which so much is free; the port takes `portOctets`. */
  function limitOf(port: number, group: number, freeOctets: number, portOctets: number): number {
    const d = rowOf(port, group) * DOUBLES;
    const own = shares[shareAt(port, group) + PORT_ALPHA];
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
    const row = groupRow(port, group);
    if (row === NONE) return Infinity;
    return limitOf(port, group, free(row), rows[portRowOf(port, group) * STRIDE + TAKEN]);
  }

  /** What of an account lies beyond its reservation and not in its headroom; below 0: unused. */
  function beyond(a: number): number {
    return words[a + USED] - words[a + HEADROOM] - words[a + RESERVED];
  }

  /** Charges a frame to its group, or returns why it must be dropped. */
  function admit(port: number, group: number, stored: number): number {
    const a = rowOf(port, group) * WORDS;
    const row = groupRow(port, group);
    const before = Math.max(0, beyond(a));
    const need = Math.max(0, beyond(a) + stored) - before;
    const isLossless = (words[a + KIND] & LOSSLESS_BIT) !== 0;
    assert(stored > 0 && stored % cellOf[port] === 0, 'buffer.admitted-octets');
    if (row !== NONE && need > 0) {
      const room = free(row);
      // A lossless group may pass its threshold by the rest of a frame, a lossy one may not.
      const most = limit(port, group);
      const isBelow = isLossless ? before < most : before + need <= most;
      if (need > room || !isBelow) {
        if (!isLossless) return need > room ? DROP.BUFFER_FULL : DROP.INGRESS_THRESHOLD;
        if (!takeHeadroom(port, a, stored)) return DROP.HEADROOM_EXHAUSTED;
      } else takeShared(port, group, need);
    }
    const used = words[a + USED] + stored;
    words[a + USED] = used;
    if (used > words[a + USED_PEAK]) words[a + USED_PEAK] = used;
    if (beyond(a) > words[a + SHARED_PEAK]) words[a + SHARED_PEAK] = beyond(a);
    return ADMITTED;
  }

  function takeShared(port: number, group: number, octets: number): void {
    take(groupRow(port, group), octets);
    take(portRowOf(port, group), octets);
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
    assert(stored <= words[a + USED], 'buffer.release');
    const before = Math.max(0, beyond(a));
    const fromHeadroom = Math.min(stored, words[a + HEADROOM]);
    words[a + HEADROOM] -= fromHeadroom;
    words[a + USED] -= stored;
    assert(words[a + HEADROOM] <= words[a + USED], 'buffer.headroom-of-used');
    if (fromHeadroom > 0) take(headroomPool[port], -fromHeadroom);
    if (groupRow(port, group) === NONE) return;
    takeShared(port, group, Math.max(0, beyond(a)) - before);
  }

  /** Why a frame may not join a queue, or ADMITTED. */
  function refusesQueue(port: number, trafficClass: number, stored: number): number {
    const at = shareAt(port, trafficClass);
    if (shares[at + QUEUE_POOL] < 0) return ADMITTED;
    const row = poolOfQueue(port, at);
    const held = rows[(queueRow[port] + trafficClass) * STRIDE + TAKEN];
    const shared = held - shares[at + QUEUE_RESERVED];
    const after = shared + stored;
    if (after <= 0) return ADMITTED;
    const room = free(row);
    if (after - Math.max(0, shared) > room) return DROP.BUFFER_FULL;
    const most = capped(shares[at + QUEUE_ALPHA], room, shares[at + QUEUE_LIMIT], cellOf[port]);
    return after > most ? DROP.EGRESS_THRESHOLD : ADMITTED;
  }

  /** A frame has joined a queue, or (negative) left it. */
  function queued(port: number, trafficClass: number, stored: number): void {
    const at = shareAt(port, trafficClass);
    const row = queueRow[port] + trafficClass;
    const reserved = shares[at + QUEUE_RESERVED];
    const before = Math.max(0, rows[row * STRIDE + TAKEN] - reserved);
    take(row, stored);
    const after = Math.max(0, rows[row * STRIDE + TAKEN] - reserved);
    if (shares[at + QUEUE_POOL] < 0 || shares[at + BY_GROUPS] !== 0 || after === before) return;
    take(poolOfQueue(port, at), after - before);
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
    const pool = groupRow(port, group);
    const reserved = words[row * WORDS + RESERVED];
    const least = shares[shareAt(port, group) + GROUP_XON];
    if (pool === NONE) return doubles[row * DOUBLES + XOFF];
    const free = rows[pool * STRIDE + SIZE] - (taken ?? rows[pool * STRIDE + TAKEN]);
    const portOctets = taken === null ? rows[portRowOf(port, group) * STRIDE + TAKEN] : 0;
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
    const taken = Math.min(whole, Math.max(0, free(row)));
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

  /** Most that each pool of a device may hold, in the order of `uses`. */
  function mostHeld(port: number): number[] {
    const { spec, first } = layoutOf[port]!;
    return Array.from({ length: spec.slices * (spec.pools.length + 1) }, (_, i) => {
      const r = (first + i) * STRIDE;
      return Math.max(rows[r + SIZE], rows[r + HELD]);
    });
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
        const pool = groupRow(own, g);
        if (pool !== NONE) sums[pool - first] += Math.max(0, beyond(a));
        const at = shareAt(own, g);
        const held = rows[(queueRow[own] + g) * STRIDE + TAKEN];
        if (shares[at + QUEUE_POOL] >= 0 && shares[at + BY_GROUPS] === 0) {
          sums[poolOfQueue(own, at) - first] += Math.max(0, held - shares[at + QUEUE_RESERVED]);
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
      peakSharedOctets: Math.max(
        0,
        rows[r + MOST] - shares[shareAt(port, trafficClass) + QUEUE_RESERVED],
      ),
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
    change,
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
    mostHeld,
    owed,
    refusedAtQueue,
    refusedAtGroup,
    statisticsOf,
    octetsQueued,
  };
}
