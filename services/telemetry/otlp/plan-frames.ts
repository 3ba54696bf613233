import type { Episode } from '../congestion/congestion.js';
import type { FrameTrace, Hold, TracePart, TraceStep } from '../traces/frame-trace.js';
import { latencyOf } from '../traces/frame-trace.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';

/** One trace per journey: the frame, a span for each device and port, and what it did there. */
export function planFrames(
  digest: string,
  traces: Iterable<FrameTrace>,
  roots: ReadonlyMap<string, Episode>,
): PlannedSpan[] {
  const spans: PlannedSpan[] = [];
  for (const trace of traces) spans.push(...planFrame(digest, trace, roots));
  return spans;
}

function planFrame(
  digest: string,
  frame: FrameTrace,
  roots: ReadonlyMap<string, Episode>,
): PlannedSpan[] {
  const name = `${frame.frame} ${frame.attempt}`;
  const trace = traceIdOf(digest, name);
  const id = spanIdOf(digest, name);
  const { priority, sequence, octets, bornPs, steps } = frame;
  const latencyPs = latencyOf(frame);
  const endPs = steps.reduce((end, step) => Math.max(end, step.endPs), bornPs);
  const whole: PlannedSpan = {
    trace,
    id,
    parent: null,
    name: 'frame',
    startPs: bornPs,
    endPs,
    attributes: {
      'selvage.frame': name,
      'selvage.flow': frame.flow,
      'selvage.priority': priority,
      'selvage.sequence': sequence,
      'selvage.octets': octets,
      'selvage.source': steps[0]!.device,
      ...(latencyPs === null ? {} : { 'selvage.latency_ps': latencyPs }),
      ...exact(bornPs, endPs),
    },
    links: [],
  };
  const hops = steps.flatMap((step, i) => {
    const hop = spanIdOf(digest, `${name} ${i}`);
    const parts = step.parts.map((part, p) => {
      const own = spanIdOf(digest, `${name} ${i} ${p}`);
      return planPart(digest, { trace, id: own, parent: hop }, step, part, roots);
    });
    return [planHop({ trace, id: hop, parent: id }, step), ...parts];
  });
  return [whole, ...hops];
}

type Names = Pick<PlannedSpan, 'trace' | 'id' | 'parent'>;

function planHop(names: Names, step: TraceStep): PlannedSpan {
  const { device, ingress, egress, startPs, endPs, end, reason } = step;
  return {
    ...names,
    name: 'hop',
    startPs,
    endPs,
    attributes: {
      'selvage.device': device,
      'selvage.ingress': ingress,
      'selvage.egress': egress,
      'selvage.end': end,
      ...(reason === '' ? {} : { 'selvage.drop_reason': reason }),
      ...exact(startPs, endPs),
    },
    links: [],
  };
}

function planPart(
  digest: string,
  names: Names,
  { device, egress }: TraceStep,
  { kind, startPs, endPs, hold }: TracePart,
  roots: ReadonlyMap<string, Episode>,
): PlannedSpan {
  const root = hold === null ? undefined : roots.get(hold.episode);
  const cause = root === undefined ? {} : { 'selvage.root': root.port };
  const link = {
    trace: traceIdOf(digest, root?.id ?? ''),
    id: spanIdOf(digest, hold?.episode ?? ''),
  };
  return {
    ...names,
    name: kind,
    startPs,
    endPs,
    attributes: {
      'selvage.device': device,
      'selvage.port': egress,
      ...(hold === null ? {} : heldBy(hold)),
      ...cause,
      ...exact(startPs, endPs),
    },
    links: root === undefined ? [] : [link],
  };
}

function heldBy({ mechanism, neighbour }: Hold): Record<string, string> {
  return { 'selvage.mechanism': mechanism, 'selvage.neighbour': neighbour };
}

function exact(startPs: number, endPs: number): Record<string, number> {
  return { 'selvage.start_ps': startPs, 'selvage.end_ps': endPs };
}
