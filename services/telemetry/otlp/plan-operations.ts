import { PS_PER_MS } from '../../engine/units/time.js';
import type { RunOperation } from '../run-operation.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';
import type { SpanClock } from './span-clock.js';

/** The wall clock of a run: spans of its runtime count from there. */
export function wallClockFrom(startMs: number): SpanClock {
  return { epochNs: BigInt(Math.floor(startMs * 1e6)), scale: 1 };
}

/** One trace of what the runtime of a run in services did, in times of the wall clock. */
export function planOperations(run: string, operations: readonly RunOperation[]): PlannedSpan[] {
  const [first] = operations;
  if (first === undefined) return [];
  // Runs with one digest are executed at different times.
  const origin = `${run} ${first.startMs}`;
  const trace = traceIdOf(origin, 'runtime');
  const id = spanIdOf(origin, 'runtime');
  const common = { trace, device: 'coordinator', role: 'internal', links: [] } as const;
  const after = (ms: number): number => Math.round((ms - first.startMs) * PS_PER_MS);
  const lastMs = operations.reduce((last, { endMs }) => Math.max(last, endMs), first.endMs);
  const whole: PlannedSpan = {
    ...common,
    ...{ id, parent: null, name: 'run in services', error: null },
    ...{ startPs: 0, endPs: after(lastMs), attributes: {} },
  };
  const spans = operations.map((operation, i): PlannedSpan => {
    const { kind, startMs, endMs, epoch, fromPs, toPs, service, reason } = operation;
    return {
      ...common,
      ...{ id: spanIdOf(origin, `${kind} ${i}`), parent: id, name: kind },
      error: reason === '' ? null : reason,
      ...{ startPs: after(startMs), endPs: after(endMs) },
      attributes: {
        'selvage.epoch': epoch,
        'selvage.from_ps': fromPs,
        'selvage.to_ps': toPs,
        ...(service >= 0 && { 'selvage.last_service': service }),
      },
    };
  });
  return [whole, ...spans];
}
