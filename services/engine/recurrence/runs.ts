import type { Device } from '../device/device.js';
import type { Field } from '../kernel/fields.js';
import type { ColumnLayout, Tables, Unit } from '../kernel/tables.js';
import type { Connections } from './connections.js';

type Numbers = Int32Array | Float64Array | Uint8Array;

/** A field in consecutive rows, of one device or of several. */
export interface Run {
  readonly unit: Unit;
  readonly field: Field;
  readonly values: Numbers;
  readonly from: number;
  readonly step: number;
  readonly count: number;
  /** Its rows in the table, and in which of its planes. */
  readonly firstRow: number;
  readonly plane: number;
  /** By row of the table. */
  readonly connections: Int32Array | null;
  /** Other fields of the record by name; none where each field is a record of its own. */
  readonly record: ReadonlyMap<string, Run>;
  /** Where its numbers lie in an imprint. */
  readonly at: number;
  /** It can count so far, one by one. */
  readonly most: number;
}

/** Every number of these devices in the tables but what follows from others, field by field. */
export function runsOf(
  tables: Tables,
  devices: readonly Device[],
  connections: Connections,
): readonly Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const layout of tables.layout()) {
    for (const { first, count } of stretches(layout.unit, devices)) {
      for (let plane = 0; plane < layout.planes; plane++) {
        const record = new Map<string, Run>();
        for (const field of layout.fields) {
          const { is } = field.kind;
          if (is === 'derived' || is === 'peak') continue;
          const run = {
            ...{
              unit: layout.unit,
              field,
              count,
              firstRow: first,
              plane,
              at,
            },
            ...placed(layout, field, plane * layout.rows + first),
            ...{ connections: connections.of(layout.unit), record },
          };
          if (!layout.isApart) record.set(field.name, run);
          runs.push(run);
          at += count;
        }
      }
    }
  }
  return runs;
}

/** Rows of devices that follow each other: a run of many costs little more than one of a few. */
function stretches(unit: Unit, devices: readonly Device[]): { first: number; count: number }[] {
  const all: { first: number; count: number }[] = [];
  for (const { rows } of devices) {
    const { first, count } = rows[unit];
    const last = all[all.length - 1];
    if (last !== undefined && last.first + last.count === first) last.count += count;
    else if (count > 0) all.push({ first, count });
  }
  return all;
}

function placed({ column, stride }: ColumnLayout, { at, isDouble }: Field, row: number) {
  if (!isDouble)
    return { values: column, from: row * stride + at, step: stride, most: mostOf(column) };
  const values = new Float64Array(column.buffer, column.byteOffset, column.length / 2);
  return { values, from: (row * stride) / 2 + at, step: stride / 2, most: mostOf(values) };
}

/** Beyond it a number does not come out as if it had been counted up. */
function mostOf(values: Numbers): number {
  if (values instanceof Float64Array) return Number.MAX_SAFE_INTEGER;
  return 2 ** (8 * values.BYTES_PER_ELEMENT - (values instanceof Int32Array ? 1 : 0)) - 1;
}

/** Numbers of an imprint. */
export function lengthOf(runs: readonly Run[]): number {
  const last = runs[runs.length - 1];
  return last === undefined ? 0 : last.at + last.count;
}
