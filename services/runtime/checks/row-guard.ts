import type { Engine } from '../../engine/device/engine.js';
import { BrokenAssertion } from '../../engine/kernel/assert.js';
import type { ColumnLayout } from '../../engine/kernel/tables.js';
import { IN_FLIGHT_QUEUE_HEAD, IN_FLIGHT_QUEUE_TAIL } from '../../engine/port/ports.js';

const WORD_OCTETS = Int32Array.BYTES_PER_ELEMENT;

interface Copy {
  readonly layout: ColumnLayout;
  readonly now: Buffer;
  readonly before: Buffer;
  /** Words of a row that link partners write: frames in flight towards the port. */
  readonly inbox: ReadonlySet<number>;
}

/**
 * Checks that a device changes no row of another one. All tables are copied before a device
 * executes its events of a window, and compared afterwards, so this is for `--check=deep` and small
 * fabrics. State outside of tables (objects of a device) is not checked.
 */
export class RowGuard {
  private readonly copies: readonly Copy[];
  /** By device: itself and, where two ports are one part, the other one, in order. */
  private readonly parts: readonly (readonly number[])[];

  constructor(private readonly engine: Engine) {
    const { tables, ports } = engine.shared;
    const own = tables.layout().filter(({ isInbox }) => !isInbox);
    this.copies = own.map((layout) => {
      const { buffer, byteOffset, byteLength } = layout.column;
      const now = Buffer.from(buffer, byteOffset, byteLength);
      const isOfPorts = byteOffset === ports.words.byteOffset && buffer === ports.words.buffer;
      const inbox = new Set(isOfPorts ? [IN_FLIGHT_QUEUE_HEAD, IN_FLIGHT_QUEUE_TAIL] : []);
      return { layout, now, before: Buffer.alloc(byteLength), inbox };
    });
    const firstPortOf = engine.devices.map(({ spec }) =>
      spec.kind === 'host' ? (spec.nic?.secondPortOf ?? spec.name) : spec.name,
    );
    this.parts = firstPortOf.map((name) =>
      [...firstPortOf.keys()].filter((device) => firstPortOf[device] === name),
    );
  }

  /** The following changes are made by one device. */
  begin(): void {
    for (const { now, before } of this.copies) now.copy(before);
  }

  /** Fails if another device's row is not what it was. */
  end(device: number): void {
    const { devices, clock } = this.engine;
    for (const copy of this.copies) {
      const { unit } = copy.layout;
      const at = foreignChange(
        copy,
        this.parts[device]!.map((own) => devices[own]!.rows[unit]),
      );
      if (at === null) continue;
      const owner = devices.find(({ rows }) => {
        const { first, count } = rows[unit];
        return at >= first && at < first + count;
      });
      const broken = new BrokenAssertion('rows.foreign');
      broken.message += `: a row of ${owner?.spec.name ?? 'no device'}, by ${unit}`;
      broken.locate(device, devices[device]!.spec.name, clock.now);
      throw broken;
    }
  }
}

/** The first row that differs and is not among a device's own; null: there is none. */
function foreignChange(
  copy: Copy,
  own: readonly { readonly first: number; readonly count: number }[],
): number | null {
  const { rows, planes } = copy.layout;
  for (let plane = 0; plane < planes; plane++) {
    const start = plane * rows;
    let from = start;
    for (const { first, count } of [...own, { first: rows, count: 0 }]) {
      const found = firstChange(copy, from, start + first);
      if (found !== null) return found - start;
      from = start + first + count;
    }
  }
  return null;
}

function firstChange(
  { layout, now, before, inbox }: Copy,
  from: number,
  to: number,
): number | null {
  const octets = layout.stride * layout.column.BYTES_PER_ELEMENT;
  if (now.compare(before, from * octets, to * octets, from * octets, to * octets) === 0)
    return null;
  for (let row = from; row < to; row++) {
    for (let at = 0; at < octets; at++) {
      const i = row * octets + at;
      if (now[i] !== before[i] && !inbox.has(Math.floor(at / WORD_OCTETS))) return row;
    }
  }
  return null;
}
