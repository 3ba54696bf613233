import type { IngressAccounts } from '../contract/flow-control.js';
import { DROP } from '../contract/probe.js';
import type { AccountSpec, BufferSpec } from '../contract/spec.js';

/** Words of an ingress account: one per port and priority group. */
export const USED = 0;
/** Part of USED that is charged to the headroom. */
export const HEADROOM = 1;
export const USED_PEAK = 2;
export const HEADROOM_PEAK = 3;
const STOPPED = 4;
const RESERVED = 5;
const HEADROOM_LIMIT = 6;
const LOSSLESS = 7;
const STRIDE = 8;

export const ADMITTED = -1;

/**
 * The memory of a switch. Each frame is charged twice, to the ingress account it came by and to
 * the egress queue it waits in. An account first fills its reservation, then its share of the
 * common pool up to a dynamic threshold (alpha times what is free), and, once its neighbour was
 * asked to stop, its headroom. What is released empties the headroom first.
 *
 * Only lossy frames are refused at a threshold; a lossless frame is refused only when its
 * headroom is full, and then lossless has failed.
 */
export class SharedBuffer implements IngressAccounts {
  private readonly accounts: Int32Array;
  private readonly alpha: Float64Array;
  private readonly xoff: Float64Array;
  private readonly xonGap: Float64Array;
  /** Octets that are neither reserved nor headroom. */
  readonly poolOctets: number;
  private poolUsed = 0;
  private poolPeak = 0;
  private readonly cellOctets: number;
  private readonly egressReserved: number;
  private readonly egressAlpha: number;

  constructor(spec: BufferSpec) {
    const ports = spec.accounts.length;
    this.accounts = new Int32Array(ports * 8 * STRIDE);
    this.alpha = new Float64Array(ports * 8);
    this.xoff = new Float64Array(ports * 8);
    this.xonGap = new Float64Array(ports * 8);
    this.cellOctets = spec.cellOctets;
    this.egressReserved = spec.egressReservedOctets;
    this.egressAlpha = spec.egressAlpha;
    let apart = 0;
    spec.accounts.forEach((groups, port) => {
      groups.forEach((account, group) => {
        this.configure((port << 3) | group, account);
        apart += account.reservedOctets + account.headroomOctets;
      });
    });
    this.poolOctets = spec.sizeOctets - apart;
    if (this.poolOctets < 0) throw new Error(`${apart} octets set apart of ${spec.sizeOctets}`);
  }

  /** Memory that a frame of so many octets takes. */
  storedOctets(octets: number): number {
    const cell = this.cellOctets;
    return cell === 1 ? octets : (((octets + cell - 1) / cell) | 0) * cell;
  }

  /**
   * Charges a frame to its ingress account, or says why it must be dropped.
   * `queueOctets` is what its egress queue holds already.
   */
  admit(port: number, group: number, stored: number, queueOctets: number): number {
    const { accounts } = this;
    const index = (port << 3) | group;
    const a = index * STRIDE;
    const headroom = accounts[a + HEADROOM];
    const used = accounts[a + USED];
    const reserved = accounts[a + RESERVED];
    const before = used - headroom - reserved;
    const sharedBefore = before > 0 ? before : 0;
    const after = before + stored;
    const need = (after > 0 ? after : 0) - sharedBefore;
    const free = this.poolOctets - this.poolUsed;
    if (accounts[a + LOSSLESS] !== 0) {
      if (accounts[a + STOPPED] !== 0 || need > free) {
        const filled = headroom + stored;
        if (filled > accounts[a + HEADROOM_LIMIT]) return DROP.HEADROOM_EXHAUSTED;
        accounts[a + HEADROOM] = filled;
        if (filled > accounts[a + HEADROOM_PEAK]) accounts[a + HEADROOM_PEAK] = filled;
      } else this.takeFromPool(need);
    } else {
      if (need > 0) {
        if (need > free) return DROP.BUFFER_FULL;
        if (sharedBefore + need > this.alpha[index] * free) return DROP.INGRESS_THRESHOLD;
      }
      if (queueOctets + stored > this.egressReserved + this.egressAlpha * free) {
        return DROP.EGRESS_THRESHOLD;
      }
      this.takeFromPool(need);
    }
    const now = used + stored;
    accounts[a + USED] = now;
    if (now > accounts[a + USED_PEAK]) accounts[a + USED_PEAK] = now;
    return ADMITTED;
  }

  release(port: number, group: number, stored: number): void {
    const { accounts } = this;
    const a = ((port << 3) | group) * STRIDE;
    const headroom = accounts[a + HEADROOM];
    const fromHeadroom = stored < headroom ? stored : headroom;
    const before = accounts[a + USED] - headroom - accounts[a + RESERVED];
    const after = before - (stored - fromHeadroom);
    accounts[a + HEADROOM] = headroom - fromHeadroom;
    accounts[a + USED] -= stored;
    if (before > 0) this.poolUsed -= before - (after > 0 ? after : 0);
  }

  atXoff(port: number, group: number): boolean {
    const index = (port << 3) | group;
    const a = index * STRIDE;
    const { accounts } = this;
    if (accounts[a + HEADROOM] > 0) return true;
    const used = accounts[a + USED];
    return used >= this.threshold(index);
  }

  atXon(port: number, group: number): boolean {
    const index = (port << 3) | group;
    const a = index * STRIDE;
    if (this.accounts[a + HEADROOM] > 0) return false;
    const limit = this.threshold(index) - this.xonGap[index];
    return this.accounts[a + USED] <= (limit > 0 ? limit : 0);
  }

  /** XOFF threshold of an account as it stands now. */
  threshold(account: number): number {
    const dynamic =
      this.accounts[account * STRIDE + RESERVED] +
      this.alpha[account] * (this.poolOctets - this.poolUsed);
    const fixed = this.xoff[account];
    return dynamic < fixed ? dynamic : fixed;
  }

  setStopped(port: number, group: number, stopped: boolean): void {
    this.accounts[((port << 3) | group) * STRIDE + STOPPED] = stopped ? 1 : 0;
  }

  get(port: number, group: number, word: number): number {
    return this.accounts[((port << 3) | group) * STRIDE + word];
  }

  get poolUsedOctets(): number {
    return this.poolUsed;
  }

  get poolPeakOctets(): number {
    return this.poolPeak;
  }

  private takeFromPool(octets: number): void {
    this.poolUsed += octets;
    if (this.poolUsed > this.poolPeak) this.poolPeak = this.poolUsed;
  }

  private configure(index: number, spec: AccountSpec): void {
    const a = index * STRIDE;
    this.accounts[a + RESERVED] = spec.reservedOctets;
    this.accounts[a + HEADROOM_LIMIT] = spec.headroomOctets;
    this.accounts[a + LOSSLESS] = spec.lossless ? 1 : 0;
    this.alpha[index] = spec.alpha;
    this.xoff[index] = spec.xoffOctets;
    this.xonGap[index] = spec.xonGapOctets;
  }
}
