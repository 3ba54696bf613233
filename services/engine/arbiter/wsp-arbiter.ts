import { SHAPE } from '../kernel/kinds.js';
import { TRAFFIC_CLASSES, WIRE_OVERHEAD_OCTETS } from '../units/ethernet.js';
import { classesAbove, type Arbiter, type Heads } from '../contract/arbiter.js';
import { assert } from '../kernel/assert.js';
import { creditsOf, DEEPEST_DEBT } from './credits.js';
import type { TrafficClass } from '../units/indices.js';

/** A row of table T2 (or T4): configuration of one traffic class, in credits. */
export interface WspClass {
  readonly group: number;
  readonly refill: number;
  readonly most: number;
  readonly linkStrict: boolean;
  readonly groupStrict: boolean;
}

export interface WspModes {
  /** Without it, one frame of each class in turn; credits have no effect (7.7.2.4.3). */
  readonly weighted: boolean;
  /** What a class cannot take at its limit stays in its group, and debts are paid by the group. */
  readonly recycle: boolean;
}

/**
 * Weighted strict priority (7.7.2.4): the highest class with credits is served first, and the
 * search begins again at class 7 after every grant. A class may spend while it and its bandwidth
 * group have credits; when no class may, a cycle ends and all are refilled. So a group has its
 * share at least, and inside a group a class has its share at most unless credits are recycled.
 *
 * The arbiter of both transmit planes and of the receive buffers.
 */
export class WspArbiter {
  static readonly kinds = SHAPE;

  /** By class and by group: credits now (T2 and T3). */
  readonly credit = new Int32Array(TRAFFIC_CLASSES);
  readonly groupCredit = new Int32Array(TRAFFIC_CLASSES);
  /** By class: the lowest value so far. */
  readonly lowest = new Int32Array(TRAFFIC_CLASSES);
  cycles = 0;

  private readonly group = new Int32Array(TRAFFIC_CLASSES);
  private readonly refill = new Int32Array(TRAFFIC_CLASSES);
  private readonly most = new Int32Array(TRAFFIC_CLASSES);
  /** Classes with the bit set, one bit each. */
  private linkStrict = 0;
  private groupStrict = 0;
  /** By group: its classes that have credits, one bit each; and their refill and limit. */
  private readonly members = new Int32Array(TRAFFIC_CLASSES);
  private readonly groupRefill = new Int32Array(TRAFFIC_CLASSES);
  private readonly groupMost = new Int32Array(TRAFFIC_CLASSES);
  /** Credits at the start of the refill. */
  private readonly found = new Int32Array(TRAFFIC_CLASSES);
  /** Groups that have classes, and those of them that a cycle would not change, one bit each. */
  private groups = 0;
  private settled = 0;
  private weighted = true;
  private recycle = true;
  /** The class served last in round robin. */
  private last = TRAFFIC_CLASSES - 1;

  setModes(modes: WspModes): void {
    this.weighted = modes.weighted;
    this.recycle = modes.recycle;
    this.settled = 0;
  }

  /** Takes effect at once; credits stay as they are. */
  setClass(tc: TrafficClass, row: WspClass): void {
    const bit = 1 << tc;
    assert(row.group >= 0 && row.group < TRAFFIC_CLASSES, 'wsp.group-of-8');
    assert(row.refill >= 0 && row.most >= 0, 'wsp.refill');
    this.group[tc] = row.group;
    this.refill[tc] = row.refill;
    this.most[tc] = row.most;
    this.linkStrict = row.linkStrict ? this.linkStrict | bit : this.linkStrict & ~bit;
    this.groupStrict = row.groupStrict ? this.groupStrict | bit : this.groupStrict & ~bit;
    this.sumGroups();
  }

  /**
   * The class to be granted among those eligible (a bit each); -1 if none is, or if none of them
   * can ever have credits. A plane that cannot use the result does not call it.
   */
  pick(eligible: number): number {
    if (eligible === 0) return -1;
    if (!this.weighted) return this.pickInTurn(eligible);
    for (;;) {
      const tc = this.highest(eligible);
      if (tc >= 0) return tc;
      if (!this.endCycle()) return -1;
    }
  }

  /** Link strict classes above one need no credits of their own. */
  outranking(tc: number): number {
    return this.weighted ? this.linkStrict & classesAbove(tc) : 0;
  }

  /** A frame of so many octets is granted: what is charged depends on how strict the class is. */
  granted(tc: TrafficClass, octets: number): void {
    const bit = 1 << tc;
    if (!this.weighted) this.last = tc;
    if (!this.weighted || (this.linkStrict & bit) !== 0) return;
    const cost = creditsOf(octets);
    assert(octets > 0 && cost > 0, 'wsp.cost-of-frame');
    assert((this.members[this.group[tc]] & bit) !== 0, 'wsp.member-of-group');
    this.settled &= ~(1 << this.group[tc]);
    this.groupCredit[this.group[tc]] -= cost;
    if ((this.groupStrict & bit) === 0) this.spend(tc, cost);
    else if (this.refill[tc] > 0) this.spend(tc, Math.min(cost, Math.max(this.credit[tc], 0)));
  }

  private pickInTurn(eligible: number): number {
    const above = eligible & (-2 << this.last);
    const candidates = above !== 0 ? above : eligible;
    return 31 - Math.clz32(candidates & -candidates);
  }

  private highest(eligible: number): number {
    const { credit, groupCredit, group, linkStrict, groupStrict } = this;
    for (let left = eligible; left !== 0;) {
      const tc = 31 - Math.clz32(left);
      const bit = 1 << tc;
      if ((linkStrict & bit) !== 0) return tc;
      if (groupCredit[group[tc]] > 0 && ((groupStrict & bit) !== 0 || credit[tc] > 0)) return tc;
      left &= ~bit;
    }
    return -1;
  }

  /** Refills all; false if that changed nothing. */
  private endCycle(): boolean {
    const before = this.settled;
    for (let left = this.groups & ~before; left !== 0; left &= left - 1) {
      const g = 31 - Math.clz32(left & -left);
      if (!this.refillGroup(g)) this.settled |= 1 << g;
    }
    this.cycles++;
    return (this.groups & ~this.settled) !== 0;
  }

  /** False if nothing changed, which lasts until the group spends. */
  private refillGroup(g: number): boolean {
    const { credit, groupCredit, found } = this;
    for (let left = this.members[g]; left !== 0; left &= left - 1) {
      const tc = 31 - Math.clz32(left & -left);
      const filled = credit[tc] + this.refill[tc];
      const most = this.most[tc];
      found[tc] = credit[tc];
      credit[tc] = filled < most ? filled : most;
    }
    const before = groupCredit[g];
    let sum = this.sumOf(g);
    if (this.recycle) {
      const due = Math.min(before + this.groupRefill[g], this.groupMost[g]) - sum;
      if (due > 0) this.giveFromTop(g, due);
      else if (due < 0) this.takeFromBottom(g, -due);
      if (due !== 0) sum = this.sumOf(g);
    }
    assert(!this.recycle || sum <= this.groupMost[g], 'wsp.group-limit');
    groupCredit[g] = sum;
    if (sum !== before) return true;
    for (let left = this.members[g]; left !== 0; left &= left - 1) {
      const tc = 31 - Math.clz32(left & -left);
      if (credit[tc] !== found[tc]) return true;
    }
    return false;
  }

  /** What classes at their limit could not take is given to others of the group, highest first. */
  private giveFromTop(g: number, credits: number): void {
    const { credit, most } = this;
    let left = credits;
    for (let tc = TRAFFIC_CLASSES - 1; tc >= 0 && left > 0; tc--) {
      if ((this.members[g] & (1 << tc)) === 0) continue;
      const given = Math.min(left, Math.max(most[tc] - credit[tc], 0));
      assert(given >= 0, 'wsp.given-credits');
      credit[tc] += given;
      left -= given;
    }
  }

  /** What group strict classes spent beyond their own is paid by the group, lowest first. */
  private takeFromBottom(g: number, credits: number): void {
    let left = credits;
    for (let tc = 0; tc < TRAFFIC_CLASSES && left > 0; tc++) {
      if ((this.members[g] & (1 << tc)) === 0) continue;
      const paid = Math.min(left, Math.max(this.credit[tc], 0));
      this.spend(tc, paid);
      left -= paid;
    }
    const debtors = this.members[g] & this.groupStrict;
    for (let tc = 0; tc < TRAFFIC_CLASSES && left > 0; tc++) {
      if ((debtors & (1 << tc)) === 0) continue;
      const owed = Math.min(left, this.credit[tc] + DEEPEST_DEBT);
      this.spend(tc, owed);
      left -= owed;
    }
  }

  private spend(tc: TrafficClass, credits: number): void {
    const left = this.credit[tc] - credits;
    assert(credits >= 0, 'wsp.spent-credits');
    this.credit[tc] = left;
    if (left < this.lowest[tc]) this.lowest[tc] = left;
  }

  private sumOf(g: number): number {
    let sum = 0;
    for (let left = this.members[g]; left !== 0; left &= left - 1) {
      sum += this.credit[31 - Math.clz32(left & -left)];
    }
    return sum;
  }

  private sumGroups(): void {
    this.groups = 0;
    this.settled = 0;
    this.members.fill(0);
    this.groupRefill.fill(0);
    this.groupMost.fill(0);
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) {
      if ((this.linkStrict & (1 << tc)) !== 0) continue;
      const g = this.group[tc];
      this.groups |= 1 << g;
      this.members[g] |= 1 << tc;
      this.groupRefill[g] += this.refill[tc];
      this.groupMost[g] += this.most[tc];
    }
  }
}

/** The arbiter behind the transmit buffers: which class sends its next frame. */
export class PacketPlane implements Arbiter {
  readonly classes = new WspArbiter();

  /** One of those eligible is always granted: the configuration has no group without any refill. */
  pick(eligible: number, heads: Heads, port: number): number {
    const tc = this.classes.pick(eligible);
    assert(tc >= 0, 'nic.class-for-wire');
    this.classes.granted(tc, heads.headWireOctets(port, tc) - WIRE_OVERHEAD_OCTETS);
    return tc;
  }

  outranking(trafficClass: number): number {
    return this.classes.outranking(trafficClass);
  }
}
