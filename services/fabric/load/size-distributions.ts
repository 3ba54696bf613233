import type { SizeDistribution } from '../scenario/scenario.js';
import { didYouMean } from '../../settings/errors.js';
import { readCsv } from './csv.js';
import type { LoadEntry } from './load-entry.js';
import { parseBytes } from './quantity.js';
import type { SizePoint } from './size-curve.js';
import { SizeCurve } from './size-curve.js';

type Points = readonly (readonly [bytes: number, percent: number])[];

/** Published distributions of message sizes: octets, and percent of messages up to them. */
export const NAMED_SIZES: Readonly<Record<string, Points>> = {
  // Alizadeh et al., Data Center TCP, SIGCOMM 2010, as tabulated with HPCC (SIGCOMM 2019).
  'web-search': [
    [0, 0],
    [10_000, 15],
    [20_000, 20],
    [30_000, 30],
    [50_000, 40],
    [80_000, 53],
    [200_000, 60],
    [1_000_000, 70],
    [2_000_000, 80],
    [5_000_000, 90],
    [10_000_000, 97],
    [30_000_000, 100],
  ],
  // Greenberg et al., VL2, SIGCOMM 2009, as tabulated with HKUST's TrafficGenerator.
  'data-mining': [
    [0, 0],
    [180, 10],
    [216, 20],
    [560, 30],
    [900, 40],
    [1_100, 50],
    [1_870, 60],
    [3_160, 70],
    [10_000, 80],
    [400_000, 90],
    [3_160_000, 95],
    [100_000_000, 98],
    [1_000_000_000, 100],
  ],
  // Roy et al. (Facebook), Inside the Social Network's Network, SIGCOMM 2015, tabulated with HPCC.
  hadoop: [
    [0, 0],
    [100, 1],
    [200, 2],
    [300, 5],
    [350, 15],
    [400, 20],
    [500, 30],
    [600, 40],
    [700, 50],
    [1_000, 60],
    [2_000, 67],
    [7_000, 70],
    [30_000, 72],
    [50_000, 82],
    [80_000, 87],
    [120_000, 90],
    [300_000, 95],
    [1_000_000, 97.5],
    [2_000_000, 99],
    [10_000_000, 100],
  ],
  // Alibaba's distributed storage in 2019, as published with HPCC.
  storage: [
    [0, 0],
    [4_000, 22.93],
    [8_000, 69.21],
    [16_000, 80.61],
    [32_000, 90.47],
    [64_000, 93.53],
    [128_000, 96.77],
    [256_000, 97.53],
    [2_000_000, 100],
  ],
};

/** The curve of a load's `sizes`. */
export function sizeCurve(entry: LoadEntry, sizes: SizeDistribution): SizeCurve {
  switch (sizes.kind) {
    case 'fixed':
      entry.checkBytes(['sizes', 'bytes'], sizes.bytes);
      return new SizeCurve([{ bytes: sizes.bytes, probability: 1 }]);
    case 'named':
      return namedCurve(entry, sizes.name);
    case 'file':
      return new SizeCurve(readPoints(entry, sizes.path));
  }
}

function namedCurve(entry: LoadEntry, name: string): SizeCurve {
  const points = Object.hasOwn(NAMED_SIZES, name) ? NAMED_SIZES[name] : undefined;
  if (points === undefined) {
    const known = Object.keys(NAMED_SIZES);
    const hint = didYouMean(name, known);
    throw entry.fail(
      ['sizes', 'name'],
      `there is no distribution ${name}${hint} (there are ${known.join(', ')})`,
    );
  }
  return new SizeCurve(points.map(([bytes, percent]) => ({ bytes, probability: percent / 100 })));
}

/** Lines of octets and cumulative probability, under a header or none. */
function readPoints(entry: LoadEntry, file: string): SizePoint[] {
  const path = ['sizes', 'path'];
  const rows = readCsv(entry.readFile(path, file));
  if (/^[a-z]/i.test(rows[0]?.cells[0] ?? '')) rows.shift();
  const points: SizePoint[] = [];
  for (const { line, cells } of rows) {
    const reject = (why: string): Error => entry.fail(path, `${file}:${line}: ${why}`);
    points.push(readPoint(cells, points[points.length - 1], reject));
  }
  const last = points[points.length - 1];
  if (last === undefined) throw entry.fail(path, `${file} has no sizes`);
  if (last.probability !== 1) {
    const line = rows[rows.length - 1]!.line;
    throw entry.fail(path, `${file}:${line}: the last probability is ${last.probability}, not 1`);
  }
  if (last.bytes === 0) throw entry.fail(path, `${file}: every message has 0 bytes`);
  return points;
}

function readPoint(
  cells: readonly string[],
  before: SizePoint | undefined,
  reject: (why: string) => Error,
): SizePoint {
  const [bytesText = '', probabilityText = ''] = cells;
  if (cells.length !== 2) {
    throw reject(`${cells.length} values where bytes and a cumulative probability are due`);
  }
  const bytes = parseBytes(bytesText);
  if (bytes === null) throw reject(`${bytesText} is no number of bytes`);
  const probability = probabilityText === '' ? NaN : Number(probabilityText);
  if (!(probability >= 0 && probability <= 1)) {
    throw reject(`${probabilityText} is no probability (0 to 1)`);
  }
  if (before !== undefined && bytes < before.bytes) {
    throw reject(`${bytes} bytes follow ${before.bytes}; sizes must grow`);
  }
  if (before !== undefined && probability < before.probability) {
    throw reject(`probability ${probability} follows ${before.probability}; it must not fall`);
  }
  return { bytes, probability };
}
