import { CREDIT_OCTETS, creditsOf } from '../arbiter/credits.js';
import type { WspClass } from '../arbiter/wsp-arbiter.js';
import { assert } from '../kernel/assert.js';

/**
 * From percentages to refills and limits, as drivers of the part compute them. All divisions
 * truncate. A refill may therefore be below a frame, and the clamp distorts extreme ratios.
 */

export const REFILL_MOST = 511;
export const CREDIT_LIMIT_MOST = 4095;

/** The row of a class that the part does not have. */
export const NO_CLASS: WspClass = {
  group: 0,
  refill: 0,
  most: 0,
  linkStrict: false,
  groupStrict: false,
};

export interface RefillRow {
  readonly refill: number;
  readonly most: number;
}

/** A limit of a class (MCL) that a largest frame fits into. */
export function limitForFrame(most: number, longestFrameOctets: number): number {
  return Math.max(most, creditsOf(longestFrameOctets));
}

/** Credits of half the longest frame: no refill is smaller. */
export function leastRefill(longestFrameOctets: number): number {
  return Math.ceil(Math.floor(longestFrameOctets / 2) / CREDIT_OCTETS);
}

/** The factor that brings the smallest share to the least refill. */
export function refillMultiplier(shares: readonly number[], least: number): number {
  const smallest = Math.min(100, ...shares.filter((share) => share > 0));
  assert(smallest > 0 && least > 0, 'nic.least-refill');
  return Math.floor(least / smallest) + 1;
}

/** One percentage per class (802.1Q ETS); a class with none still gets the least refill. */
export function refillsOfClasses(
  percent: readonly number[],
  longestFrameOctets: number,
): RefillRow[] {
  const least = leastRefill(longestFrameOctets);
  const multiplier = refillMultiplier(percent, least);
  return percent.map((share) => ({
    refill: Math.max(least, Math.min(share * multiplier, REFILL_MOST)),
    most: share > 0 ? Math.floor((share * CREDIT_LIMIT_MOST) / 100) : least,
  }));
}

/** Percent of the link that a class has in its group; a share above 0 never rounds to 0. */
export function linkPercents(
  classes: readonly { readonly group: number; readonly percent: number }[],
  groupPercent: readonly number[],
): number[] {
  return classes.map(({ group, percent }) =>
    Math.floor((percent * (groupPercent[group] ?? 0)) / 100),
  );
}

/** A percentage per group, and of it one per class (CEE). */
export function refillsOfGroups(
  classes: readonly { readonly group: number; readonly percent: number }[],
  groupPercent: readonly number[],
  longestFrameOctets: number,
): RefillRow[] {
  const least = leastRefill(longestFrameOctets);
  const percents = linkPercents(classes, groupPercent);
  const multiplier = refillMultiplier(percents, least);
  return percents.map((found, i) => {
    const share = classes[i].percent > 0 && found === 0 ? 1 : found;
    const most = Math.floor((share * CREDIT_LIMIT_MOST) / 100);
    return {
      refill: Math.min(share * multiplier, REFILL_MOST),
      most: most > 0 && most < least ? least : most,
    };
  });
}

/** A row of T2 as its register holds it (RTTDT2C, RTTPT2C, RTRPT4C). */
export function classRegister(row: WspClass): number {
  assert(row.refill <= REFILL_MOST && row.most <= CREDIT_LIMIT_MOST, 'nic.row-of-register');
  assert(row.group >= 0 && row.group < 8, 'nic.group-of-register');
  const strict = (row.groupStrict ? 1 << 30 : 0) | (row.linkStrict ? 1 << 31 : 0);
  return (row.refill | (row.group << 9) | (row.most << 12) | strict) >>> 0;
}

export function classOfRegister(word: number): WspClass {
  return {
    refill: word & 0x1ff,
    group: (word >>> 9) & 7,
    most: (word >>> 12) & 0xfff,
    groupStrict: (word & (1 << 30)) !== 0,
    linkStrict: (word & (1 << 31)) !== 0,
  };
}
