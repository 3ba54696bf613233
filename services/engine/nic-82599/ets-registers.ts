import type { WspClass } from '../arbiter/wsp-arbiter.js';
import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import { type EtsTable, TSA_ETS, TSA_STRICT } from '../wire/lldp/dcbx-ieee.js';
import {
  classOfRegister,
  leastRefill,
  limitForFrame,
  NO_CLASS,
  refillsOfClasses,
} from './refill-rule.js';
import type { RegisterFile } from './register-file.js';
import { unpackClasses } from './up-to-tc.js';
import { assert } from '../kernel/assert.js';

/** Whether the part has all traffic classes of a table. */
export function hasClasses({ classOf }: EtsTable, classes: number): boolean {
  return classOf.every((tc) => tc < classes);
}

/** Rows of T2 for an ETS table: each class a bandwidth group of its own, strict ones with LSP. */
export function rowsOfEts(
  { shares, algorithms }: Pick<EtsTable, 'shares' | 'algorithms'>,
  classes: number,
  longestFrameOctets: number,
): WspClass[] {
  const isShared = (tc: number): boolean => algorithms[tc] === TSA_ETS;
  const percent = shares.slice(0, classes).map((share, tc) => (isShared(tc) ? share : 0));
  const rows = refillsOfClasses(percent, longestFrameOctets);
  return Array.from({ length: TRAFFIC_CLASSES }, (_, tc): WspClass => {
    if (tc >= classes) return NO_CLASS;
    return {
      group: tc,
      // A class without restriction has no refill; the data sheet requires 0 there.
      refill: isShared(tc) ? rows[tc].refill : 0,
      most: limitForFrame(rows[tc].most, longestFrameOctets),
      linkStrict: !isShared(tc),
      groupStrict: false,
    };
  });
}

/**
 * The shares that the registers of the packet plane give to the classes that carry a priority, in
 * whole percent of what strict classes leave; rounding keeps the sum at 100. A class with the least
 * refill beside others with more has a share of 0, as the rule writes it. A class with GSP and no
 * refill counts as strict.
 */
export function etsOfRegisters(registers: RegisterFile, longestFrameOctets: number): EtsTable {
  const classOf = unpackClasses(registers.get('RTTUP2TC'));
  const weighted = registers.field('RTTPCS', 'TPPAC') === 1;
  const refills = Array.from({ length: TRAFFIC_CLASSES }, (_, tc) => {
    if (!classOf.includes(tc)) return 0;
    if (!weighted) return 1;
    const { linkStrict, refill } = classOfRegister(registers.get('RTTPT2C', tc));
    return linkStrict ? 0 : refill;
  });
  const least = leastRefill(longestFrameOctets);
  const hasMore = refills.some((refill) => refill > least);
  return {
    classOf,
    shares: percentsOf(refills.map((refill) => (hasMore && refill === least ? 0 : refill))),
    algorithms: refills.map((refill) => (refill > 0 ? TSA_ETS : TSA_STRICT)),
  };
}

/** Whole percentages with the largest remainders rounded up; all 0 where no part is above 0. */
function percentsOf(parts: readonly number[]): number[] {
  const sum = parts.reduce((total, part) => total + part, 0);
  if (sum === 0) return parts.map(() => 0);
  const floors = parts.map((part) => Math.floor((100 * part) / sum));
  const left = 100 - floors.reduce((total, share) => total + share, 0);
  const byRemainder = parts
    .map((part, tc) => ({ tc, remainder: (100 * part) % sum }))
    .sort((a, b) => b.remainder - a.remainder || a.tc - b.tc);
  assert(left >= 0 && left < parts.length, 'nic.percent-left-over');
  for (const { tc } of byRemainder.slice(0, left)) floors[tc]++;
  return floors;
}
