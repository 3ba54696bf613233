/** Configurations of switches whose thresholds were measured, and what was measured. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';

/**
 * Rows that are restated from sonic-mgmt `b4ba9de3` (tests/qos/files/qos_params.*.yaml, and
 * mellanox/qos_param_generator.py), sonic-buildimage `086b03bd` (device/) and sonic-swss `e6b0c5b5`
 * (cfgmgr/*.lua).
 */
const FILE = join(ROOT, 'test/sonic/data/mmu-vectors.csv');

export type Vector = Readonly<Record<string, string>>;

export function vectors(kind: string): Vector[] {
  const [head, ...lines] = readFileSync(FILE, 'utf8').trim().split('\n') as [string, ...string[]];
  const columns = cells(head);
  return lines
    .map((line) => Object.fromEntries(cells(line).map((cell, i) => [columns[i]!, cell])))
    .filter((row) => row['kind'] === kind);
}

/** Some sources have a comma, and quotes around them. */
function cells(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g), ([, quoted, plain]) =>
    (quoted ?? plain ?? '').trim(),
  );
}

export const numberOf = (row: Vector, column: string): number => Number(row[column] ?? 0);

/** Lists of a row. */
export const listOf = (row: Vector, column: string): number[] =>
  row[column] === '' ? [] : row[column]!.split(';').map(Number);

interface Lossy {
  readonly size: number;
  readonly reserved: number;
  readonly dynamicTh: number;
}

/** The tables of a switch with so many ports, all alike; `lossy`: of its egress. */
export function configDb(row: Vector, ports: number, lossy: Lossy | null): string {
  const names = Array.from({ length: ports }, (_, i) => `Ethernet${i * 4}`);
  const each = <Value>(value: Value): Record<string, Value> =>
    Object.fromEntries(names.map((name) => [name, value]));
  const profile = {
    pool: 'ingress_lossless_pool',
    size: row['pg_size']!,
    xon: row['pg_xon']!,
    xoff: row['pg_xoff']!,
    ...(row['pg_xon_offset'] !== '' && { xon_offset: row['pg_xon_offset']! }),
    dynamic_th: row['dynamic_th']!,
  };
  const pool = { type: 'ingress', mode: 'dynamic', size: row['pool_size']! };
  const xoff = numberOf(row, 'pool_xoff');
  const egress = lossy && {
    egress_lossy_pool: { type: 'egress', mode: 'dynamic', size: String(lossy.size) },
  };
  const egressProfile = lossy && {
    egress_lossy_profile: {
      pool: 'egress_lossy_pool',
      size: String(lossy.reserved),
      dynamic_th: String(lossy.dynamicTh),
    },
  };
  return JSON.stringify(
    {
      DEVICE_METADATA: { localhost: { hostname: 'switch', hwsku: row['asic'] } },
      PORT: each({ speed: row['speed_mbps'], lanes: '0,1,2,3', admin_status: 'up' }),
      CABLE_LENGTH: { AZURE: each(`${row['cable_m']!}m`) },
      BUFFER_POOL: {
        ingress_lossless_pool: { ...pool, ...(xoff > 0 && { xoff: String(xoff) }) },
        ...egress,
      },
      BUFFER_PROFILE: { lossless: profile, ...egressProfile },
      BUFFER_PG: Object.fromEntries(names.map((name) => [`${name}|3-4`, { profile: 'lossless' }])),
      BUFFER_QUEUE: lossy && {
        [`${names.join(',')}|0-2`]: { profile: 'egress_lossy_profile' },
      },
      PORT_QOS_MAP: each({ pfc_enable: '3,4' }),
    },
    (_, value: unknown) => (value === null ? undefined : value),
    1,
  );
}
