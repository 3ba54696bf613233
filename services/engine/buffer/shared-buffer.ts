import type { IngressAccounts } from '../contract/flow-control.js';
import { DROP } from '../contract/probe.js';
import type { AccountSpec, BufferSpec } from '../contract/spec.js';
import { priorityRow, type Tables } from '../kernel/tables.js';

// Words of an ingress account; there is one per port and priority group.

export const USED = 0;
/** Part of USED that is charged to the headroom. */
export const HEADROOM = 1;
export const USED_PEAK = 2;
export const HEADROOM_PEAK = 3;
const STOPPED = 4;
export const RESERVED = 5;
const HEADROOM_LIMIT = 6;
const LOSSLESS = 7;
const WORDS = 8;

// Doubles of an ingress account.

const ALPHA = 0;
const XOFF = 1;
const XON_GAP = 2;
const DOUBLES = 4;

// Doubles of a device: its memory.

/** Octets that are neither reserved nor headroom. */
export const POOL = 0;
export const POOL_USED = 1;
export const POOL_PEAK = 2;
const CELL = 3;
const EGRESS_RESERVED = 4;
const EGRESS_ALPHA = 5;
const MEMORY = 8;

export const ADMITTED = -1;

/**
 * The memory of switches. Each frame is charged twice, to the ingress account it came by and to
 * the egress queue it waits in. An account first fills its reservation, then its share of the
 * common pool up to a dynamic threshold (alpha times what is free), and, once its neighbour was
 * asked to stop, its headroom. What is released empties the headroom first.
 *
 * Only lossy frames are refused at a threshold; a lossless frame is refused only when its
 * headroom is full, and then lossless has failed.
 */
export class SharedBuffer implements IngressAccounts {
  private readonly words: Int32Array;
  private readonly doubles: Float64Array;
  private readonly memory: Float64Array;
  /** By port: its device's row of the memory. */
  private readonly memoryOf: Int32Array;

  constructor(tables: Tables) {
    this.words = tables.int32('port', 8 * WORDS);
    this.doubles = tables.float64('port', 8 * DOUBLES);
    this.memory = tables.float64('device', MEMORY);
    this.memoryOf = new Int32Array(this.words.length / (8 * WORDS));
  }

  /** Gives a device its memory and its ports their accounts. */
  configure(device: number, firstPort: number, spec: BufferSpec): void {
    const m = device * MEMORY;
    let apart = 0;
    spec.accounts.forEach((groups, port) => {
      this.memoryOf[firstPort + port] = m;
      groups.forEach((account, group) => {
        this.configureAccount(priorityRow(firstPort + port, group), account);
        apart += account.reservedOctets + account.headroomOctets;
      });
    });
    if (apart > spec.sizeOctets) throw new Error(`${apart} octets set apart of ${spec.sizeOctets}`);
    this.memory[m + POOL] = spec.sizeOctets - apart;
    this.memory[m + CELL] = spec.cellOctets;
    this.memory[m + EGRESS_RESERVED] = spec.egressReservedOctets;
    this.memory[m + EGRESS_ALPHA] = spec.egressAlpha;
  }

  /** Memory that a frame of so many octets takes behind this port. */
  storedOctets(port: number, octets: number): number {
    const cell = this.memory[this.memoryOf[port] + CELL];
    return cell === 1 ? octets : Math.ceil(octets / cell) * cell;
  }

  /**
   * Charges a frame to its ingress account, or says why it must be dropped.
   * `queueOctets` is what its egress queue holds already.
   */
  admit(port: number, group: number, stored: number, queueOctets: number): number {
    const { words, memory } = this;
    const row = priorityRow(port, group);
    const a = row * WORDS;
    const m = this.memoryOf[port];
    const headroom = words[a + HEADROOM];
    const used = words[a + USED];
    const before = used - headroom - words[a + RESERVED];
    const after = before + stored;
    const shared = before > 0 ? before : 0;
    const need = after > 0 ? after - shared : 0;
    const free = memory[m + POOL] - memory[m + POOL_USED];
    if (words[a + LOSSLESS] === 0) {
      const refusal = this.refusal(row, m, shared, need, free, queueOctets + stored);
      if (refusal !== ADMITTED) return refusal;
      this.takeFromPool(m, need);
    } else if (words[a + STOPPED] === 0 && need <= free) this.takeFromPool(m, need);
    else if (!this.takeHeadroom(a, stored)) return DROP.HEADROOM_EXHAUSTED;
    const now = used + stored;
    words[a + USED] = now;
    if (now > words[a + USED_PEAK]) words[a + USED_PEAK] = now;
    return ADMITTED;
  }

  release(port: number, group: number, stored: number): void {
    const { words, memory } = this;
    const a = priorityRow(port, group) * WORDS;
    const headroom = words[a + HEADROOM];
    const fromHeadroom = stored < headroom ? stored : headroom;
    const before = words[a + USED] - headroom - words[a + RESERVED];
    const after = before - (stored - fromHeadroom);
    words[a + HEADROOM] = headroom - fromHeadroom;
    words[a + USED] -= stored;
    if (before > 0) memory[this.memoryOf[port] + POOL_USED] -= before - (after > 0 ? after : 0);
  }

  atXoff(port: number, group: number): boolean {
    const a = priorityRow(port, group) * WORDS;
    return this.words[a + HEADROOM] > 0 || this.words[a + USED] >= this.threshold(port, group);
  }

  atXon(port: number, group: number): boolean {
    const row = priorityRow(port, group);
    const a = row * WORDS;
    if (this.words[a + HEADROOM] > 0) return false;
    const limit = this.threshold(port, group) - this.doubles[row * DOUBLES + XON_GAP];
    return this.words[a + USED] <= (limit > 0 ? limit : 0);
  }

  setStopped(port: number, group: number, stopped: boolean): void {
    this.words[priorityRow(port, group) * WORDS + STOPPED] = stopped ? 1 : 0;
  }

  /** XOFF threshold of an account as it stands now. */
  threshold(port: number, group: number): number {
    const row = priorityRow(port, group);
    const { memory, doubles } = this;
    const m = this.memoryOf[port];
    const free = memory[m + POOL] - memory[m + POOL_USED];
    const dynamic = this.words[row * WORDS + RESERVED] + doubles[row * DOUBLES + ALPHA] * free;
    const fixed = doubles[row * DOUBLES + XOFF];
    return dynamic < fixed ? dynamic : fixed;
  }

  get(port: number, group: number, word: number): number {
    return this.words[priorityRow(port, group) * WORDS + word];
  }

  memoryOfDevice(device: number, field: number): number {
    return this.memory[device * MEMORY + field];
  }

  private refusal(
    row: number,
    m: number,
    shared: number,
    need: number,
    free: number,
    queueOctets: number,
  ): number {
    // What an account has reserved is its own, however full the rest is.
    if (need === 0) return ADMITTED;
    if (need > free) return DROP.BUFFER_FULL;
    if (shared + need > this.doubles[row * DOUBLES + ALPHA] * free) return DROP.INGRESS_THRESHOLD;
    const limit = this.memory[m + EGRESS_RESERVED] + this.memory[m + EGRESS_ALPHA] * free;
    return queueOctets > limit ? DROP.EGRESS_THRESHOLD : ADMITTED;
  }

  private takeFromPool(m: number, octets: number): void {
    const { memory } = this;
    const used = memory[m + POOL_USED] + octets;
    memory[m + POOL_USED] = used;
    if (used > memory[m + POOL_PEAK]) memory[m + POOL_PEAK] = used;
  }

  private takeHeadroom(a: number, stored: number): boolean {
    const { words } = this;
    const filled = words[a + HEADROOM] + stored;
    if (filled > words[a + HEADROOM_LIMIT]) return false;
    words[a + HEADROOM] = filled;
    if (filled > words[a + HEADROOM_PEAK]) words[a + HEADROOM_PEAK] = filled;
    return true;
  }

  private configureAccount(row: number, spec: AccountSpec): void {
    const a = row * WORDS;
    this.words[a + RESERVED] = spec.reservedOctets;
    this.words[a + HEADROOM_LIMIT] = spec.headroomOctets;
    this.words[a + LOSSLESS] = spec.lossless ? 1 : 0;
    const d = row * DOUBLES;
    this.doubles[d + ALPHA] = spec.alpha;
    this.doubles[d + XOFF] = spec.xoffOctets;
    this.doubles[d + XON_GAP] = spec.xonGapOctets;
  }
}
