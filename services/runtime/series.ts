import { EXCHANGE } from '../mechanisms/registry.js';
import { USED } from '../engine/buffer/shared-buffer.js';
import type { SendSpec } from '../engine/contract/spec.js';
import type { DeviceSpec, Engine } from '../engine/device/engine.js';
import type { SeriesInterval } from '../fabric/assembly/series-interval.js';
import { intervalAt } from '../fabric/assembly/series-interval.js';
import { DROP_FRAMES, TX_FRAMES, TX_OCTETS } from '../engine/port/counters.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';
import type { SeriesRow } from './series-rows.js';
import { coarseRows } from './series-rows.js';

/** What a port may still send, at the end of an interval. */
const GRANTED_COLUMN = `${EXCHANGE}_units` as const;

export const SERIES_COLUMNS = [
  'time_ps',
  'port',
  'priority',
  'tx_frames',
  'tx_bytes',
  'dropped_frames',
  'blocked_ps',
  'queue_bytes',
  'ingress_bytes',
  GRANTED_COLUMN,
] as const;

/** Of each column: its type in SQL, its unit and its meaning. */
export const SERIES_MEANINGS: Readonly<
  Record<
    (typeof SERIES_COLUMNS)[number],
    readonly [type: 'VARCHAR' | 'BIGINT', unit: string, meaning: string]
  >
> = {
  time_ps: ['BIGINT', 'ps', 'End of the interval.'],
  port: ['VARCHAR', '', 'The port.'],
  priority: ['BIGINT', '0 to 7', 'The priority.'],
  tx_frames: ['BIGINT', 'frames', 'Frames sent in the interval.'],
  tx_bytes: ['BIGINT', 'bytes', 'Their bytes, FCS included.'],
  dropped_frames: ['BIGINT', 'frames', 'Frames dropped in the interval.'],
  blocked_ps: ['BIGINT', 'ps', `Time paused, or blocked on ${EXCHANGE}, in the interval.`],
  queue_bytes: ['BIGINT', 'bytes', 'Egress queue at its end.'],
  ingress_bytes: ['BIGINT', 'bytes', 'Ingress buffer of the priority group at its end.'],
  [GRANTED_COLUMN]: ['BIGINT', 'units', `Available ${EXCHANGE} at its end.`],
};

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
  /** Connections that are limited, by their number in the service. */
  private readonly limited: readonly { readonly send: number; readonly name: string }[];

  constructor(
    private readonly engine: Engine,
    readonly ports: readonly SeriesPort[],
    private readonly interval: SeriesInterval,
  ) {
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
    this.ports.forEach((port, i) => {
      this.countGrants(port.port);
      for (let priority = 0; priority < 8; priority++) this.samplePriority(port, i, priority);
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

  private countGrants(port: number): void {
    const { available, engine } = this;
    const { accounts, sender } = engine.books;
    available.fill(0);
    accounts.forEach(port, (row) => {
      available[accounts.priority(row)]! += sender.available(row);
    });
  }

  private sampleRate(send: number, name: string): void {
    const { rateBps, targetBps, lineBps } = this.engine.rates.status(send)!;
    if (rateBps === lineBps) return;
    this.rows.push([this.dueAt, name, Math.round(rateBps), Math.round(targetBps)]);
  }

  /** Most values are unchanged, so a row is created only for a change. */
  private samplePriority({ port, name }: SeriesPort, i: number, priority: number): void {
    const { engine, last, dueAt } = this;
    const { counters, queues, buffer } = engine.shared;
    const at = (i * 8 + priority) * CHANGES;
    const txFrames = counters.get(port, priority, TX_FRAMES);
    const txOctets = counters.get(port, priority, TX_OCTETS);
    const dropFrames = counters.get(port, priority, DROP_FRAMES);
    const blockedPs = engine.blockedPs(port, priority, dueAt);
    const available = this.available[priority]!;
    const queueOctets = queues.get(port, priority, QUEUE_OCTETS);
    const ingressOctets = buffer.get(port, priority, USED);
    const isAsBefore =
      txFrames === last[at] &&
      dropFrames === last[at + 2] &&
      blockedPs === last[at + 3] &&
      available === last[at + 4];
    if (isAsBefore && queueOctets === 0 && ingressOctets === 0) return;
    this.rows.push([
      dueAt,
      name,
      priority,
      txFrames - last[at]!,
      txOctets - last[at + 1]!,
      dropFrames - last[at + 2]!,
      blockedPs - last[at + 3]!,
      queueOctets,
      ingressOctets,
      available,
    ]);
    last[at] = txFrames;
    last[at + 1] = txOctets;
    last[at + 2] = dropFrames;
    last[at + 3] = blockedPs;
    last[at + 4] = available;
  }
}

/** Connections that a device sends by. */
export function sendsOf(spec: DeviceSpec): readonly SendSpec[] {
  return spec.kind === 'host' ? spec.sends : [];
}

/** Frames and octets sent, frames dropped, time blocked; and grants, whose change adds a row. */
const CHANGES = 5;

/** Numbers that the sampler stores of each port. */
export const CHANGES_PER_PORT = 8 * CHANGES;
