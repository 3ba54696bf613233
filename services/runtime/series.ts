import { measuredColumns } from '../mechanisms/measure.js';
import type { Column } from '../mechanisms/result-table.js';
import {
  countGranted,
  SERIES_CHANGES,
  SERIES_LEVELS,
  type SeriesReading,
} from '../measures/series-measures.js';
import type { SendSpec } from '../engine/contract/spec.js';
import type { DeviceSpec, Engine } from '../engine/device/engine.js';
import type { SeriesInterval } from '../fabric/assembly/series-interval.js';
import { intervalAt } from '../fabric/assembly/series-interval.js';
import type { SeriesRow } from './series-rows.js';
import { coarseRows } from './series-rows.js';

const CHANGED = Object.values(SERIES_CHANGES).map(({ read }) => read);
const LEVELS = Object.values(SERIES_LEVELS).map(({ read }) => read);
const GRANTED = Object.keys(SERIES_LEVELS).indexOf('grantedUnits');

/** Of table `series`, in the order of its rows. */
export const SERIES_COLUMNS: readonly Column[] = [
  { name: 'time_ps', type: 'BIGINT', unit: 'ps', meaning: 'End of the interval.' },
  { name: 'port', type: 'VARCHAR', unit: '', meaning: 'The port.' },
  { name: 'priority', type: 'BIGINT', unit: '0 to 7', meaning: 'The priority.' },
  ...[...measuredColumns(SERIES_CHANGES), ...measuredColumns(SERIES_LEVELS)].map(
    ({ name, type, unit, meaning }) => ({ name, type, unit, meaning }),
  ),
];

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A port in the series, by its number in the service and its name. */
export interface SeriesPort {
  readonly port: number;
  readonly name: string;
}

type Rate = readonly [name: string, rateBps: number, targetBps: number];

/** What a sample read: of each port and priority, and of connections that are limited. */
export interface Taken {
  readonly values: Float64Array;
  readonly rates: readonly Rate[];
}

interface Repeated {
  readonly values: Float64Array;
  readonly growth: Float64Array | null;
  readonly periods: number;
}

/**
 * Samples of ports at fixed virtual times: changes since the last sample, levels of queues and
 * accounts, and available grants; and rates of connections. Rows without a value are left out.
 */
export class Sampler {
  rows: SeriesRow[] = [];
  /** Time of the next sample. */
  dueAt: number;
  private intervalPs: number;
  /** Interval of the rows that were kept when it last doubled. */
  private rowsPs: number;
  private readonly last: Float64Array;
  /** Of the port that is sampled, by priority: available grants, all channels together. */
  private readonly available = new Float64Array(8);
  /** What is read, again and again, and what came of it. */
  private readonly reading: Writable<SeriesReading>;
  private readonly values = new Float64Array(CHANGED.length + LEVELS.length);
  /** What the sample that is taken reads. */
  private readonly now: Writable<Taken>;
  /** By priority: whether any port has seen it. The others need no look at each value. */
  private readonly used: boolean[] = Array.from({ length: 8 }, () => false);
  /** Connections that are limited, by their number in the service. */
  private readonly limited: readonly { readonly send: number; readonly name: string }[];

  constructor(
    private readonly engine: Engine,
    readonly ports: readonly SeriesPort[],
    private readonly interval: SeriesInterval,
  ) {
    this.reading = { engine, port: 0, priority: 0, nowPs: 0, grantedUnits: 0 };
    this.intervalPs = interval.firstPs;
    this.rowsPs = interval.firstPs;
    this.dueAt = interval.firstPs;
    this.last = new Float64Array(ports.length * CHANGES_PER_PORT);
    this.now = { values: new Float64Array(ports.length * 8 * VALUES), rates: [] };
    this.limited = engine.devices.flatMap(({ spec, rows }) =>
      sendsOf(spec).flatMap(({ name, rate }, c) =>
        rate === null ? [] : [{ send: rows.send.first + c, name }],
      ),
    );
  }

  /** Takes all samples that are due by then; there is nothing to execute before it. */
  sampleUpTo(timePs: number): void {
    let isFirst = true;
    while (this.dueAt <= timePs) {
      if (this.widens()) continue;
      this.read(this.dueAt, this.now);
      const isChanged = this.add(this.now, null, 0);
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst || isChanged) continue;
      // Of a time in which nothing happened; if that says nothing, neither will any later one.
      this.dueAt = (Math.floor(timePs / this.intervalPs) + 1) * this.intervalPs;
    }
  }

  /** Times of the next samples, up to a time, and at most so many. */
  duesUpTo(timePs: number, most: number): number[] {
    const dues: number[] = [];
    let { dueAt, intervalPs } = this;
    while (dues.length < most) {
      const widePs = this.intervalFor(dueAt);
      if (widePs !== intervalPs) {
        intervalPs = widePs;
        dueAt = Math.ceil(dueAt / intervalPs) * intervalPs;
        continue;
      }
      if (dueAt > timePs) break;
      dues.push(dueAt);
      dueAt += intervalPs;
    }
    return dues;
  }

  /** What a sample reads at a time before which everything is executed, and nothing from it on. */
  take(timePs: number): Taken {
    const taken = { values: new Float64Array(this.now.values.length), rates: [] };
    this.read(timePs, taken);
    return taken;
  }

  /** Takes the next sample as if periods that change counters by `growth` had been executed. */
  repeat(taken: Taken, growth: Float64Array, periods: number): void {
    while (this.widens());
    this.add(taken, growth, periods);
  }

  /** Removes samples that were taken after the end of the run. */
  cutOff(endPs: number): void {
    this.rows = this.rows.filter(([time]) => (time as number) <= endPs);
  }

  /** What the next sample is compared with. */
  saveLast(): Float64Array {
    return this.last.slice();
  }

  restore(rows: readonly SeriesRow[], dueAt: number, last: Float64Array): void {
    this.rows = [...rows];
    this.dueAt = dueAt;
    this.last.set(last);
    // What was held before is not known.
    this.used.fill(true);
    this.intervalPs = this.intervalFor(dueAt);
  }

  /**
   * Doubles the interval where there are too many samples. Rows stay as they are until another one
   * is added: a partition may be sampled beyond the end of the run.
   */
  private widens(): boolean {
    const intervalPs = this.intervalFor(this.dueAt);
    if (intervalPs === this.intervalPs) return false;
    this.intervalPs = intervalPs;
    this.dueAt = Math.ceil(this.dueAt / intervalPs) * intervalPs;
    return true;
  }

  private intervalFor(dueAt: number): number {
    return dueAt === Infinity ? this.intervalPs : intervalAt(this.interval, dueAt);
  }

  private read(timePs: number, into: Writable<Taken>): void {
    const { engine, reading, available } = this;
    for (let priority = 0; priority < 8; priority++) {
      this.used[priority] ||= isUsed(engine, priority);
    }
    reading.nowPs = timePs;
    this.ports.forEach(({ port }, i) => {
      countGranted(engine, port, available);
      reading.port = port;
      for (let priority = 0; priority < 8; priority++) {
        const at = (i * 8 + priority) * VALUES;
        into.values[at + GRANTED_AT] = available[priority]!;
        if (!this.used[priority] && !this.isGrantedAnew(i, priority, available[priority]!))
          continue;
        reading.priority = priority;
        reading.grantedUnits = available[priority]!;
        for (let k = 0; k < CHANGED.length; k++) into.values[at + k] = CHANGED[k]!(reading);
        for (let k = 0; k < LEVELS.length; k++) {
          into.values[at + CHANGED.length + k] = LEVELS[k]!(reading);
        }
      }
    });
    into.rates = this.limited.flatMap(({ send, name }) => this.rateOf(send, name));
  }

  /** Adds the rows of a sample, if anything has changed; returns whether it has. */
  private add({ values, rates }: Taken, growth: Float64Array | null, periods: number): boolean {
    const { length } = this.rows;
    this.ports.forEach(({ name }, i) => {
      for (let priority = 0; priority < 8; priority++) {
        const isRead =
          this.used[priority]! ||
          this.isGrantedAnew(i, priority, values[(i * 8 + priority) * VALUES + GRANTED_AT]!);
        if (isRead) this.addPriority(name, i, priority, { values, growth, periods });
      }
    });
    for (const rate of rates) this.rows.push([this.dueAt, ...rate]);
    this.dueAt += this.intervalPs;
    if (this.rows.length === length) return false;
    if (this.rowsPs !== this.intervalPs) {
      this.rowsPs = this.intervalPs;
      this.rows = coarseRows(this.rows, this.intervalPs);
    }
    return true;
  }

  private isGrantedAnew(i: number, priority: number, granted: number): boolean {
    return granted !== this.last[(i * 8 + priority) * CHANGES + CHANGED.length];
  }

  private rateOf(send: number, name: string): Rate[] {
    const { rateBps, targetBps, lineBps } = this.engine.rates.status(send)!;
    return rateBps === lineBps ? [] : [[name, Math.round(rateBps), Math.round(targetBps)]];
  }

  /** Most values are unchanged, so nothing is made but for a change. */
  private addPriority(name: string, i: number, priority: number, of: Repeated): void {
    const { values, last, dueAt } = this;
    const at = (i * 8 + priority) * CHANGES;
    const from = (i * 8 + priority) * VALUES;
    const granted = of.values[from + GRANTED_AT]!;
    let isAsBefore = granted === last[at + CHANGED.length];
    for (let k = 0; k < CHANGED.length; k++) {
      const grown = of.growth === null ? 0 : of.periods * of.growth[from + k]!;
      values[k] = of.values[from + k]! + grown;
      if (values[k] !== last[at + k]) isAsBefore = false;
    }
    for (let k = 0; k < LEVELS.length; k++) {
      const level = of.values[from + CHANGED.length + k]!;
      values[CHANGED.length + k] = level;
      // Grants that stay as they are add no row.
      if (level !== 0 && k !== GRANTED) isAsBefore = false;
    }
    if (isAsBefore) return;
    const added = values.slice();
    for (let k = 0; k < CHANGED.length; k++) {
      added[k]! -= last[at + k]!;
      last[at + k] = values[k]!;
    }
    this.rows.push([dueAt, name, priority, ...added]);
    last[at + CHANGED.length] = granted;
  }
}

/** Connections that a device sends by. */
export function sendsOf(spec: DeviceSpec): readonly SendSpec[] {
  return spec.kind === 'host' ? spec.sends : [];
}

/** Whether anything of a priority, or in what has its number, was counted, stored or held. */
function isUsed({ shared }: Engine, priority: number): boolean {
  const { counters, queues, buffer, ports } = shared;
  if (counters.isUsed(priority) || ports.wasEverBlocked(priority)) return true;
  return queues.isUsed(priority) || buffer.isUsed(priority);
}

/** Counters, and grants, whose change adds a row. */
const CHANGES = CHANGED.length + 1;

/** Numbers that a sample reads of a port and priority: counters, levels, and grants. */
const GRANTED_AT = CHANGED.length + LEVELS.length;
const VALUES = GRANTED_AT + 1;

/** Numbers that the sampler stores of each port. */
export const CHANGES_PER_PORT = 8 * CHANGES;
