import { MECHANISMS } from '../../mechanisms/registry.js';
import type { EventSpan, RecordedEvent } from '../../mechanisms/mechanism-slice.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';

/** Traces that mechanisms make of events: a span for the whole, and one below for each step. */
export function planEventTraces(
  digest: string,
  events: readonly RecordedEvent[],
  nowPs: number,
): PlannedSpan[] {
  const traces = MECHANISMS.flatMap(({ results }) => results.traces?.(events) ?? []);
  return traces.flatMap((whole) => {
    const { key, steps } = whole;
    const trace = traceIdOf(digest, key);
    const planned = (span: EventSpan, name: string, parent: string | null): PlannedSpan => ({
      ...{ trace, id: spanIdOf(digest, name), parent, device: span.device, name: span.name },
      ...{ role: 'internal', error: null, links: [] },
      startPs: span.fromPs,
      endPs: span.untilPs ?? nowPs,
      attributes: span.attributes,
    });
    const parent = planned(whole, key, null);
    return [
      parent,
      ...steps.map((step, i) => planned(step, `${key} ${i} ${step.name}`, parent.id)),
    ];
  });
}
