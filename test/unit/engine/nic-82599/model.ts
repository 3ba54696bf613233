/**
 * The arbiters of the 82599 by the letter of its data sheet (7.7.2.3 and 7.7.2.4), for comparison:
 * nothing here comes from the emulator, and nothing is clever.
 */

export interface ModelClass {
  readonly bwg: number;
  readonly refill: number;
  readonly max: number;
  readonly lsp: boolean;
  readonly gsp: boolean;
}

const UNIT = 64;
const DEBT_MOST = (2048 * 1024) / UNIT;

const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

/** 7.7.2.4: eight classes, up to eight groups. */
export class WspModel {
  readonly credit = new Map<number, number>();
  readonly groupCredit = new Map<number, number>();
  cycles = 0;
  private last = -1;

  constructor(
    private readonly isWeighted: boolean,
    private readonly recycles: boolean,
    private readonly rows: ReadonlyMap<number, ModelClass>,
  ) {
    for (const [tc, { bwg }] of rows) {
      this.credit.set(tc, 0);
      this.groupCredit.set(bwg, 0);
    }
  }

  pick(eligible: readonly number[]): number | null {
    if (eligible.length === 0) return null;
    if (!this.isWeighted) {
      const inTurn = Array.from({ length: 8 }, (_, i) => (this.last + 1 + i) % 8);
      return inTurn.find((tc) => eligible.includes(tc))!;
    }
    const descending = [...eligible].sort((a, b) => b - a);
    for (;;) {
      const found = descending.find((tc) => this.mayTransmit(tc));
      if (found !== undefined) return found;
      const before = this.state();
      this.endCycle();
      if (this.state() === before) return null;
    }
  }

  granted(tc: number, octets: number): void {
    this.last = tc;
    const { lsp, gsp, refill, bwg } = this.rows.get(tc)!;
    if (!this.isWeighted || lsp) return;
    const cost = Math.ceil(octets / UNIT);
    this.add(this.groupCredit, bwg, -cost);
    if (!gsp) this.add(this.credit, tc, -cost);
    else if (refill > 0) this.add(this.credit, tc, -Math.min(cost, Math.max(this.of(tc), 0)));
  }

  private mayTransmit(tc: number): boolean {
    const { lsp, gsp, bwg } = this.rows.get(tc)!;
    return lsp || (this.groupCredit.get(bwg)! > 0 && (gsp || this.of(tc) > 0));
  }

  private endCycle(): void {
    this.cycles++;
    const classes = [...this.rows].filter(([, { lsp }]) => !lsp);
    for (const [tc, { refill, max }] of classes) {
      this.credit.set(tc, Math.min(this.of(tc) + refill, max));
    }
    for (const bwg of new Set(classes.map(([, row]) => row.bwg))) {
      const members = classes.filter(([, row]) => row.bwg === bwg).sort(([a], [b]) => a - b);
      if (this.recycles) this.recycle(bwg, members);
      this.groupCredit.set(bwg, sum(members.map(([tc]) => this.of(tc))));
    }
  }

  private recycle(bwg: number, members: readonly (readonly [number, ModelClass])[]): void {
    const refills = sum(members.map(([, row]) => row.refill));
    const limits = sum(members.map(([, row]) => row.max));
    const credits = sum(members.map(([tc]) => this.of(tc)));
    let left = Math.min(this.groupCredit.get(bwg)! + refills, limits) - credits;
    for (const [tc, { max }] of [...members].reverse()) {
      if (left <= 0) break;
      const given = Math.min(left, Math.max(0, max - this.of(tc)));
      this.add(this.credit, tc, given);
      left -= given;
    }
    for (const [tc] of members) {
      if (left >= 0) break;
      const paid = Math.min(-left, Math.max(0, this.of(tc)));
      this.add(this.credit, tc, -paid);
      left += paid;
    }
    for (const [tc] of members.filter(([, { gsp }]) => gsp)) {
      if (left >= 0) break;
      const owed = Math.min(-left, this.of(tc) + DEBT_MOST);
      this.add(this.credit, tc, -owed);
      left += owed;
    }
  }

  private of(tc: number): number {
    return this.credit.get(tc)!;
  }

  private add(credits: Map<number, number>, key: number, difference: number): void {
    credits.set(key, credits.get(key)! + difference);
  }

  private state(): string {
    return JSON.stringify([[...this.credit], [...this.groupCredit]]);
  }
}

/** 7.7.2.3: a pointer that moves on with every grant, and a refill when nobody eligible has any. */
export class VmModel {
  readonly credit: number[];
  rounds = 0;
  private last = -1;

  constructor(
    private readonly isWeighted: boolean,
    private readonly refills: readonly number[],
  ) {
    this.credit = refills.map(() => 0);
  }

  pick(eligible: readonly number[]): number | null {
    if (eligible.length === 0) return null;
    const vms = this.refills.length;
    const inTurn = Array.from({ length: vms }, (_, i) => (this.last + 1 + i) % vms);
    for (;;) {
      const found = inTurn.find(
        (vm) => eligible.includes(vm) && (!this.isWeighted || this.credit[vm]! > 0),
      );
      if (found !== undefined) return found;
      this.rounds++;
      this.refills.forEach((refill, vm) => {
        this.credit[vm] = Math.min(this.credit[vm]! + refill, 2 * refill);
      });
    }
  }

  granted(vm: number, octets: number): void {
    this.last = vm;
    if (this.isWeighted) this.credit[vm]! -= Math.ceil(octets / UNIT);
  }
}

/** 7.7.2.1.1: a rate factor of 10.14 bits, MIFS and MMW_TIME, all truncated, in whole numbers. */
export function stampAfter(at: {
  readonly link: number;
  readonly target: number;
  readonly windowKb: number;
  readonly octets: number;
  readonly old: number;
  readonly now: number;
}): { raw: number; spacing: number; window: number; stamp: number } {
  const raw = Math.floor((at.link * 16_384) / at.target);
  const product = (n: number): number => Number((BigInt(n) * BigInt(raw)) / 16_384n);
  const spacing = product(at.octets);
  const window = product(at.windowKb) * 1024;
  const isLate = at.old + spacing < at.now - window;
  return { raw, spacing, window, stamp: (isLate ? at.now - window : at.old) + spacing };
}

/** 7.7.2.1.2. */
export function drift(raw: number, factor: number): number {
  const next = Number((BigInt(raw) * BigInt(factor)) / 16_384n);
  return next < 16_384 ? 16_384 : next;
}

interface Credits {
  readonly least: number;
  readonly multiplier: number;
  readonly refill: number[];
  readonly max: number[];
}

/** Credits of half a frame; and what brings the least share there. */
function scale(percent: readonly number[], frame: number): { least: number; multiplier: number } {
  const half = Math.trunc(frame / 2);
  const least = Math.trunc((half + UNIT - 1) / UNIT);
  const smallest = percent.filter((share) => share !== 0).reduce((a, b) => Math.min(a, b), 100);
  return { least, multiplier: Math.trunc(least / smallest) + 1 };
}

/** `ixgbe_ieee_credits` of Linux. */
export function ieeeCredits(percent: readonly number[], frame: number): Credits {
  const { least, multiplier } = scale(percent, frame);
  const refill = percent.map((share) => {
    const wanted = Math.min(share * multiplier, 511);
    return wanted < least ? least : wanted;
  });
  const max = percent.map((share) => (share === 0 ? least : Math.trunc((share * 4095) / 100)));
  return { least, multiplier, refill, max };
}

/** `ixgbe_dcb_calculate_tc_credits` of Linux, for an 82599. */
export function ceeCredits(
  tc: readonly (readonly [number, number])[],
  bwgPercent: readonly number[],
  frame: number,
): Credits & { readonly linkPercent: number[] } {
  const linkPercent = tc.map(([bwg, share]) => Math.trunc((share * bwgPercent[bwg]!) / 100));
  const { least, multiplier } = scale(linkPercent, frame);
  const shares = linkPercent.map((share, i) => (tc[i]![1] > 0 && share === 0 ? 1 : share));
  const refill = shares.map((share) => Math.min(share * multiplier, 511));
  const max = shares.map((share) => {
    const limit = Math.trunc((share * 4095) / 100);
    return limit !== 0 && limit < least ? least : limit;
  });
  return { least, multiplier, linkPercent, refill, max };
}
