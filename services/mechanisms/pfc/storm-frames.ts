import { PRIORITIES } from '../../engine/units/ethernet.js';
import { SHAPE } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { DROP_FRAMES, RX_FRAMES, TX_FRAMES, type Counters } from '../../engine/port/counters.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';

/** Frames of a priority at a port during storms: those of its queue, and those of its group. */
export interface StormFrames {
  readonly txOk: number;
  readonly txDropped: number;
  readonly rxOk: number;
  readonly rxDropped: number;
}

/** What a row has of each: at the beginning of the last storm, in all, and in the last one. */
const COUNTS = 4;
const AT_BEGIN = 0;
const IN_ALL = COUNTS;
const IN_LAST = 2 * COUNTS;
const STRIDE = 3 * COUNTS;

/** Counts frames while a watchdog sees a storm. */
export class StormCounts {
  private readonly rows: Float64Array;

  /** `dropped`: by port and priority, frames of the queue that the watchdog dropped. */
  constructor(
    tables: Tables,
    private readonly counters: Counters,
    private readonly dropped: Float64Array,
  ) {
    this.rows = tables.float64('port', field('storm frames', SHAPE, PRIORITIES * STRIDE));
  }

  begin(port: PortRow, priority: Priority): void {
    const r = rowOf(port, priority);
    for (let i = 0; i < COUNTS; i++) this.rows[r + AT_BEGIN + i] = this.now(port, priority, i);
  }

  end(port: PortRow, priority: Priority): void {
    const r = rowOf(port, priority);
    for (let i = 0; i < COUNTS; i++) {
      const last = this.now(port, priority, i) - this.rows[r + AT_BEGIN + i];
      this.rows[r + IN_LAST + i] = last;
      this.rows[r + IN_ALL + i] += last;
    }
  }

  /** In all storms, or in the last one; `isOn`: it goes on. */
  of(
    port: PortRow,
    priority: Priority,
    isOn: boolean,
  ): readonly [all: StormFrames, last: StormFrames] {
    const r = rowOf(port, priority);
    const running = (i: number): number =>
      isOn ? this.now(port, priority, i) - this.rows[r + AT_BEGIN + i] : 0;
    const all = (i: number): number => this.rows[r + IN_ALL + i] + running(i);
    const last = (i: number): number => (isOn ? running(i) : this.rows[r + IN_LAST + i]);
    return [framesFrom(all), framesFrom(last)];
  }

  private now(port: PortRow, priority: Priority, count: number): number {
    if (count === 0) return this.counters.get(port, priority, TX_FRAMES);
    if (count === 1) return this.dropped[port * PRIORITIES + priority];
    const lost = this.counters.get(port, priority, DROP_FRAMES);
    return count === 3 ? lost : this.counters.get(port, priority, RX_FRAMES) - lost;
  }
}

function rowOf(port: PortRow, priority: Priority): number {
  return (port * PRIORITIES + priority) * STRIDE;
}

function framesFrom(of: (count: number) => number): StormFrames {
  return { txOk: of(0), txDropped: of(1), rxOk: of(2), rxDropped: of(3) };
}
