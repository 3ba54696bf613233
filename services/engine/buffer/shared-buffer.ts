import { DROP } from '../contract/probe.js';
import type { AccountSpec, BufferChange, BufferSpec } from '../contract/memory.js';
import { assert } from '../kernel/assert.js';
import { fields } from '../kernel/fields.js';
import { PEAK, SHAPE } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import {
  ACCOUNT_FIELDS,
  ADMITTED,
  ALPHA,
  DOUBLES,
  HEADROOM,
  HEADROOM_LIMIT,
  HEADROOM_PEAK,
  KIND,
  LOSSLESS_BIT,
  PAUSED,
  POOLED_BIT,
  RESERVED,
  USED,
  USED_PEAK,
  WORDS,
  XOFF,
  XON_GAP,
} from './account-words.js';
import type { Pools } from './pools.js';
import { makePools } from './pools.js';

export {
  ADMITTED,
  HEADROOM,
  HEADROOM_LIMIT,
  HEADROOM_PEAK,
  REFUSED,
  RESERVED,
  SHARED_PEAK,
  USED,
  USED_PEAK,
} from './account-words.js';

// Doubles of a device: its buffer.

/** Octets that are neither reserved nor headroom. */
export const POOL = 0;
export const POOL_USED = 1;
export const POOL_PEAK = 2;
const CELL = 3;
const EGRESS_RESERVED = 4;
const EGRESS_ALPHA = 5;
const MEMORY = 8;
/** Octets that are stored with each frame. */
const FRAME = 6;
const UNUSED = [7];
const BUFFER = fields(
  MEMORY,
  {
    pool: [POOL, SHAPE],
    poolUsed: [POOL_USED, SHAPE],
    poolPeak: [POOL_PEAK, PEAK],
    cell: [CELL, SHAPE],
    egressReserved: [EGRESS_RESERVED, SHAPE],
    egressAlpha: [EGRESS_ALPHA, SHAPE],
    frame: [FRAME, SHAPE],
  },
  UNUSED,
);

const NO_ROW = -1;
/** CELL of a buffer that stores the octets of frames and nothing else. */
const EXACT = 0;

/**
 * The buffer of switches. Each frame is charged twice, to its ingress buffer and to its egress
 * queue; one that leaves by several ports once to its account, and to each of the queues. An
 * account first fills its reservation, then its share of the common pool up to a dynamic threshold
 * (alpha times what is free), and, after XOFF, its headroom. What is released empties the headroom
 * first.
 *
 * Only lossy frames are discarded at a threshold; a lossless frame is discarded only when its
 * headroom is full, which is a failure of lossless operation.
 */
export type SharedBuffer = ReturnType<typeof makeSharedBuffer>;

export function makeSharedBuffer(tables: Tables) {
  const portCount = tables.count('port');
  /** One plane per priority group. */
  const { words, doubles } = tables.records('port', ACCOUNT_FIELDS, 8);
  const memory = tables.float64('device', BUFFER);
  const memoryOf = new Int32Array(portCount);
  const pools: Pools = makePools(tables, { words, doubles, rowOf, counted });

  function rowOf(port: number, group: number): number {
    return group * portCount + port;
  }

  /**
   * Configures the buffer of a device and the accounts of its ports. `firstPool` is the device's
   * first row of the pools.
   */
  function configure(
    device: number,
    firstPort: number,
    spec: BufferSpec,
    firstPool: number = NO_ROW,
  ): void {
    const m = device * MEMORY;
    let reserved = 0;
    spec.accounts.forEach((groups, port) => {
      memoryOf[firstPort + port] = m;
      groups.forEach((account, group) => {
        configureAccount(rowOf(firstPort + port, group), account);
        reserved += account.reservedOctets + account.headroomOctets;
      });
    });
    if (reserved > spec.sizeOctets)
      throw new Error(`${reserved} octets reserved of ${spec.sizeOctets}`);
    assert(spec.cellOctets >= 1 && spec.egressReservedOctets >= 0, 'buffer.cells');
    memory[m + POOL] = spec.sizeOctets - reserved;
    memory[m + FRAME] = spec.pools?.frameOctets ?? 0;
    const isExact = spec.cellOctets === 1 && memory[m + FRAME] === 0;
    memory[m + CELL] = isExact ? EXACT : spec.cellOctets;
    memory[m + EGRESS_RESERVED] = spec.egressReservedOctets;
    memory[m + EGRESS_ALPHA] = spec.egressAlpha;
    if (spec.pools === null) return;
    spec.accounts.forEach((groups, port) => {
      groups.forEach((_, group) => {
        words[rowOf(firstPort + port, group) * WORDS + KIND] |= POOLED_BIT;
      });
    });
    pools.configure(firstPort, firstPool, spec);
  }

  /** Configures a buffer with pools anew, while it stores frames. */
  function change(firstPort: number, changes: BufferChange): void {
    assert(isPooled(firstPort, 0), 'buffer.change-of-pools');
    pools.change(firstPort, changes);
    memory[memoryOf[firstPort] + POOL] += changes.sharedOctets;
  }

  function isPooled(port: number, group: number): boolean {
    return (words[rowOf(port, group) * WORDS + KIND] & POOLED_BIT) !== 0;
  }

  /** Buffer that a frame of so many octets takes behind this port. */
  function storedOctets(port: number, octets: number): number {
    const cell = memory[memoryOf[port] + CELL];
    if (cell === EXACT) return octets;
    const wanted = octets + memory[memoryOf[port] + FRAME];
    const stored = Math.ceil(wanted / cell) * cell;
    assert(stored >= wanted && stored - wanted < cell, 'buffer.whole-cells');
    return stored;
  }

  /**
   * Charges a frame to its ingress buffer, or returns why it must be dropped. `queueOctets` is the
   * present length of its egress queue.
   */
  function admit(port: number, group: number, stored: number, queueOctets: number): number {
    const row = rowOf(port, group);
    const a = row * WORDS;
    const m = memoryOf[port];
    const headroom = words[a + HEADROOM];
    const used = words[a + USED];
    const before = used - headroom - words[a + RESERVED];
    const after = before + stored;
    const shared = before > 0 ? before : 0;
    const need = after > 0 ? after - shared : 0;
    const free = memory[m + POOL] - memory[m + POOL_USED];
    const kind = words[a + KIND];
    if (kind >= POOLED_BIT) return pools.admit(port, group, stored);
    if (kind !== LOSSLESS_BIT) {
      const reason = refusal(row, m, shared, need, free, queueOctets + stored);
      if (reason !== ADMITTED) return reason;
      takeFromPool(m, need);
    } else if (words[a + PAUSED] === 0 && need <= free) takeFromPool(m, need);
    else if (!takeHeadroom(a, stored)) return DROP.HEADROOM_EXHAUSTED;
    const now = used + stored;
    assert(stored > 0, 'buffer.admitted-octets');
    words[a + USED] = now;
    if (now > words[a + USED_PEAK]) words[a + USED_PEAK] = now;
    return ADMITTED;
  }

  /**
   * Whether the queue of an egress is too long for one of several copies of a frame. The
   * reservation of a lossy account applies here, too.
   */
  function refusesCopy(port: number, group: number, queueOctets: number): boolean {
    const row = rowOf(port, group);
    const a = row * WORDS;
    const kind = words[a + KIND];
    if (kind !== 0 || words[a + USED] <= words[a + RESERVED]) return false;
    const m = memoryOf[port];
    const free = memory[m + POOL] - memory[m + POOL_USED];
    return queueOctets > memory[m + EGRESS_RESERVED] + memory[m + EGRESS_ALPHA] * free;
  }

  function release(port: number, group: number, stored: number): void {
    const a = rowOf(port, group) * WORDS;
    if (words[a + KIND] >= POOLED_BIT) {
      pools.release(port, group, stored);
      return;
    }
    const headroom = words[a + HEADROOM];
    const used = words[a + USED];
    assert(stored <= used, 'buffer.release');
    const fromHeadroom = stored < headroom ? stored : headroom;
    const before = used - headroom - words[a + RESERVED];
    const after = before - (stored - fromHeadroom);
    words[a + HEADROOM] = headroom - fromHeadroom;
    words[a + USED] = used - stored;
    assert(headroom <= used, 'buffer.headroom-of-used');
    if (before <= 0) return;
    const m = memoryOf[port];
    const pooled = memory[m + POOL_USED] - (before - (after > 0 ? after : 0));
    assert(pooled >= 0, 'buffer.pool-of-accounts');
    memory[m + POOL_USED] = pooled;
  }

  /** A frame that stays in the buffer has left a queue, or (negative) joined one. */
  function requeued(port: number, trafficClass: number, octets: number): void {
    if (isPooled(port, 0)) pools.queued(port, trafficClass, -octets);
  }

  /** Whether a frame fits below XOFF, into what is reserved, while the sender is not paused. */
  function hasReserved(port: number, group: number, stored: number): boolean {
    const a = rowOf(port, group) * WORDS;
    return words[a + PAUSED] === 0 && words[a + USED] + stored <= words[a + RESERVED];
  }

  function atXoff(port: number, group: number): boolean {
    const a = rowOf(port, group) * WORDS;
    if (words[a + KIND] >= POOLED_BIT) return pools.atXoff(port, group);
    return words[a + HEADROOM] > 0 || words[a + USED] >= threshold(port, group);
  }

  function atXon(port: number, group: number): boolean {
    const row = rowOf(port, group);
    const a = row * WORDS;
    if (words[a + HEADROOM] > 0) return false;
    if (words[a + KIND] >= POOLED_BIT) return pools.atXon(port, group);
    const limit = threshold(port, group) - doubles[row * DOUBLES + XON_GAP];
    return words[a + USED] <= (limit > 0 ? limit : 0);
  }

  function setPaused(port: number, group: number, paused: boolean): void {
    words[rowOf(port, group) * WORDS + PAUSED] = paused ? 1 : 0;
  }

  /** Whether an overflow of an account is an error, or an ordinary drop. */
  function setLossless(port: number, group: number, lossless: boolean): void {
    const a = rowOf(port, group) * WORDS;
    words[a + KIND] = (words[a + KIND] & ~LOSSLESS_BIT) | (lossless ? LOSSLESS_BIT : 0);
  }

  /** Present XOFF threshold of an account. */
  function threshold(port: number, group: number): number {
    if (isPooled(port, group)) return pools.threshold(port, group);
    const row = rowOf(port, group);
    const m = memoryOf[port];
    const free = memory[m + POOL] - memory[m + POOL_USED];
    const dynamic = words[row * WORDS + RESERVED] + doubles[row * DOUBLES + ALPHA] * free;
    const fixed = doubles[row * DOUBLES + XOFF];
    return dynamic < fixed ? dynamic : fixed;
  }

  /** What an account must fall to before it is at XON, with so much of the pool in use. */
  function xonLimit(port: number, group: number, poolUsed: number): number {
    if (isPooled(port, group)) return pools.xonLimit(port, group, poolUsed);
    const row = rowOf(port, group);
    const free = memory[memoryOf[port] + POOL] - poolUsed;
    const dynamic = words[row * WORDS + RESERVED] + doubles[row * DOUBLES + ALPHA] * free;
    const limit =
      Math.min(dynamic, doubles[row * DOUBLES + XOFF]) - doubles[row * DOUBLES + XON_GAP];
    return Math.max(limit, 0);
  }

  /** Removes free buffer of the port's device from the pool, or returns it; returns how much. */
  function shrink(port: number, octets: number): number {
    if (isPooled(port, 0)) return pools.shrink(port, octets);
    const m = memoryOf[port];
    const taken = Math.min(octets, memory[m + POOL] - memory[m + POOL_USED]);
    memory[m + POOL] -= taken;
    assert(memory[m + POOL] >= memory[m + POOL_USED], 'buffer.shrunk-pool-holds-its-use');
    return taken;
  }

  function get(port: number, group: number, word: number): number {
    return words[rowOf(port, group) * WORDS + word];
  }

  /** Whether a group of any port has stored something. */
  function isUsed(group: number): boolean {
    for (let port = 0; port < portCount; port++) if (get(port, group, USED_PEAK) !== 0) return true;
    return false;
  }

  function memoryOfDevice(device: number, field: number): number {
    return memory[device * MEMORY + field];
  }

  function refusal(
    row: number,
    m: number,
    shared: number,
    need: number,
    free: number,
    queueOctets: number,
  ): number {
    // The reservation of an account is available to it, however full the rest is.
    if (need === 0) return ADMITTED;
    if (need > free) return DROP.BUFFER_FULL;
    if (shared + need > doubles[row * DOUBLES + ALPHA] * free) return DROP.INGRESS_THRESHOLD;
    const limit = memory[m + EGRESS_RESERVED] + memory[m + EGRESS_ALPHA] * free;
    return queueOctets > limit ? DROP.EGRESS_THRESHOLD : ADMITTED;
  }

  /** Of buffers with pools: what all ingress pools of the device hold. */
  function counted(port: number, octets: number): void {
    const m = memoryOf[port];
    const used = memory[m + POOL_USED] + octets;
    // Pools that were made smaller hold what they stored until it has left: their ledger knows it.
    assert(used >= 0 && (used <= memory[m + POOL] || isPooled(port, 0)), 'buffer.pool-has-room');
    memory[m + POOL_USED] = used;
    if (used > memory[m + POOL_PEAK]) memory[m + POOL_PEAK] = used;
  }

  function takeFromPool(m: number, octets: number): void {
    const used = memory[m + POOL_USED] + octets;
    assert(used <= memory[m + POOL], 'buffer.pool-has-room');
    memory[m + POOL_USED] = used;
    if (used > memory[m + POOL_PEAK]) memory[m + POOL_PEAK] = used;
  }

  function takeHeadroom(a: number, stored: number): boolean {
    const filled = words[a + HEADROOM] + stored;
    if (filled > words[a + HEADROOM_LIMIT]) return false;
    assert(stored > 0 && words[a + KIND] === LOSSLESS_BIT, 'buffer.headroom-of-lossless');
    words[a + HEADROOM] = filled;
    if (filled > words[a + HEADROOM_PEAK]) words[a + HEADROOM_PEAK] = filled;
    return true;
  }

  function configureAccount(row: number, spec: AccountSpec): void {
    const a = row * WORDS;
    assert(spec.reservedOctets >= 0 && spec.headroomOctets >= 0, 'buffer.account-sizes');
    assert(spec.alpha >= 0 && spec.xonGapOctets >= 0 && spec.xoffOctets >= 0, 'buffer.thresholds');
    words[a + RESERVED] = spec.reservedOctets;
    words[a + HEADROOM_LIMIT] = spec.headroomOctets;
    words[a + KIND] = spec.lossless ? LOSSLESS_BIT : 0;
    const d = row * DOUBLES;
    doubles[d + ALPHA] = spec.alpha;
    doubles[d + XOFF] = spec.xoffOctets;
    doubles[d + XON_GAP] = spec.xonGapOctets;
  }

  return {
    configure,
    change,
    isPooled,
    pools,
    storedOctets,
    admit,
    refusesCopy,
    release,
    requeued,
    hasReserved,
    atXoff,
    atXon,
    setPaused,
    setLossless,
    threshold,
    xonLimit,
    shrink,
    get,
    isUsed,
    memoryOfDevice,
  };
}
