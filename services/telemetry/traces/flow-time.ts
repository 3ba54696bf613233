import type { FrameTrace, PartKind, TracePart, TraceStep } from './frame-trace.js';
import type { BlockedTimes } from './blocked-times.js';

/** A share of a flow's FCT. */
export interface TimeShare {
  readonly device: string;
  readonly port: string;
  readonly cause: TimeCause;
  /** The mechanism that blocked it, and its congestion root; null where nothing did. */
  readonly mechanism: string | null;
  readonly root: string | null;
  readonly ps: number;
}

type TimeCause =
  /** Its own frames were on the link of its NIC. */
  | 'sending'
  | 'waiting'
  | 'blocked'
  /** Of the last frame, behind its source. */
  | 'serialising'
  | 'propagating'
  | 'processing'
  | 'receiving';

const CAUSES: Readonly<Record<PartKind, TimeCause>> = {
  source: 'waiting',
  wait: 'waiting',
  blocked: 'blocked',
  complete: 'serialising',
  serialise: 'serialising',
  propagate: 'propagating',
  process: 'processing',
  receive: 'receiving',
};

export interface FlowTime {
  /** From the flow's start to the arrival of the frame that completed it. */
  readonly totalPs: number;
  readonly shares: readonly TimeShare[];
}

/** Finds the root of an episode: the name of a port. */
type RootOf = (episode: string) => string | null;

/**
 * Splits the time of a flow. At its source it was sending, paused, or waiting (for others' turns,
 * acknowledgements or its own rate); behind it, the times are those of the frame that completed the
 * flow. Every picosecond is in one share; null where nothing arrived.
 */
export function flowTime(
  traces: readonly FrameTrace[],
  blocked: BlockedTimes,
  { startPs, endPs }: { readonly startPs: number; readonly endPs: number },
  rootOf: RootOf,
): FlowTime | null {
  const trace = traces.find(({ steps }) => completes(steps, endPs) >= 0);
  if (trace === undefined) return null;
  const path = pathTo(trace, completes(trace.steps, endPs));
  const ledger = new Ledger(rootOf);
  const [source] = path as [TraceStep];
  const sentPs = source.parts.find(({ kind }) => kind === 'serialise')!.startPs;
  let at = startPs;
  const idle = (untilPs: number): void => {
    if (untilPs <= at) return;
    const parts: TracePart[] = [];
    blocked.cut(parts, 'wait', {
      port: source.egress,
      priority: trace.priority,
      startPs: at,
      endPs: untilPs,
    });
    for (const part of parts) ledger.add(source, CAUSES[part.kind], part);
    at = untilPs;
  };
  for (const part of sendingTimes(traces, source, sentPs)) {
    idle(part.startPs);
    ledger.add(source, 'sending', { ...part, startPs: at });
    at = part.endPs;
  }
  idle(sentPs);
  for (const step of path) {
    for (const part of step.parts) {
      if (part.startPs >= sentPs) ledger.add(step, CAUSES[part.kind], part);
    }
  }
  return { totalPs: endPs - startPs, shares: ledger.shares() };
}

/** The step in which a frame arrived when the flow was complete; -1 if it did not. */
function completes(steps: readonly TraceStep[], endPs: number): number {
  return steps.findIndex((step) => step.end === 'delivered' && step.endPs === endPs);
}

function pathTo({ steps }: FrameTrace, last: number): TraceStep[] {
  const path: TraceStep[] = [];
  for (let at = last; at >= 0; at = steps[at]!.before) path.unshift(steps[at]!);
  return path;
}

/** When frames of the flow were on the link of its NIC before a time, in order. */
function sendingTimes(
  traces: readonly FrameTrace[],
  { egress }: TraceStep,
  untilPs: number,
): TracePart[] {
  return traces
    .flatMap(({ steps }) => steps.filter((step) => step.before < 0 && step.egress === egress))
    .flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'serialise'))
    .filter((part) => part.startPs < untilPs)
    .sort((a, b) => a.startPs - b.startPs);
}

/** Adds up shares by device, port and cause. */
class Ledger {
  private readonly rows = new Map<string, TimeShare>();

  constructor(private readonly rootOf: RootOf) {}

  add({ device, egress: port }: TraceStep, cause: TimeCause, part: TracePart): void {
    const { startPs, endPs, hold } = part;
    const mechanism = hold?.mechanism ?? null;
    const root = hold === null ? null : this.rootOf(hold.episode);
    const key = [device, port, cause, mechanism, root].join(' ');
    const ps = endPs - startPs + (this.rows.get(key)?.ps ?? 0);
    this.rows.set(key, { device, port, cause, mechanism, root, ps });
  }

  shares(): TimeShare[] {
    return [...this.rows.values()];
  }
}
