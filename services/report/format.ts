/** Formatting of numbers, to about three significant digits. */

import type { Unit } from '../mechanisms/measure.js';
import type { Percentiles, Ranks, Tally } from '../measures/statistics.js';

function scaled(value: number, units: readonly (readonly [number, string])[]): string {
  const [size, name] =
    units.find(([least]) => Math.abs(value) >= least) ?? units[units.length - 1]!;
  const number = value / size;
  const digits = number >= 100 || Number.isInteger(number) ? 0 : number >= 10 ? 1 : 2;
  return `${number.toFixed(digits)} ${name}`;
}

export function formatTime(ps: number | null): string {
  if (ps === null) return '–';
  if (ps === 0) return '0';
  return scaled(ps, [
    [1e12, 's'],
    [1e9, 'ms'],
    [1e6, 'us'],
    [1e3, 'ns'],
    [1, 'ps'],
  ]);
}

export function formatRate(bps: number): string {
  if (bps === 0) return '0';
  return scaled(bps, [
    [1e12, 'Tb/s'],
    [1e9, 'Gb/s'],
    [1e6, 'Mb/s'],
    [1e3, 'kb/s'],
    [1, 'b/s'],
  ]);
}

export function formatOctets(octets: number): string {
  if (octets === Infinity) return 'none';
  if (octets === 0) return '0';
  return scaled(octets, [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'KB'],
    [1, 'B'],
  ]);
}

/** 1234567 as `1,234,567`. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

export function formatShare(share: number): string {
  // Less than all is not shown as all.
  if (share < 1 && share >= 0.9995) return '99.9 %';
  return `${(share * 100).toFixed(share >= 1 || share === 0 ? 0 : 1)} %`;
}

/** A percentile; `> ` and its lower bound where it falls among unfinished values. */
export function formatPercentile(
  percentiles: Percentiles | null,
  rank: keyof Ranks<number>,
  format: (value: number) => string,
): string {
  if (percentiles === null) return '–';
  const value = percentiles[rank];
  return value === null ? `> ${format(percentiles.atLeast[rank])}` : format(value);
}

/** `8 / 12`; a dash where there is nothing to finish. */
export function formatTally({ done, total }: Tally): string {
  return total === 0 ? '–' : `${formatCount(done)} / ${formatCount(total)}`;
}

export function formatRatio(ratio: number | null): string {
  return ratio === null ? '–' : `${ratio.toFixed(ratio >= 100 ? 0 : 2)}x`;
}

/** A value of a measure in its usual unit. */
export function formatOf(unit: Unit): (value: number) => string {
  switch (unit) {
    case 'ps':
      return formatTime;
    case 'bytes':
      return formatOctets;
    case 'bit/s':
      return formatRate;
    case 'ratio':
      return formatRatio;
    default:
      return formatCount;
  }
}
