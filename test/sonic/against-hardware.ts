/** The page of `docs/against-hardware.md`, from the rows that were measured. */

import type { ProbeResult } from '../../services/sonic/probe.js';
import type { Vector } from './vectors.js';
import { numberOf } from './vectors.js';

const HEAD = `# Against hardware

Frames of 64 bytes that a switch takes until it sends PFC, and until it loses one: as SONiC's labs measured them
(sonic-mgmt \`tests/qos/files\` at b4ba9de3), and as the emulated switch does with the same configuration. The frames go through
the emulated switch; nothing here is computed by a formula. \`node dist/test/sonic/print-page.js\` writes this page.

`;

const FOOT = `
## What is not reproduced

- **Jericho (q3d)**: where it sends PFC does not follow from the configuration; the frames from there to a drop do.
- **Headroom pools of td3 and th2**: the switches of the lab had other pools than the files that are published.
- **Lossy egress** of td2, td3, th and th2: the published files do not say which profile was measured. That of th3 and th5 is.
- **Leak-out**: frames that leave while a tester stops the egress; the emulated switch stops at once.
- **Cisco 8000** and **Spectrum-4 to -6 with thresholds of ports**: no rows.
- XON of the lab differs from the offset of the file by up to three cells, and so does that of the emulated switch.

69 rows of the generator for Spectrum 1 to 3, 95 outputs of the scripts for headroom and 584 lines of profile tables are compared
by \`node test/run.mjs sonic\`.
`;

interface Measured {
  readonly row: Vector;
  readonly found: ProbeResult;
}

const COLUMNS = [
  ...['chip', 'configuration', 'PFC: lab', 'emulated', 'drop: lab', 'emulated'],
  ...['XON: lab', 'emulated', 'headroom pool: lab', 'emulated'],
];

export function pageOf(all: readonly Measured[]): string {
  const rows = all.map(cellsOf);
  const widths = COLUMNS.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return `${HEAD}${[line(COLUMNS), rule, ...rows.map(line)].join('\n')}\n${FOOT}`;
}

function cellsOf({ row, found }: Measured): string[] {
  const isPlain = row['asic'] !== 'q3d';
  const { pfc, drop, xon, headroom } = found;
  const pool = `${row['shp_pgs']!} groups, the last ${row['shp_partial']!}`;
  const own = `${headroom.length} groups, the last ${headroom.at(-1) ?? 0}`;
  const speed = `${numberOf(row, 'speed_mbps') / 1000}G ${row['cable_m']!}m`;
  const apart = numberOf(row, 'drop') - numberOf(row, 'pfc');
  return [
    row['asic']!,
    `${row['source']!.split('/').at(-1)!}, ${speed}`,
    ...(isPlain
      ? [row['pfc']!, String(pfc), row['drop']!, String(drop)]
      : ['–', '–', `PFC + ${apart}`, `PFC + ${drop - pfc! - 1}`]),
    row['xon_dismiss'] === '' ? '–' : row['xon_dismiss']!,
    String(xon),
    ...(isPlain && row['shp_pgs'] !== '' ? [pool, own] : ['–', '–']),
  ];
}
