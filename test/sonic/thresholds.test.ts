/** Thresholds of switches as hardware has them, by frames through the emulated switch. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import type { Asic } from '../../services/fabric/buffers/asics.js';
import { ASIC_NAMES } from '../../services/fabric/buffers/asics.js';
import { SonicError } from '../../services/sonic/file-errors.js';
import { ScenarioError } from '../../services/settings/errors.js';
import { asicOf } from '../../services/sonic/read.js';
import type { SonicAsic } from '../../services/sonic/scenario.js';
import { pageOf } from './against-hardware.js';
import { configured, distinct, measured, OWN_LAW, rowOf } from './measured.js';
import type { Vector } from './vectors.js';
import { listOf, numberOf, vectors } from './vectors.js';

/** Rows of headroom pools whose files have another pool than the switch of the lab had. */
const OTHER_POOL = ['td3', 'th2'];
/** XON offsets of the files, and what the lab found, differ by as much. */
const XON_WITHIN = 3;
const OF_LAB = { pfc: 2, drop: 4 };
const OF_GENERATOR = { pfc: 4, drop: 4 };

/** What differs from a row by more than it may; empty: nothing. */
function differences(row: Vector, within: typeof OF_LAB, asic?: SonicAsic): string[] {
  const name = row['asic']!;
  const isOther = OWN_LAW.includes(name);
  const found = measured(configured(row), asic);
  const wrong: string[] = [];
  const near = (what: string, actual: number | null, column: string, by: number): void => {
    if (row[column] === '') return;
    const expected = numberOf(row, column);
    if (Math.abs((actual ?? Infinity) - expected) <= by) return;
    wrong.push(`${what}: ${actual}, and ${expected} in the lab`);
  };
  const margin = numberOf(row, 'margin');
  if (!isOther) {
    near('PFC', found.pfc, 'pfc', Math.max(within.pfc, margin));
    near('drop', found.drop, 'drop', Math.max(within.drop, margin));
  } else if (found.drop - found.pfc! - 1 !== numberOf(row, 'drop') - numberOf(row, 'pfc')) {
    wrong.push(`headroom: ${found.drop - found.pfc! - 1}`);
  }
  if (row['kind'] === 'threshold-lab') near('XON', found.xon, 'xon_dismiss', XON_WITHIN);
  listOf(row, 'pfc_of_each_pg').forEach((frames, i) => {
    const by = Math.abs((found.pfcOfEach[i] ?? Infinity) - frames);
    if (by > (i === 0 ? within.pfc : 1)) wrong.push(`PFC of group ${i + 1}: ${found.pfcOfEach[i]}`);
  });
  if (row['shp_pgs'] !== '' && !isOther && !OTHER_POOL.includes(name)) {
    const full = new Array<number>(numberOf(row, 'shp_pgs') - 1).fill(numberOf(row, 'shp_full'));
    const expected = [...full, numberOf(row, 'shp_partial')].join();
    if (found.headroom.join() !== expected) wrong.push(`headroom: ${found.headroom.join()}`);
  }
  if (found.lossyEgress !== null) near('lossy egress', found.lossyEgress, 'lossy_egress_drop', 4);
  return wrong;
}

describe('thresholds of the lab', () => {
  const rows = distinct('threshold-lab');
  for (const row of rows) {
    it(`${row['asic']!}, row ${row['row']!}: ${row['source']!}`, () => {
      assert.deepEqual(differences(row, OF_LAB), []);
    });
  }

  it('stand in the page of the documentation', () => {
    const page = readFileSync(join(ROOT, 'docs/against-hardware.md'), 'utf8');
    assert.equal(page, pageOf(rows.map(rowOf)));
  });

  it('are all in the file', () => {
    assert.equal(vectors('threshold-lab').length, 25);
  });
});

describe('thresholds of the generator of NVIDIA', () => {
  it('are met by every shipped profile', () => {
    const rows = vectors('threshold-nvidia');
    const wrong = rows.flatMap((row) =>
      differences(row, OF_GENERATOR).map((what) => `row ${row['row']!}: ${what}`),
    );
    assert.deepEqual(wrong, []);
    assert.equal(rows.length, 69);
  });
});

/** Another value of each entry, far enough from the right one to be seen. */
const CHANGES: Readonly<Record<keyof Asic, (asic: Asic) => Partial<Asic>>> = {
  cellBytes: ({ cellBytes }) => ({ cellBytes: cellBytes + 32 }),
  frameBytes: ({ cellBytes }) => ({ frameBytes: 64 + cellBytes }),
  slices: ({ slices }) => ({ slices: slices + 1 }),
  poolSize: ({ poolSize }) => ({ poolSize: poolSize === 'net' ? 'gross' : 'net' }),
  portReserveCells: ({ portReserveCells }) => ({ portReserveCells: portReserveCells + 10 }),
  rounding: ({ rounding }) => ({ rounding: rounding === 'up' ? 'down' : 'up' }),
  headroomTimes: ({ headroomTimes }) => ({ headroomTimes: headroomTimes + 1 }),
  headroomLost: ({ headroomLost }) => ({
    headroomLost: headroomLost.map(({ fromBps, cells }) => ({ fromBps, cells: cells + 20 })),
  }),
  xonFrom: ({ xonFrom }) => ({ xonFrom: xonFrom === 'steady' ? 'present' : 'steady' }),
  memoryCells: () => ({ memoryCells: 1 }),
};

/** Whether a row depends on an entry at all; sizes in all files are whole cells, or nearly so. */
const APPLIES: Readonly<Partial<Record<keyof Asic, (row: Vector, asic: Asic) => boolean>>> = {
  portReserveCells: (_row, asic) => asic.poolSize === 'gross',
  rounding: () => false,
  headroomTimes: (row) => numberOf(row, 'pool_xoff') > 0,
  headroomLost: (row) => numberOf(row, 'pool_xoff') === 0,
  xonFrom: (row) => row['kind'] === 'threshold-lab' && row['xon_dismiss'] !== '',
};
/** Of virtual output queues a small pool is measured. */
const OF_POOLS = ['poolSize', 'slices', 'headroomTimes', 'xonFrom'];

describe('the table of ASICs', () => {
  const all = [...distinct('threshold-lab'), ...distinct('threshold-nvidia')];
  // Those with the lowest thresholds take the fewest frames.
  const sorted = all.sort((a, b) => numberOf(a, 'pfc') - numberOf(b, 'pfc'));
  for (const name of ASIC_NAMES) {
    const rows = sorted.filter(({ asic }) => asic === name);
    const isShared = (row: Vector): boolean => numberOf(row, 'pool_xoff') > 0;
    const chosen = [rows.find(isShared), rows.find((row) => !isShared(row))].filter(
      (row) => row !== undefined,
    );
    for (const key of Object.keys(CHANGES) as (keyof Asic)[]) {
      const asic = asicOf(name, '');
      const applying = chosen.filter((row) => APPLIES[key]?.(row, asic.accounting) ?? true);
      if (applying.length === 0 || (name === 'q3d' && OF_POOLS.includes(key))) continue;
      it(`has no other ${key} of ${name}`, () => {
        const accounting = { ...asic.accounting, ...CHANGES[key](asic.accounting) };
        const changed = { ...asic, accounting, written: JSON.stringify(writtenOf(accounting)) };
        const breaks = applying.map((row) => isBroken(row, changed));
        assert.ok(breaks.includes(true), 'every row holds with another value');
      });
    }
  }
});

/** A configuration that no longer fits is broken, too. */
function isBroken(row: Vector, asic: SonicAsic): boolean {
  try {
    return differences(row, OF_LAB, asic).length > 0;
  } catch (error) {
    if (error instanceof ScenarioError || error instanceof SonicError) return true;
    throw error;
  }
}

/** As a scenario has it. */
function writtenOf(asic: Asic): object {
  return {
    ...(asic.memoryCells !== null && { memory: asic.memoryCells }),
    cell: asic.cellBytes,
    frame: asic.frameBytes,
    slices: asic.slices,
    poolSize: asic.poolSize,
    portReserve: asic.portReserveCells,
    rounding: asic.rounding,
    headroomTimes: asic.headroomTimes,
    headroomLost: asic.headroomLost[0]!.cells,
    xonFrom: asic.xonFrom,
  };
}
