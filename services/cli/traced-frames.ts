import { MOST_RECORDS } from '../engine/analysis/record-table.js';
import type { SeenHops, SlowFrame } from '../engine/analysis/trace/hop-recorder.js';
import { MOST_HOPS } from '../engine/analysis/trace/hop-recorder.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { MergedRun } from '../runtime/merge.js';
import { repeatRun } from '../runtime/repeat-run.js';
import type { FrameTrace } from '../telemetry/traces/frame-trace.js';
import { frameTraces } from '../telemetry/traces/frame-traces.js';

type Watched = Pick<MergedRun, 'results' | 'hops' | 'state'>;

/**
 * The traces of the frames that a scenario selects. Which were slow, or lost, is known only when
 * they have arrived, or have not: the run is repeated to trace just these.
 */
export function framesWanted(
  fabric: Fabric,
  { results, hops, state }: Watched,
): Iterable<FrameTrace> | null {
  const wanted = fabric.scenario.observe.traces;
  if (wanted === null || hops === null) return null;
  const traces = frameTraces(fabric, hops, results.virtualPs);
  const tail = [...slowestOf(hops.slowest, wanted.slowest), ...hops.dropped];
  if (tail.length === 0) return traces;
  const known = traces.names();
  const named = [...new Set(tail)].filter((frame) => !known.has(frame));
  if (named.length === 0) return traces;
  const only = { share: 0, priorities: 0, flows: null, named, slowest: 0, dropped: false };
  const again = repeatRun(fabric, state?.boundPs ?? null, only);
  if (again.results.digest !== results.digest) return traces;
  return inTurn(traces, frameTraces(fabric, again.hops, results.virtualPs));
}

/** Incomplete traces are reported, so that they are not mistaken for complete ones. */
export function warnOfUnkept({ omitted }: SeenHops): void {
  if (omitted === 0) return;
  process.stderr.write(
    `${omitted} steps of frames, and pauses, were not kept: devices keep ${MOST_HOPS} steps and ` +
      `${MOST_RECORDS} pauses (observe.traces.share)\n`,
  );
}

/** One after the other, as often as they are iterated. */
function inTurn<Item>(...all: readonly Iterable<Item>[]): Iterable<Item> {
  return {
    *[Symbol.iterator]() {
      for (const items of all) yield* items;
    },
  };
}

function slowestOf(frames: readonly SlowFrame[], count: number): string[] {
  const order = [...frames].sort(
    (a, b) => b.latencyPs - a.latencyPs || (a.frame < b.frame ? -1 : 1),
  );
  return order.slice(0, count).map(({ frame }) => frame);
}
