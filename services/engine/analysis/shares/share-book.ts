import { assert } from '../../kernel/assert.js';
/** Violations of the shares of classes. */
export const WENT_BEFORE = 'a class went before one that goes first';
export const GOT_MORE = 'a class got more than its share of the port';

/** Rounding of sums of fractions. */
const EPSILON = 1e-6;

/** Guaranteed shares of parties that are served in turn, in any unit of cost. */
export interface ShareRule {
  /** By party: its least service in a round; 0 without a guarantee. */
  readonly shares: ArrayLike<number>;
  /** By party: what it may save; that reduces no other guarantee unless it is hardly more. */
  readonly limits: ArrayLike<number> | null;
  /** By party: those whose debts it waits for, itself among them. */
  readonly families: readonly (readonly number[])[];
  /** By party: the group that its service counts for; -1 if none. */
  readonly groupOf: ArrayLike<number>;
  /** By group: most service of all its parties in a round; 0 without a limit. */
  readonly groupShares: ArrayLike<number>;
  /** Rounds that two may be apart, beside their frames. */
  readonly apart: number;
}

/** Parties that wait when one is served. */
export interface Line {
  isWaiting(party: number): boolean;
  /** Cost of its next frame, where a long one needs several rounds; else 0. */
  headCost(party: number): number;
  /** Service of a party, or a group, beyond its rounds from now on. */
  saved(party: number): number;
  savedByGroup(group: number): number;
}

/**
 * Rounds cannot be observed, but bounded: of those that have passed since any moment of a party's
 * wait, the others and the party itself had their shares. If the others must have had more than it
 * can have had, they got more than their share. Of all moments, the one is used since which the
 * party has had the least.
 */
export class ShareBook {
  private readonly waits: Uint8Array;
  /** By party and group, since that moment: service of the party, and of the group. */
  private readonly had: Float64Array;
  private readonly given: Float64Array;
  private readonly longest: Float64Array;
  private readonly groups: number;

  constructor(private readonly rule: ShareRule) {
    const parties = rule.shares.length;
    this.groups = rule.groupShares.length;
    this.waits = new Uint8Array(parties);
    this.had = new Float64Array(parties * this.groups);
    this.given = new Float64Array(parties * this.groups);
    this.longest = new Float64Array(parties);
  }

  /** A party is served, of those waiting; false if it got too much. */
  serve(party: number, cost: number, line: Line): boolean {
    const { waits, longest, rule } = this;
    const group = rule.groupOf[party];
    assert(party >= 0 && party < waits.length && cost >= 0, 'shares.party');
    longest[party] = Math.max(longest[party], cost);
    const groupLongest = group < 0 ? 0 : this.longestOf(group);
    let fair = true;
    for (let i = 0; i < waits.length; i++) {
      const before = waits[i];
      waits[i] = line.isWaiting(i) ? 1 : 0;
      if (waits[i] === 0) continue;
      longest[i] = Math.max(longest[i], line.headCost(i));
      for (let g = 0; before === 0 && g < this.groups; g++) this.begin(i, g, line);
      if (before === 0) continue;
      if (group >= 0) this.given[i * this.groups + group] += cost;
      if (i === party) this.advance(i, cost, line);
      if (group >= 0 && this.isBehind(i, group, groupLongest)) fair = false;
    }
    return fair;
  }

  /** A party was not waiting for a moment since the last was served. */
  interrupt(party: number): void {
    this.waits[party] = 0;
  }

  /** Savings of all parties until now are allowed. */
  private begin(party: number, group: number, line: Line): void {
    const pair = party * this.groups + group;
    this.had[pair] = -line.saved(party);
    this.given[pair] = -line.savedByGroup(group);
  }

  /** A party is served; it may have had so much that its worst moment begins now. */
  private advance(party: number, cost: number, line: Line): void {
    const { shares, groupShares } = this.rule;
    if (shares[party] <= 0) return;
    for (let g = 0; g < this.groups; g++) {
      const pair = party * this.groups + g;
      this.had[pair] += cost;
      if (groupShares[g] <= 0) continue;
      const lead = this.given[pair] / groupShares[g] - this.had[pair] / shares[party];
      const leadNow = line.saved(party) / shares[party] - line.savedByGroup(g) / groupShares[g];
      if (leadNow > lead) this.begin(party, g, line);
    }
  }

  private isBehind(party: number, group: number, groupLongest: number): boolean {
    const { shares, limits, groupShares, apart } = this.rule;
    const [share, groupShare] = [shares[party], groupShares[group]];
    if (share <= 0 || groupShare <= 0) return false;
    const owed = this.owedIn(party);
    if (limits !== null && limits[party] - share < owed) return false;
    const pair = party * this.groups + group;
    const least = (this.given[pair] - groupLongest) / groupShare;
    const most = apart + (this.had[pair] + owed) / share;
    // Until a round has passed for every party, others use what they had saved.
    return least > Math.max(0, most) + EPSILON;
  }

  private owedIn(party: number): number {
    let owed = 0;
    for (const other of this.rule.families[party]) owed += this.longest[other];
    return owed;
  }

  private longestOf(group: number): number {
    const { groupOf } = this.rule;
    let longest = 0;
    for (let i = 0; i < this.longest.length; i++) {
      if (groupOf[i] === group) longest = Math.max(longest, this.longest[i]);
    }
    return longest;
  }
}

/**
 * A frame of each in turn, whatever its length: one may have had its turn already. (Of the frames
 * that rounds allow anyway, one of each, that is one less.)
 */
export function inTurn(parties: number): ShareRule {
  return apartFrom(new Array<number>(parties).fill(1), -1);
}

/** Each party is a group of its own. */
export function apartFrom(shares: ArrayLike<number>, apart: number): ShareRule {
  const parties = Array.from({ length: shares.length }, (_, i) => i);
  const families = parties.map((i) => [i]);
  return { shares, limits: null, families, groupOf: parties, groupShares: shares, apart };
}
