import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProbeResult } from '../../services/sonic/probe.js';
import { probe } from '../../services/sonic/probe.js';
import { fabricOfScenario } from '../../services/sonic/check.js';
import { asicOf, readSwitches } from '../../services/sonic/read.js';
import type { SonicAsic } from '../../services/sonic/scenario.js';
import { scenarioOf } from '../../services/sonic/scenario.js';
import type { Vector } from './vectors.js';
import { configDb, numberOf, vectors } from './vectors.js';

const QUEUE_CELLS = 7;
/** Alpha of the lossy egress profile, where the egress pool is like that at ingress. */
const LOSSY_TH: Readonly<Record<string, number>> = { th3: 1, th5: 0 };
const PORTS = 8;

/** Of virtual output queues only differences follow from the configuration. */
export const OWN_LAW = ['q3d'];

/** A row as it is, or with a pool that takes fewer frames where its size does not matter. */
export function configured(row: Vector): Vector {
  return OWN_LAW.includes(row['asic']!) ? { ...row, pool_size: '100000000', pool_xoff: '0' } : row;
}

/** Rows of the same configuration, measured in several topologies, count once. */
export function distinct(kind: string): Vector[] {
  const keyOf = ({ row: _row, topology: _topology, ...rest }: Vector): string =>
    JSON.stringify(rest);
  return [...new Map(vectors(kind).map((row) => [keyOf(row), row])).values()];
}

/** A row beside what the emulated switch does. */
export function rowOf(row: Vector): { readonly row: Vector; readonly found: ProbeResult } {
  return { row, found: measured(configured(row)) };
}

/** What the emulated switch does that is configured as in a row. */
export function measured(row: Vector, asic: SonicAsic = asicOf(row['asic'], '')): ProbeResult {
  const ports = numberOf(row, 'lossless_ports') || PORTS;
  const folder = mkdtempSync(join(tmpdir(), 'selvage-sonic-'));
  try {
    const file = join(folder, 'config_db.json');
    writeFileSync(file, configDb(row, ports, lossyOf(row, ports)));
    const scenario = scenarioOf(readSwitches({ files: [file] }), asic);
    return probe(fabricOfScenario(scenario, file), {
      ...{ device: 'switch', port: 0, priority: 3, paused: [3, 4] },
      lossy: Object.hasOwn(LOSSY_TH, row['asic']!) ? 0 : null,
      groups: numberOf(row, 'shp_pgs') || row['pfc_of_each_pg']!.split(';').length,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Shipped files give the egress pool what the ingress pool shares. */
function lossyOf(
  row: Vector,
  ports: number,
): { size: number; reserved: number; dynamicTh: number } | null {
  const dynamicTh = LOSSY_TH[row['asic']!];
  if (dynamicTh === undefined) return null;
  const cell = numberOf(row, 'cell');
  const cells = (column: string): number => Math.floor(numberOf(row, column) / cell);
  const reserves = ports * (2 * cells('pg_size') + 10 * QUEUE_CELLS);
  const shared = cells('pool_size') - cells('pool_xoff') - reserves;
  return { size: shared * cell, reserved: QUEUE_CELLS * cell, dynamicTh };
}
