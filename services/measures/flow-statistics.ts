/** What several flows did together. */

import { PS_PER_S } from '../engine/units/time.js';
import { percentilesOf } from './percentiles.js';
import type { LoadResult, Percentiles, Spread, Tally } from './statistics.js';

interface Offered {
  readonly payloadOctets: number;
  readonly startPs: number;
  readonly offeredUntilPs: number;
}

/** A flow with a volume has a size; while it is not complete, a time so far. */
interface Finished {
  readonly offeredOctets: number | null;
  readonly completionPs: number | null;
  readonly unfinishedPs: number | null;
  /** Its time on an idle fabric, and what that makes of its own. */
  readonly idealPs: number | null;
  readonly slowdown: number | null;
}

interface OfLoad extends Offered, Finished {
  readonly load: string;
  readonly goodputBps: number;
}

/** Payload of flows per second, from the first start to the latest end; 0 before any starts. */
export function goodputOf(flows: readonly Offered[]): number {
  let octets = 0;
  let startPs = Infinity;
  let untilPs = -Infinity;
  for (const flow of flows) {
    octets += flow.payloadOctets;
    startPs = Math.min(startPs, flow.startPs);
    untilPs = Math.max(untilPs, flow.offeredUntilPs);
  }
  return untilPs > startPs ? (octets * 8 * PS_PER_S) / (untilPs - startPs) : 0;
}

/** Flows with a volume, and how many of them are complete. */
export function tallyOf(flows: readonly Pick<Finished, 'offeredOctets' | 'completionPs'>[]): Tally {
  const finite = flows.filter(({ offeredOctets }) => offeredOctets !== null);
  const done = finite.filter(({ completionPs }) => completionPs !== null).length;
  return { done, total: finite.length };
}

/** FCT of flows with a volume; null if there are none. */
export function completionOf(
  flows: readonly Pick<Finished, 'completionPs' | 'unfinishedPs'>[],
): Percentiles | null {
  return percentilesOf(
    flows.flatMap(({ completionPs }) => completionPs ?? []),
    flows.flatMap(({ unfinishedPs }) => unfinishedPs ?? []),
  );
}

/** The same relative to their times on an idle fabric, where those are known. */
export function slowdownOf(
  flows: readonly Pick<Finished, 'slowdown' | 'unfinishedPs' | 'idealPs'>[],
): Percentiles | null {
  return percentilesOf(
    flows.flatMap(({ slowdown }) => slowdown ?? []),
    flows.flatMap(({ unfinishedPs, idealPs }) =>
      unfinishedPs === null || idealPs === null ? [] : leastSlowdown(unfinishedPs, idealPs),
    ),
  );
}

/** Of what is not finished: it takes at least the time that it would take alone. */
export function leastSlowdown(unfinishedPs: number, idealPs: number): number {
  return Math.max(1, unfinishedPs / idealPs);
}

/** Goodput of each flow: least, median and most; null of none. */
function spreadOf(flows: readonly Pick<OfLoad, 'goodputBps'>[]): Spread | null {
  const sorted = Float64Array.from(flows, ({ goodputBps }) => goodputBps).sort();
  const count = sorted.length;
  if (count === 0) return null;
  return { min: sorted[0]!, p50: sorted[Math.ceil(count / 2) - 1]!, max: sorted[count - 1]! };
}

/** Load by load, in the order of the scenario. */
export function loadResults(flows: readonly OfLoad[]): LoadResult[] {
  const byLoad = new Map<string, OfLoad[]>();
  for (const flow of flows) {
    const own = byLoad.get(flow.load);
    if (own === undefined) byLoad.set(flow.load, [flow]);
    else own.push(flow);
  }
  return [...byLoad].map(([load, own]) => ({
    load,
    flows: own.length,
    finished: tallyOf(own),
    payloadOctets: own.reduce((sum, { payloadOctets }) => sum + payloadOctets, 0),
    goodputBps: goodputOf(own),
    perFlowBps: spreadOf(own)!,
  }));
}
