/** Rounding of sums of fractions. */
const EPSILON = 1e-6;

/** What those who share something in turn were promised, in any unit of cost. */
export interface ShareRule {
  /** By party: what it gets in a round at least; 0 where it is promised nothing. */
  readonly shares: ArrayLike<number>;
  /** By party: what it may save; nobody loses a promise by that unless it is hardly more. */
  readonly limits: ArrayLike<number> | null;
  /** By party: those whose debts it waits for, itself among them. */
  readonly families: readonly (readonly number[])[];
  /** By party: the group that what it gets counts for; -1 if nobody cares. */
  readonly groupOf: ArrayLike<number>;
  /** By group: what all its parties get in a round at most; 0 where nothing is said of that. */
  readonly groupShares: ArrayLike<number>;
  /** Rounds that two may be apart, beside their frames. */
  readonly apart: number;
}

/** Who stands in line when somebody is served. */
export interface Line {
  isWaiting(party: number): boolean;
  /** What its next frame costs, where a long one has to be saved for; else 0. */
  headCost(party: number): number;
  /** What a party, or a group, may have beyond its rounds from now on. */
  saved(party: number): number;
  savedByGroup(group: number): number;
}

/**
 * Rounds are not seen, but bounded: of those that have passed since a party began to wait, others
 * had theirs, and it had its own. If others must have had more than it can have had, they got more
 * than their share. Both are exact but for a frame that was begun, and one that is saved for.
 */
export class ShareBook {
  private readonly waits: Uint8Array;
  /** By party: what it had since it waits. */
  private readonly had: Float64Array;
  /** By party and group: what that was given meanwhile. */
  private readonly given: Float64Array;
  private readonly longest: Float64Array;
  private readonly groups: number;

  constructor(private readonly rule: ShareRule) {
    const parties = rule.shares.length;
    this.groups = rule.groupShares.length;
    this.waits = new Uint8Array(parties);
    this.had = new Float64Array(parties);
    this.given = new Float64Array(parties * this.groups);
    this.longest = new Float64Array(parties);
  }

  /** Somebody is served, of those in line; false if it got too much. */
  serve(party: number, cost: number, line: Line): boolean {
    const { waits, had, given, longest, rule } = this;
    const group = rule.groupOf[party]!;
    longest[party] = Math.max(longest[party]!, cost);
    const groupLongest = group < 0 ? 0 : this.longestOf(group);
    let fair = true;
    for (let i = 0; i < waits.length; i++) {
      const before = waits[i]!;
      waits[i] = line.isWaiting(i) ? 1 : 0;
      if (waits[i] === 0) continue;
      longest[i] = Math.max(longest[i]!, line.headCost(i));
      if (before === 0) {
        this.begin(i, line);
        continue;
      }
      if (i === party) had[i]! += cost;
      if (group < 0) continue;
      given[i * this.groups + group]! += cost;
      if (this.isBehind(i, group, groupLongest)) fair = false;
    }
    return fair;
  }

  /** A party waits from now on, and what was saved by anybody is not held against them. */
  private begin(party: number, line: Line): void {
    this.had[party] = -line.saved(party);
    for (let g = 0; g < this.groups; g++) {
      this.given[party * this.groups + g] = -line.savedByGroup(g);
    }
  }

  private isBehind(party: number, group: number, groupLongest: number): boolean {
    const { shares, limits, groupShares, apart } = this.rule;
    const [share, groupShare] = [shares[party]!, groupShares[group]!];
    if (share <= 0 || groupShare <= 0) return false;
    const owed = this.owedIn(party);
    if (limits !== null && limits[party]! - share < owed) return false;
    const least = (this.given[party * this.groups + group]! - groupLongest) / groupShare;
    const most = apart + (this.had[party]! + owed) / share;
    // As long as nobody's round was over, others live on what they had saved.
    return least > Math.max(0, most) + EPSILON;
  }

  private owedIn(party: number): number {
    let owed = 0;
    for (const other of this.rule.families[party]!) owed += this.longest[other]!;
    return owed;
  }

  private longestOf(group: number): number {
    const { groupOf } = this.rule;
    let longest = 0;
    for (let i = 0; i < this.longest.length; i++) {
      if (groupOf[i] === group) longest = Math.max(longest, this.longest[i]!);
    }
    return longest;
  }
}

/**
 * A frame of each in turn, whatever its length: one may have had its turn already. (Of the frames
 * that rounds allow for anyway, one of each, that is one less.)
 */
export function inTurn(parties: number): ShareRule {
  return apartFrom(new Array<number>(parties).fill(1), -1);
}

/** Everybody is a group of its own. */
export function apartFrom(shares: ArrayLike<number>, apart: number): ShareRule {
  const parties = Array.from({ length: shares.length }, (_, i) => i);
  const families = parties.map((i) => [i]);
  return { shares, limits: null, families, groupOf: parties, groupShares: shares, apart };
}
