import { slowdownOf } from '../../measures/flow-statistics.js';
import type { FlowResult } from '../../runtime/results/results.js';
import type { Curve, Slowdown } from './page-data.js';

const CURVE_POINTS = 400;
const LOADS_MAX = 6;
const SCATTER_POINTS = 1500;

/** How long flows took: a curve for each load, where they are few enough to tell apart. */
export function completionCurves(flows: readonly FlowResult[]): Curve[] {
  const finite = flows.filter(({ offeredOctets }) => offeredOctets !== null);
  const loads = [...new Set(finite.map(({ load }) => load))];
  if (loads.length > LOADS_MAX) return [curve('all', finite)];
  return loads.map((load) =>
    curve(
      load,
      finite.filter((flow) => flow.load === load),
    ),
  );
}

/** The share of all flows: where some did not finish, it ends below 1. */
function curve(label: string, flows: readonly FlowResult[]): Curve {
  const done = flows.flatMap(({ completionPs }) => completionPs ?? []);
  const sorted = Float64Array.from(done).sort();
  const count = sorted.length;
  const points = Math.min(count, CURVE_POINTS);
  const ranks = Array.from({ length: points }, (_, i) => Math.ceil(((i + 1) * count) / points));
  return {
    ...{ label, count, total: flows.length },
    values: ranks.map((rank) => sorted[rank - 1]!),
    shares: ranks.map((rank) => rank / flows.length),
  };
}

/** By powers of two of the flow's volume; a bin is named by the median volume of its own flows. */
export function slowdownBySize(flows: readonly FlowResult[]): Slowdown {
  const measured = flows
    .filter(({ offeredOctets, idealPs }) => offeredOctets !== null && idealPs !== null)
    .sort((a, b) => a.offeredOctets! - b.offeredOctets!);
  const known = measured.flatMap(({ offeredOctets, slowdown }): (readonly [number, number])[] =>
    slowdown === null ? [] : [[offeredOctets!, Math.round(slowdown * 1000) / 1000]],
  );
  const bins = new Map<number, FlowResult[]>();
  for (const flow of measured) {
    const bin = 2 ** Math.round(Math.log2(Math.max(1, flow.offeredOctets!)));
    const own = bins.get(bin) ?? [];
    own.push(flow);
    bins.set(bin, own);
  }
  const step = Math.ceil(known.length / SCATTER_POINTS);
  return {
    bins: [...bins.values()].map((own) => ({
      octets: own[(own.length - 1) >> 1]!.offeredOctets!,
      slowdown: slowdownOf(own)!,
    })),
    points: known.filter((_, i) => i % step === 0),
  };
}
