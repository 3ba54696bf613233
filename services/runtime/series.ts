import { USED } from '../engine/buffer/shared-buffer.js';
import type { Engine } from '../engine/device/engine.js';
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
] as const;

export type SeriesRow = readonly (number | string)[];

/** A port in the series, by its number in the service and its name. */
export interface SeriesPort {
  readonly port: number;
  readonly name: string;
}

/**
 * Samples of ports at fixed virtual times: what changed since the last sample, and how full
 * queues and accounts are. A priority without anything to say is left out.
 */
export class Sampler {
  rows: SeriesRow[] = [];
  /** Time of the next sample. */
  dueAt: number;
  private readonly last: Float64Array;

  constructor(
    private readonly engine: Engine,
    readonly ports: readonly SeriesPort[],
    private readonly intervalPs: number,
  ) {
    this.dueAt = intervalPs;
    this.last = new Float64Array(ports.length * CHANGES_PER_PORT);
  }

  /** Takes a sample; every actor has executed all before `dueAt`, and nothing from it on. */
  sample(): void {
    this.ports.forEach((port, i) => {
      for (let priority = 0; priority < 8; priority++) this.samplePriority(port, i, priority);
    });
    this.dueAt += this.intervalPs;
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

  private samplePriority({ port, name }: SeriesPort, i: number, priority: number): void {
    const { counters, queues, buffer } = this.engine.shared;
    const now = [
      counters.get(port, priority, TX_FRAMES),
      counters.get(port, priority, TX_OCTETS),
      counters.get(port, priority, DROP_FRAMES),
      this.engine.heldPs(port, priority, this.dueAt),
    ];
    const at = (i * 8 + priority) * CHANGES;
    const changes = now.map((value, k) => value - this.last[at + k]!);
    this.last.set(now, at);
    const levels = [queues.get(port, priority, QUEUE_OCTETS), buffer.get(port, priority, USED)];
    if (changes.some((value) => value !== 0) || levels.some((value) => value !== 0)) {
      this.rows.push([this.dueAt, name, priority, ...changes, ...levels]);
    }
  }
}

const CHANGES = 4;

/** Numbers that the sampler remembers of each port. */
export const CHANGES_PER_PORT = 8 * CHANGES;
