import { USED } from '../engine/buffer/shared-buffer.js';
import type { SendSpec } from '../engine/contract/spec.js';
import type { DeviceSpec, Engine } from '../engine/device/engine.js';
import { DROP_FRAMES, TX_FRAMES, TX_OCTETS } from '../engine/port/counters.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';

export const SERIES_COLUMNS = [
  'time_ps',
  'port',
  'priority',
  'tx_frames',
  'tx_octets',
  'drop_frames',
  'held_ps',
  'queue_octets',
  'ingress_octets',
  'credit_units',
] as const;

/** Of a limited connection, while it is below line rate. */
export const RATE_COLUMNS = ['time_ps', 'flow', 'rate_bps', 'target_bps'] as const;

export type SeriesRow = readonly (number | string)[];

/** Rows of ports and of connections stand in one list. */
export function isRateRow(row: SeriesRow): boolean {
  return row.length === RATE_COLUMNS.length;
}

/** A port in the series, by its number in the service and its name. */
export interface SeriesPort {
  readonly port: number;
  readonly name: string;
}

/**
 * Samples of ports at fixed virtual times: what changed since the last sample, how full queues and
 * accounts are, and what credit a port has in its hand; and rates of connections. What has nothing
 * to say is left out.
 */
export class Sampler {
  rows: SeriesRow[] = [];
  /** Time of the next sample. */
  dueAt: number;
  private readonly last: Float64Array;
  /** Of the port that is sampled, by priority: credit in its hand, all channels together. */
  private readonly credit = new Float64Array(8);
  /** Connections that are limited, by their number in the service. */
  private readonly limited: readonly { readonly send: number; readonly name: string }[];

  constructor(
    private readonly engine: Engine,
    readonly ports: readonly SeriesPort[],
    private readonly intervalPs: number,
  ) {
    this.dueAt = intervalPs;
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
      this.countCredit(port.port);
      for (let priority = 0; priority < 8; priority++) this.samplePriority(port, i, priority);
    });
    for (const { send, name } of this.limited) this.sampleRate(send, name);
    this.dueAt += this.intervalPs;
  }

  /** Takes all that are due by then; there is nothing to execute before it. */
  sampleUpTo(timePs: number): void {
    for (let taken = 0; this.dueAt <= timePs; taken++) {
      const { length } = this.rows;
      this.sample();
      if (taken === 0 || this.rows.length > length) continue;
      // Of a time in which nothing happened; if that says nothing, neither will any later one.
      this.dueAt = (Math.floor(timePs / this.intervalPs) + 1) * this.intervalPs;
    }
  }

  /** Forgets samples that were taken after the last event. */
  cutOff(latestPs: number): void {
    this.rows = this.rows.filter(([time]) => (time as number) <= latestPs);
  }

  /** What the next sample is compared with. */
  saveLast(): Float64Array {
    return this.last.slice();
  }

  restore(rows: readonly SeriesRow[], dueAt: number, last: Float64Array): void {
    this.rows = [...rows];
    this.dueAt = dueAt;
    this.last.set(last);
  }

  private countCredit(port: number): void {
    const { credit, engine } = this;
    const { accounts, sender } = engine.credit;
    credit.fill(0);
    accounts.forEach(port, (row) => {
      credit[accounts.priority(row)]! += sender.available(row);
    });
  }

  private sampleRate(send: number, name: string): void {
    const { rateBps, targetBps, lineBps } = this.engine.rates.status(send)!;
    if (rateBps === lineBps) return;
    this.rows.push([this.dueAt, name, Math.round(rateBps), Math.round(targetBps)]);
  }

  /** Most of what is looked at says nothing, so nothing is made before something does. */
  private samplePriority({ port, name }: SeriesPort, i: number, priority: number): void {
    const { engine, last, dueAt } = this;
    const { counters, queues, buffer } = engine.shared;
    const at = (i * 8 + priority) * CHANGES;
    const txFrames = counters.get(port, priority, TX_FRAMES);
    const txOctets = counters.get(port, priority, TX_OCTETS);
    const dropFrames = counters.get(port, priority, DROP_FRAMES);
    const heldPs = engine.heldPs(port, priority, dueAt);
    const credit = this.credit[priority]!;
    const queueOctets = queues.get(port, priority, QUEUE_OCTETS);
    const ingressOctets = buffer.get(port, priority, USED);
    const isAsBefore =
      txFrames === last[at] &&
      dropFrames === last[at + 2] &&
      heldPs === last[at + 3] &&
      credit === last[at + 4];
    if (isAsBefore && queueOctets === 0 && ingressOctets === 0) return;
    this.rows.push([
      dueAt,
      name,
      priority,
      txFrames - last[at]!,
      txOctets - last[at + 1]!,
      dropFrames - last[at + 2]!,
      heldPs - last[at + 3]!,
      queueOctets,
      ingressOctets,
      credit,
    ]);
    last[at] = txFrames;
    last[at + 1] = txOctets;
    last[at + 2] = dropFrames;
    last[at + 3] = heldPs;
    last[at + 4] = credit;
  }
}

/** Connections that a device sends by. */
export function sendsOf(spec: DeviceSpec): readonly SendSpec[] {
  return spec.kind === 'host' ? spec.sends : [];
}

/** Frames and octets sent, frames dropped, time held; and credit, whose change is worth a row. */
const CHANGES = 5;

/** Numbers that the sampler remembers of each port. */
export const CHANGES_PER_PORT = 8 * CHANGES;
