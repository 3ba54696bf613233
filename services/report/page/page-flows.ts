import { percentilesOf } from '../../runtime/results/percentiles.js';
import type { FlowResult } from '../../runtime/results/results.js';
import type { Curve, Slowdown } from './page-data.js';

const CURVE_POINTS = 400;
const LOADS_MAX = 6;
const SCATTER_POINTS = 1500;

/** How long flows took: a curve for each load, where they are few enough to tell apart. */
export function completionCurves(flows: readonly FlowResult[]): Curve[] {
  const byLoad = new Map<string, number[]>();
  for (const { load, completionPs } of flows) {
    if (completionPs === null) continue;
    const values = byLoad.get(load) ?? [];
    values.push(completionPs);
    byLoad.set(load, values);
  }
  const loads = [...byLoad].map(([load, values]) => curve(load, values));
  if (loads.length <= 1) return loads;
  const all = curve('all', [...byLoad.values()].flat());
  return loads.length > LOADS_MAX ? [all] : loads;
}

function curve(label: string, unsorted: readonly number[]): Curve {
  const sorted = Float64Array.from(unsorted).sort();
  const count = sorted.length;
  const points = Math.min(count, CURVE_POINTS);
  const ranks = Array.from({ length: points }, (_, i) => Math.ceil(((i + 1) * count) / points));
  return {
    ...{ label, count },
    values: ranks.map((rank) => sorted[rank - 1]!),
    shares: ranks.map((rank) => rank / count),
  };
}

/** By powers of two of the flow's payload. */
export function slowdownBySize(flows: readonly FlowResult[]): Slowdown {
  const known = flows
    .flatMap(({ payloadOctets, slowdown }): (readonly [number, number])[] =>
      slowdown === null ? [] : [[payloadOctets, Math.round(slowdown * 1000) / 1000]],
    )
    .sort(([a], [b]) => a - b);
  const bins = new Map<number, number[]>();
  for (const [octets, slowdown] of known) {
    const bin = 2 ** Math.round(Math.log2(Math.max(1, octets)));
    const values = bins.get(bin) ?? [];
    values.push(slowdown);
    bins.set(bin, values);
  }
  const step = Math.ceil(known.length / SCATTER_POINTS);
  return {
    bins: [...bins].map(([octets, values]) => {
      const { count, p50, p99 } = percentilesOf(values)!;
      return { octets, count, p50, p99 };
    }),
    points: known.filter((_, i) => i % step === 0),
  };
}
