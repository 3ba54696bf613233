import type { FlowResult } from '../../runtime/results/results.js';
import type { Episode } from '../../telemetry/congestion/congestion.js';
import type { Histogram, PauseSpread, QueueSpread, SlowdownOverTime } from './page-spread-data.js';

/** Spans in which flows are counted when they are complete. */
const SPANS = 40;
const STEPS = [1, 2, 5];

/** Values by decade and 1, 2, 5; a value on an edge belongs to the bin that begins there. */
export function histogramOf(values: Iterable<number>): Histogram {
  const counted = new Map<number, number>();
  let zeros = 0;
  for (const value of values) {
    if (value === 0) {
      zeros++;
      continue;
    }
    const bin = binOf(value);
    counted.set(bin, (counted.get(bin) ?? 0) + 1);
  }
  if (counted.size === 0) return { edges: [], counts: [], zeros };
  const [first, last] = [Math.min(...counted.keys()), Math.max(...counted.keys())];
  const bins = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return {
    edges: [...bins, last + 1].map(edgeOf),
    counts: bins.map((bin) => counted.get(bin) ?? 0),
    zeros,
  };
}

function binOf(value: number): number {
  // A logarithm may be off by the last bit: then the next one is right.
  let bin = Math.floor(Math.log10(value)) * STEPS.length;
  while (edgeOf(bin) > value) bin--;
  while (edgeOf(bin + 1) <= value) bin++;
  return bin;
}

function edgeOf(bin: number): number {
  const decade = Math.floor(bin / STEPS.length);
  return STEPS[bin - decade * STEPS.length]! * 10 ** decade;
}

/** `queue` has the longest queue of each port, span by span. */
export function queueSpread(queue: Float64Array, ports: number): QueueSpread | null {
  const used: number[] = [];
  for (let port = 0; port < ports; port++) {
    for (let cell = port; cell < queue.length; cell += ports) {
      if ((queue[cell] ?? 0) === 0) continue;
      used.push(port);
      break;
    }
  }
  if (used.length === 0) return null;
  const spans = queue.length / ports;
  const ranks = { p50: [] as number[], p90: [] as number[], p99: [] as number[] };
  const max: number[] = [];
  const sorted = new Float64Array(used.length);
  const values = new Float64Array(used.length * spans);
  for (let span = 0; span < spans; span++) {
    used.forEach((port, i) => (sorted[i] = queue[span * ports + port]!));
    values.set(sorted, span * used.length);
    sorted.sort();
    ranks.p50.push(atRank(sorted, 0.5));
    ranks.p90.push(atRank(sorted, 0.9));
    ranks.p99.push(atRank(sorted, 0.99));
    max.push(sorted.at(-1)!);
  }
  return { ports: used.length, ...ranks, max, lengths: histogramOf(values) };
}

/** By nearest rank. */
function atRank(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** How long ports were paused or blocked, by mechanism. */
export function pauseSpreads(episodes: readonly Episode[]): PauseSpread[] {
  const byMechanism = new Map<string, Episode[]>();
  for (const episode of episodes) {
    if (episode.kind !== 'blocked') continue;
    const own = byMechanism.get(episode.mechanism);
    if (own === undefined) byMechanism.set(episode.mechanism, [episode]);
    else own.push(episode);
  }
  return [...byMechanism].map(([mechanism, own]) => {
    const lengths = own.flatMap(({ startPs, endPs }) => (endPs === null ? [] : endPs - startPs));
    return { mechanism, lengths: histogramOf(lengths), open: own.length - lengths.length };
  });
}

export function slowdownOverTime(
  flows: readonly FlowResult[],
  virtualPs: number,
): SlowdownOverTime | null {
  const done = flows.flatMap(({ startPs, completionPs, slowdown }) =>
    completionPs === null || slowdown === null ? [] : [[startPs + completionPs, slowdown] as const],
  );
  if (done.length < 2) return null;
  const spans: number[][] = Array.from({ length: SPANS }, () => []);
  for (const [timePs, slowdown] of done) {
    spans[Math.min(SPANS - 1, Math.floor((SPANS * timePs) / virtualPs))]!.push(slowdown);
  }
  const sorted = spans.map((values) => Float64Array.from(values).sort());
  const ranked = (share: number): (number | null)[] =>
    sorted.map((values) => {
      return values.length === 0 ? null : Math.round(atRank(values, share) * 1000) / 1000;
    });
  return {
    timesPs: spans.map((_, i) => Math.round(((i + 1) * virtualPs) / SPANS)),
    counts: spans.map(({ length }) => length),
    ...{ p50: ranked(0.5), p99: ranked(0.99) },
  };
}
