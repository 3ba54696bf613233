import type { FrameTrace, PartKind } from '../traces/frame-trace.js';
import type { QueueWait } from './run-metrics.js';

const IN_QUEUE: readonly PartKind[] = ['wait', 'blocked'];

/** How long frames waited at each egress that they passed, paused or not. */
export function* queueWaits(traces: Iterable<FrameTrace>): Generator<QueueWait> {
  for (const { priority, steps } of traces) {
    for (const { device, egress, parts } of steps) {
      if (egress === '') continue;
      const own = parts.filter(({ kind }) => IN_QUEUE.includes(kind));
      const ps = own.reduce((sum, { startPs, endPs }) => sum + endPs - startPs, 0);
      yield { device, priority, ps };
    }
  }
}
