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
    this.limited = engine.devices.flatMap(({ spec, rows }) =>
      sendsOf(spec).flatMap(({ name, rate }, c) =>
        rate === null ? [] : [{ send: rows.send.first + c, name }],
      ),
    );
  }

  /** Takes a sample; every actor has executed all before `dueAt`, and nothing from it on. */
  sample(): void {
    for (let priority = 0; priority < 8; priority++) {
      this.used[priority] ||= isUsed(this.engine, priority);
    }
    this.ports.forEach((port, i) => {
      countGranted(this.engine, port.port, this.available);
      for (let priority = 0; priority < 8; priority++) {
        if (this.used[priority] || this.isGrantedAnew(i, priority)) {
          this.samplePriority(port, i, priority);
        }
      }
    });
    for (const { send, name } of this.limited) this.sampleRate(send, name);
    this.dueAt += this.intervalPs;
  }

  /** Takes all samples that are due by then; there is nothing to execute before it. */
  sampleUpTo(timePs: number): void {
    let isFirst = true;
    while (this.dueAt <= timePs) {
      if (this.widens()) continue;
      const { length } = this.rows;
      this.sample();
      if (this.rows.length > length && this.rowsPs !== this.intervalPs) {
        this.rowsPs = this.intervalPs;
        this.rows = coarseRows(this.rows, this.intervalPs);
        continue;
      }
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst || this.rows.length > length) continue;
      // Of a time in which nothing happened; if that says nothing, neither will any later one.
      this.dueAt = (Math.floor(timePs / this.intervalPs) + 1) * this.intervalPs;
    }
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

  private isGrantedAnew(i: number, priority: number): boolean {
    return this.available[priority] !== this.last[(i * 8 + priority) * CHANGES + CHANGED.length];
  }

  private sampleRate(send: number, name: string): void {
    const { rateBps, targetBps, lineBps } = this.engine.rates.status(send)!;
    if (rateBps === lineBps) return;
    this.rows.push([this.dueAt, name, Math.round(rateBps), Math.round(targetBps)]);
  }

  /** Most values are unchanged, so nothing is made but for a change. */
  private samplePriority({ port, name }: SeriesPort, i: number, priority: number): void {
    const { reading, values, last, dueAt } = this;
    const at = (i * 8 + priority) * CHANGES;
    reading.port = port;
    reading.priority = priority;
    reading.nowPs = dueAt;
    reading.grantedUnits = this.available[priority]!;
    let isAsBefore = reading.grantedUnits === last[at + CHANGED.length];
    for (let k = 0; k < CHANGED.length; k++) {
      values[k] = CHANGED[k]!(reading);
      if (values[k] !== last[at + k]) isAsBefore = false;
    }
    for (let k = 0; k < LEVELS.length; k++) {
      const level = LEVELS[k]!(reading);
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
    last[at + CHANGED.length] = reading.grantedUnits;
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

/** Numbers that the sampler stores of each port. */
export const CHANGES_PER_PORT = 8 * CHANGES;
