import { creditsOf } from '../../engine/arbiter/credits.js';
import type { WspArbiter, WspClass, WspModes } from '../../engine/arbiter/wsp-arbiter.js';
import { TRAFFIC_CLASSES } from '../../engine/units/ethernet.js';
import type { Line, ShareRule } from '../../engine/analysis/shares/share-book.js';
import {
  GOT_MORE,
  inTurn,
  ShareBook,
  WENT_BEFORE,
} from '../../engine/analysis/shares/share-book.js';

/** A cycle that has begun. */
const CYCLES_APART = 1;

/**
 * Shares of the classes in a plane of an 82599 (7.7.2.4). A cycle ends only when no waiting class
 * may send, so a class that waits has its refill of every cycle, and a bandwidth group never has
 * more than its own.
 */
export class PlaneShares implements Line {
  private readonly book: ShareBook;
  private readonly linkStrict: number;
  private eligible = 0;

  constructor(
    private readonly arbiter: WspArbiter,
    rows: readonly WspClass[],
    private readonly modes: WspModes,
  ) {
    this.linkStrict = modes.weighted ? bitsOf(rows, ({ linkStrict }) => linkStrict) : 0;
    this.book = new ShareBook(modes.weighted ? weighted(rows, modes) : inTurn(TRAFFIC_CLASSES));
  }

  /** A class is granted a frame, of those eligible (a bit each): the violation, or null. */
  breach(tc: number, octets: number, eligible: number): string | null {
    this.eligible = eligible & ~this.linkStrict;
    if ((eligible & this.linkStrict) >> (tc + 1) !== 0) return WENT_BEFORE;
    const cost = this.modes.weighted ? creditsOf(octets) : Math.min(octets, 1);
    return this.book.serve(tc, cost, this) ? null : GOT_MORE;
  }

  isWaiting(tc: number): boolean {
    return (this.eligible & (1 << tc)) !== 0;
  }

  headCost(): number {
    return 0;
  }

  saved(tc: number): number {
    return this.modes.weighted ? this.arbiter.credit[tc] : 0;
  }

  savedByGroup(group: number): number {
    if (!this.modes.weighted) return 0;
    return this.modes.recycle ? this.arbiter.groupCredit[group] : this.arbiter.credit[group];
  }
}

/**
 * Without recycling every class has its own refill at most. A group strict class spends what is its
 * group's, so no minimum is guaranteed to the others of its group; without recycling the debt is
 * not charged to them.
 */
function weighted(rows: readonly WspClass[], { recycle }: WspModes): ShareRule {
  const isWith = (tc: number, other: number): boolean =>
    !rows[other].linkStrict && rows[other].group === rows[tc].group;
  const families = rows.map((_, tc) => rows.flatMap((__, o) => (isWith(tc, o) ? [o] : [])));
  const tiered = families.map((family) => family.some((tc) => rows[tc].groupStrict));
  const groupShares = new Array<number>(TRAFFIC_CLASSES).fill(0);
  rows.forEach(({ linkStrict, group, refill }, tc) => {
    if (linkStrict || (tiered[tc] && !recycle)) return;
    groupShares[recycle ? group : tc] += refill;
  });
  return {
    shares: rows.map(({ refill }, tc) => (tiered[tc] ? 0 : refill)),
    limits: rows.map(({ most }) => most),
    families,
    groupOf: rows.map(({ linkStrict, group }, tc) => (linkStrict ? -1 : recycle ? group : tc)),
    groupShares,
    apart: CYCLES_APART,
  };
}

function bitsOf(rows: readonly WspClass[], has: (row: WspClass) => boolean): number {
  return rows.reduce((bits, row, tc) => (has(row) ? bits | (1 << tc) : bits), 0);
}
