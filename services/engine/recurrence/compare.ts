import type { Kind } from '../kernel/kinds.js';
import type { Unit } from '../kernel/tables.js';
import type { Imprint } from './imprint.js';
import type { Run } from './runs.js';

/** A number of state that two imprints have. */
export interface Place {
  readonly device: number;
  /** The unit of the table and its row there; null: it is in none. */
  readonly unit: Unit | null;
  readonly row: number;
  readonly plane: number;
  readonly field: string;
  readonly kind: Kind['is'];
  readonly before: number;
  readonly after: number;
}

/** What ends that a state repeats: it may so many periods more. */
interface Bound {
  readonly periods: number;
  /** Null: nothing does. */
  readonly by: Place | null;
}

/** The state is the same a period later, but for what moves along. */
export interface Recurrence {
  readonly isEqual: true;
  readonly periodPs: number;
  readonly before: Imprint;
  readonly after: Imprint;
  /** Packets of a period, by connection: the row of its sending end. */
  readonly shifts: Float64Array;
  readonly most: Bound;
}

export interface Difference {
  readonly isEqual: false;
  readonly by: Place;
}

/** Compares the state of the same devices at two times, number by number and kind by kind. */
export function compareImprints(
  before: Imprint,
  after: Imprint,
  connections: number,
): Recurrence | Difference {
  const comparison = new Comparison(before, after, connections);
  comparison.anchor();
  const by = comparison.ofTables() ?? comparison.ofOthers();
  if (by !== null) return { isEqual: false, by };
  const { shifts, most, periodPs } = comparison;
  return { isEqual: true, periodPs, before, after, shifts, most };
}

/** Fields of the record that a number is in, by name; -1: there is none of that name. */
type Sibling = (name: string) => number;

const ALONE: Sibling = () => -1;
const SAME = 0;
const OTHER = 1;

class Comparison {
  readonly periodPs: number;
  readonly shifts: Float64Array;
  most: Bound = { periods: Infinity, by: null };
  /** Of the number that is compared. */
  private periods = Infinity;

  constructor(
    private readonly before: Imprint,
    private readonly after: Imprint,
    connections: number,
  ) {
    this.periodPs = after.nowPs - before.nowPs;
    this.shifts = new Float64Array(connections).fill(NaN);
  }

  /** Sending ends say how far their connections move. */
  anchor(): void {
    const [a, b] = [this.before.tables, this.after.tables];
    for (const { unit, field, at, count, firstRow } of this.after.runs) {
      if (unit !== 'send' || field.name !== 'next') continue;
      for (let i = 0; i < count; i++) this.shifts[firstRow + i] = b[at + i] - a[at + i];
    }
  }

  ofTables(): Place | null {
    const [a, b] = [this.before.tables, this.after.tables];
    for (const run of this.after.runs) {
      const { field, at, count, connections, firstRow } = run;
      const { least, most, isAnyway } = asBefore(field.kind, this.before.nowPs);
      for (let i = 0; i < count; i++) {
        const value = b[at + i];
        if (a[at + i] === value && (isAnyway || (value >= least && value <= most))) continue;
        const connection = connections === null ? -1 : connections[firstRow + i];
        const sibling: Sibling = (name) => {
          const other = run.record.get(name);
          return other === undefined ? -1 : other.at + i;
        };
        const { kind } = field;
        if (value === Infinity && a[at + i] === value && kind.is === 'due') continue;
        let verdict = this.judge(kind, a[at + i], value, connection, sibling, run.most);
        if (verdict === OTHER && kind.is === 'since' && this.stands(run, i)) verdict = SAME;
        if (verdict === OTHER) return this.placeOf(run, i);
        if (this.periods < this.most.periods) {
          this.most = { periods: this.periods, by: this.placeOf(run, i) };
        }
      }
    }
    return null;
  }

  private placeOf({ unit, field, firstRow, plane, at }: Run, i: number): Place {
    const row = firstRow + i;
    const device = this.after.devices.find(({ rows }) => {
      const { first, count } = rows[unit];
      return row >= first && row < first + count;
    });
    return {
      ...{ device: device!.place, unit, row, plane, field: field.name, kind: field.kind.is },
      ...{ before: this.before.tables[at + i], after: this.after.tables[at + i] },
    };
  }

  ofOthers(): Place | null {
    const [a, b] = [this.before.others, this.after.others];
    const { labels } = this.after;
    for (let i = 0; i < labels.length; i++) {
      const { kind, name, connection, device } = labels[i];
      const at = (): Place => ({
        ...{ device, unit: null, row: -1, plane: 0, field: name, kind: kind.is },
        ...{ before: a[i], after: b[i] },
      });
      const hasOther = i >= a.length || this.before.labels[i].name !== name;
      const most = Number.MAX_SAFE_INTEGER;
      if (hasOther || this.judge(kind, a[i], b[i], connection, ALONE, most) === OTHER) return at();
      if (this.periods < this.most.periods) this.most = { periods: this.periods, by: at() };
    }
    if (a.length === b.length) return null;
    const { name, device, kind } = this.before.labels[b.length];
    return {
      ...{ device, unit: null, row: -1, plane: 0, field: name, kind: kind.is },
      ...{ before: a[b.length], after: NaN },
    };
  }

  /** Whether no field of a record has changed. */
  private stands({ record }: Run, i: number): boolean {
    const [a, b] = [this.before.tables, this.after.tables];
    if (record.size === 0) return false;
    for (const { at } of record.values()) if (a[at + i] !== b[at + i]) return false;
    return true;
  }

  /** Sets `periods`, for how many more periods it stays as it is. */
  private judge(
    kind: Kind,
    a: number,
    b: number,
    connection: number,
    sibling: Sibling,
    most: number,
  ): number {
    this.periods = Infinity;
    switch (kind.is) {
      case 'shape':
        return Object.is(a, b) || a === b ? SAME : OTHER;
      case 'stamp':
      case 'peak':
      case 'derived':
        return SAME;
      case 'counter':
        return this.judgeCounter(a, b, most);
      case 'due':
        return this.judgeDue(a, b, kind.none, kind.towards, sibling);
      case 'since':
        return b - a === this.periodPs || (a === kind.none && b === kind.none) ? SAME : OTHER;
      case 'sequence':
        return this.judgeSequence(a, b, kind.none, connection);
      case 'countdown':
        return this.judgeCountdown(a, b, kind, connection);
      case 'limit':
        return this.judgeLimit(a, b, sibling(kind.towards));
      case 'unknown':
        return a === kind.idle && b === kind.idle ? SAME : OTHER;
    }
  }

  /** Sums of whole numbers are exact up to a bound. */
  private judgeCounter(a: number, b: number, most: number): number {
    if (a === b) return SAME;
    if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return OTHER;
    this.periods = Math.floor((most - Math.abs(b)) / Math.abs(b - a));
    return SAME;
  }

  private judgeDue(
    a: number,
    b: number,
    none: number,
    towards: string | undefined,
    sibling: Sibling,
  ): number {
    const { periodPs, before, after } = this;
    if (a === none || b === none) return a === b ? SAME : OTHER;
    if (b - a === periodPs) return SAME;
    if (a < before.nowPs && b < after.nowPs) return SAME;
    if (a !== b || Math.abs(b) === Infinity) return a === b ? SAME : OTHER;
    // It stands: what is still ahead at both times ends it.
    if (b < after.nowPs) return OTHER;
    this.periods = Math.floor((b - after.nowPs) / periodPs);
    const other = towards === undefined ? -1 : sibling(towards);
    if (other < 0) return SAME;
    const [from, to] = [before.tables[other], after.tables[other]];
    if (to - from !== periodPs) return SAME;
    this.periods = Math.min(this.periods, Math.floor((b - to - 1) / periodPs));
    return this.periods >= 0 ? SAME : OTHER;
  }

  private judgeSequence(a: number, b: number, none: readonly number[], connection: number): number {
    if (none.includes(a) || none.includes(b)) return a === b ? SAME : OTHER;
    return this.moves(b - a, connection);
  }

  private moves(by: number, connection: number): number {
    if (connection < 0) return by === 0 ? SAME : OTHER;
    const shift = this.shifts[connection];
    if (shift === by) return SAME;
    if (!Number.isNaN(shift)) return OTHER;
    this.shifts[connection] = by;
    return SAME;
  }

  private judgeCountdown(
    a: number,
    b: number,
    { none, most }: Extract<Kind, { is: 'countdown' }>,
    connection: number,
  ): number {
    if (a === none && b === none) return SAME;
    if (a === none || b === none) return OTHER;
    const by = a - b;
    if (this.moves(by, connection) === OTHER) return OTHER;
    if (by > 0) this.periods = Math.floor((b - (b > most ? most : 0) - 1) / by);
    return this.periods >= 0 ? SAME : OTHER;
  }

  private judgeLimit(a: number, b: number, towards: number): number {
    const [from, to] = [this.before.tables[towards], this.after.tables[towards]];
    const by = to - from;
    if (b - a === by || b === Infinity) return a === b || b - a === by ? SAME : OTHER;
    if (a !== b) return OTHER;
    if (by > 0) this.periods = Math.floor((b - to - 1) / by);
    return this.periods >= 0 ? SAME : OTHER;
  }
}

/** Of numbers that are as they were: all of these, or those within bounds, need no judgement. */
function asBefore(
  kind: Kind,
  nowPs: number,
): { readonly isAnyway: boolean; readonly least: number; readonly most: number } {
  switch (kind.is) {
    case 'shape':
    case 'stamp':
    case 'counter':
    case 'peak':
    case 'derived':
      return { isAnyway: true, least: 0, most: 0 };
    case 'due':
      // What is past at both times; without a time there is nothing that is past.
      return kind.none === Infinity
        ? { isAnyway: false, least: -Infinity, most: nowPs - 1 }
        : { isAnyway: false, least: kind.none, most: kind.none };
    case 'unknown':
      return { isAnyway: false, least: kind.idle, most: kind.idle };
    default:
      return { isAnyway: false, least: Infinity, most: -Infinity };
  }
}
