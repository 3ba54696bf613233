import assert from 'node:assert/strict';
import type { Engine } from '../../services/engine/device/engine.js';
import type { Difference, Recurrence } from '../../services/engine/recurrence/compare.js';
import type { Imprint } from '../../services/engine/recurrence/imprint.js';
import { makeRecurrences, type Recurrences } from '../../services/engine/recurrence/recurrence.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';

/** Where runs end: behind all events. */
const NEVER = 1e15;

/** A whole fabric in one engine, whose state is compared with its own, or with another's. */
export class Compared {
  readonly engine: Engine;
  readonly recurrences: Recurrences;
  private readonly windows: Windows;
  private readonly devices: readonly number[];

  constructor(fabric: Fabric) {
    this.engine = wholeEngine(fabric);
    this.windows = new Windows(this.engine, fabric.cluster);
    this.recurrences = makeRecurrences(this.engine);
    this.devices = [...this.engine.devices.keys()];
  }

  run(untilPs: number): void {
    this.windows.run(untilPs);
  }

  imprint(nowPs: number): Imprint {
    return this.recurrences.imprint(this.devices, nowPs);
  }

  /**
   * Executes starts of frames of a port from `fromPs` on, until ports are as they were before: from
   * then on a comparison whenever they are so again.
   */
  *repeats(fromPs: number, frames: number): Generator<Recurrence | Difference> {
    this.run(fromPs);
    const { at } = this.engine.shared.transmits;
    const port = at.findIndex((time) => time !== Infinity);
    const seen = new Set<string>();
    let known: { readonly core: string; readonly imprint: Imprint } | null = null;
    for (let frame = 0; frame < frames; frame++) {
      const nowPs = this.nextStart(port);
      const core = this.core(nowPs);
      if (known === null ? seen.has(core) : core === known.core) {
        const before = known;
        known = { core, imprint: this.imprint(nowPs) };
        if (before !== null) yield this.recurrences.compare(before.imprint, known.imprint);
      }
      seen.add(core);
    }
  }

  private nextStart(port: number): number {
    const { at } = this.engine.shared.transmits;
    do this.run(this.windows.nextTime() + 1);
    while (at[port] === Infinity);
    for (;;) {
      const startPs = at[port]!;
      this.run(startPs);
      if (at[port] === startPs) return startPs;
    }
  }

  /** Times of ports from now on, their queues, and how often they have had their turn. */
  private core(nowPs: number): string {
    const { arrivals, transmits, queues, tables } = this.engine.shared;
    const ports = [...arrivals.at.keys()].map((port) => {
      const octets = [0, 1, 2, 3, 4, 5, 6, 7].map((tc) => queues.queuedOctets(port, tc));
      return [arrivals.at[port]! - nowPs, transmits.at[port]! - nowPs, ...octets].join();
    });
    const turns = tables.layout().filter(({ fields }) => fields[0]!.name === 'turns');
    return [...ports, ...turns.map(({ column }) => column.join())].join(';');
  }
}

/** Asserts that two engines are in one state, number by number. */
function assertAlike(a: Compared, b: Compared, nowPs: number): void {
  const [one, other] = [a.imprint(nowPs), b.imprint(nowPs)];
  assert.deepEqual(one.others, other.others);
  for (const { unit, field, at, count, firstRow } of one.runs) {
    const own = one.tables.subarray(at, at + count);
    const place = `${unit} ${firstRow} ${field.name} at ${nowPs} ps`;
    assert.deepEqual(own, other.tables.subarray(at, at + count), place);
  }
  const peaks = ({ engine }: Compared): number[] =>
    engine.shared.tables.layout().flatMap(({ fields, column, stride }) => {
      const places = fields.filter(({ kind }) => kind.is === 'peak').map((field) => field.at);
      return [...column.filter((_, i) => places.includes(i % stride))];
    });
  assert.deepEqual(peaks(a), peaks(b), `peaks at ${nowPs} ps`);
}

/**
 * Moves the state on by so many periods and compares it with that of a run that executes them: then,
 * a few periods later, and at the end.
 */
export function assertAsExecuted(
  fabric: Fabric,
  moved: Compared,
  met: Recurrence,
  periods: number,
): void {
  const executed = new Compared(fabric);
  const { nowPs } = met.after;
  moved.recurrences.advance(met, periods);
  const thenPs = nowPs + periods * met.periodPs;
  for (const untilPs of [thenPs, thenPs + 3 * met.periodPs, NEVER]) {
    executed.run(untilPs);
    moved.run(untilPs);
    assertAlike(moved, executed, untilPs);
  }
}
