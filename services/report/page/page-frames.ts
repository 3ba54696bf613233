import type { FrameTrace } from '../../telemetry/traces/frame-trace.js';
import { latencyOf } from '../../telemetry/traces/frame-trace.js';
import type { FrameView, StepView } from './page-flow-data.js';

/** Waterfalls of one flow, and of a page. */
const FRAMES_OF_FLOW = 6;
const FRAMES_SHOWN = 600;

/** What traces say of a flow. */
export interface TracedFlow {
  /** Slowest first; discarded ones before all others. What is still under way is left out. */
  readonly slowest: readonly FrameTrace[];
  /** Frames that were traced to their arrival. */
  readonly arrivals: number;
  /** By span: octets of those. */
  readonly arrivedOctets: Float64Array;
}

/** Reads traces once, as there may be more of them than memory holds. */
export function tracedFlows(
  traces: Iterable<FrameTrace>,
  timesPs: readonly number[],
): ReadonlyMap<string, TracedFlow> {
  const flows = new Map<string, Collected>();
  for (const trace of traces) {
    if (trace.flow === '') continue;
    let flow = flows.get(trace.flow);
    if (flow === undefined) flows.set(trace.flow, (flow = new Collected(timesPs)));
    flow.add(trace);
  }
  return flows;
}

class Collected implements TracedFlow {
  readonly slowest: FrameTrace[] = [];
  arrivals = 0;
  readonly arrivedOctets: Float64Array;
  private readonly latencies: number[] = [];

  constructor(private readonly timesPs: readonly number[]) {
    this.arrivedOctets = new Float64Array(timesPs.length);
  }

  add(trace: FrameTrace): void {
    const latencyPs = latencyOf(trace);
    if (latencyPs !== null) {
      this.arrivals++;
      const span = firstAtLeast(this.timesPs, trace.bornPs + latencyPs);
      if (span < this.timesPs.length) this.arrivedOctets[span]! += trace.octets;
    }
    if (latencyPs !== null) this.rank(trace, latencyPs);
    else if (trace.steps.some(({ end }) => end === 'dropped')) this.rank(trace, Infinity);
  }

  private rank(trace: FrameTrace, latencyPs: number): void {
    const { slowest, latencies } = this;
    let at = latencies.length;
    while (at > 0 && latencies[at - 1]! < latencyPs) at--;
    if (at >= FRAMES_OF_FLOW) return;
    slowest.splice(at, 0, trace);
    latencies.splice(at, 0, latencyPs);
    slowest.length = latencies.length = Math.min(FRAMES_OF_FLOW, latencies.length);
  }
}

function firstAtLeast(timesPs: readonly number[], timePs: number): number {
  let [low, high] = [0, timesPs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesPs[middle]! < timePs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The frames of a page by flow, flows in the order in which they are wanted. */
export function framesShown(
  traced: ReadonlyMap<string, TracedFlow>,
  flows: readonly string[],
): ReadonlyMap<string, readonly FrameTrace[]> {
  const shown = new Map<string, readonly FrameTrace[]>();
  let left = FRAMES_SHOWN;
  for (const name of flows) {
    const frames = traced.get(name)?.slowest.slice(0, left) ?? [];
    if (frames.length > 0) shown.set(name, frames);
    left -= frames.length;
  }
  return shown;
}

export function frameView(
  trace: FrameTrace,
  placeOf: ReadonlyMap<string, number> | null,
): FrameView {
  const { sequence, attempt, octets, bornPs, steps } = trace;
  return {
    ...{ sequence, attempt, octets, bornPs, latencyPs: latencyOf(trace) },
    steps: steps.map(({ device, egress, end, reason, parts }): StepView => ({
      ...{ device, egress, end, reason },
      parts: parts.map(({ kind, startPs, endPs, hold }) => {
        if (hold === null) return { kind, startPs, endPs };
        const { mechanism, linkPartner: peer } = hold;
        const episode = placeOf?.get(hold.episode) ?? null;
        return { kind, startPs, endPs, hold: { mechanism, peer, episode } };
      }),
    })),
  };
}
