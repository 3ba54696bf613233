import type { Episode } from '../congestion/congestion.js';
import type { FrameTrace, Hold, TracePart, TraceStep } from '../traces/frame-trace.js';
import { latencyOf } from '../traces/frame-trace.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';

/** One trace per journey: the frame, a span for each device and port, and its parts there. */
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
  const source = steps[0]!.device;
  const destinations = steps.filter(({ end }) => end === 'delivered').map(({ device }) => device);
  const dropped = steps.find(({ end }) => end === 'dropped');
  const whole: PlannedSpan = {
    trace,
    id,
    parent: null,
    device: source,
    name: 'frame',
    role: 'producer',
    error: dropped === undefined ? null : dropped.reason,
    startPs: bornPs,
    endPs,
    attributes: {
      'selvage.frame': name,
      'selvage.flow': frame.flow,
      'selvage.priority': priority,
      'selvage.sequence': sequence,
      'selvage.octets': octets,
      'selvage.source': source,
      'source.address': source,
      ...(destinations.length === 0 ? {} : { 'destination.address': destinations.join(' ') }),
      ...(latencyPs === null ? {} : { 'selvage.latency_ps': latencyPs }),
      ...exact(bornPs, endPs),
    },
    links: [],
  };
  const stays = staysOf(steps);
  const hops = stays.flatMap((stay, i) => {
    const hop = spanIdOf(digest, `${name} ${i}`);
    const parts = stay.parts.map(({ part, of }, p) => {
      const own = spanIdOf(digest, `${name} ${i} ${p}`);
      return planPartition(digest, { trace, id: own, parent: hop }, stay, { part, of, roots });
    });
    return [planHop({ trace, id: hop, parent: id }, stay), ...parts];
  });
  return [whole, ...hops];
}

/** A frame at one device, from the end of its link on: through the pipeline, and up to the next. */
interface Stay {
  readonly step: TraceStep;
  startPs: number;
  endPs: number;
  readonly parts: { readonly part: TracePart; readonly of: TraceStep }[];
}

/** A step ends behind the pipeline of the next device: that belongs to where it is. */
function staysOf(steps: readonly TraceStep[]): Stay[] {
  const stays = steps.map((step): Stay => {
    const { startPs, endPs, parts } = step;
    return { step, startPs, endPs, parts: parts.map((part) => ({ part, of: step })) };
  });
  stays.forEach((stay) => {
    const last = stay.parts.at(-1);
    if (last?.part.kind !== 'process') return;
    const nexts = stays.filter(({ step }) => steps[step.before] === stay.step);
    if (nexts.length === 0) return;
    stay.parts.pop();
    stay.endPs = last.part.startPs;
    for (const next of nexts) next.startPs = last.part.startPs;
    // Copies pass the pipeline as one frame.
    nexts[0]!.parts.unshift(last);
  });
  return stays;
}

type Names = Pick<PlannedSpan, 'trace' | 'id' | 'parent'>;

function planHop(names: Names, { step, startPs, endPs }: Stay): PlannedSpan {
  const { device, ingress, egress, end, reason } = step;
  const isDropped = end === 'dropped';
  return {
    ...names,
    device,
    name: 'hop',
    role: end === 'delivered' ? 'consumer' : 'internal',
    error: isDropped ? reason : null,
    startPs,
    endPs,
    attributes: {
      'selvage.device': device,
      'selvage.ingress': ingress,
      'selvage.egress': egress,
      'selvage.end': end,
      'network.interface.name': egress === '' ? ingress : egress,
      ...(isDropped ? { 'selvage.drop_reason': reason } : {}),
      ...exact(startPs, endPs),
    },
    links: [],
  };
}

/** A part, the step that it is of, and the roots of episodes. */
interface PartOf {
  readonly part: TracePart;
  readonly of: TraceStep;
  readonly roots: ReadonlyMap<string, Episode>;
}

function planPartition(
  digest: string,
  names: Names,
  { step: { device, ingress } }: Stay,
  { part: { kind, startPs, endPs, hold }, of, roots }: PartOf,
): PlannedSpan {
  const root = hold === null ? undefined : roots.get(hold.episode);
  const cause = root === undefined ? {} : { 'selvage.root': root.port };
  const link = {
    trace: traceIdOf(digest, root?.id ?? ''),
    id: spanIdOf(digest, hold?.episode ?? ''),
  };
  const port = kind === 'process' ? ingress : of.egress;
  return {
    ...names,
    device,
    name: kind,
    role: 'internal',
    error: null,
    startPs,
    endPs,
    attributes: {
      'selvage.device': device,
      'selvage.port': port,
      ...(hold === null ? {} : blockedBy(hold)),
      ...cause,
      ...exact(startPs, endPs),
    },
    links: root === undefined ? [] : [link],
  };
}

function blockedBy({ mechanism, linkPartner: partner }: Hold): Record<string, string> {
  return { 'selvage.mechanism': mechanism, 'selvage.link_partner': partner };
}

function exact(startPs: number, endPs: number): Record<string, number> {
  return { 'selvage.start_ps': startPs, 'selvage.end_ps': endPs };
}
