import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { RepeatedRun } from '../../runtime/repeat-run.js';
import type { JobResult, OperationResult } from '../../jobs/job-rows.js';
import type { FlowResult } from '../../runtime/results/results.js';
import { rootsOf } from '../../telemetry/congestion/congestion-trees.js';
import type { TimeShare } from '../../telemetry/traces/flow-time.js';
import { flowTime } from '../../telemetry/traces/flow-time.js';
import type { FrameTrace } from '../../telemetry/traces/frame-trace.js';
import { frameTraces } from '../../telemetry/traces/frame-traces.js';
import { criticalPath, type PathKind, type PathPart } from '../../jobs/critical-path.js';
import { type RankLateness, stragglers } from '../../jobs/stragglers.js';

/** The critical path of a job; its parts add up to `totalPs` exactly. */
export interface JobWhy {
  readonly job: string;
  /** The collective that it is of, by its number in the job; null: the whole job. */
  readonly step: number | null;
  readonly isDone: boolean;
  readonly totalPs: number;
  readonly path: readonly ExplainedPart[];
  /** All of the path by what it was. */
  readonly shares: readonly PathShare[];
  readonly stragglers: readonly RankLateness[];
  /** Flows that it has released and that are not finished: what a job without end awaits. */
  readonly unfinished: readonly FlowResult[];
}

interface ExplainedPart {
  readonly kind: PathKind;
  readonly rank: number;
  /** The rank that sent; its own where nothing was sent. */
  readonly from: number;
  readonly name: string;
  readonly startPs: number;
  readonly endPs: number;
  /** The flow of its message; null: it has none. */
  readonly flow: string | null;
  /** Where the time of its message went; they add up to it. */
  readonly shares: readonly TimeShare[];
}

/** Time of the path with one cause at one port. */
export interface PathShare {
  readonly what: PathKind | TimeShare['cause'];
  /** Empty of what is at no port. */
  readonly port: string;
  readonly mechanism: string | null;
  readonly root: string | null;
  readonly ps: number;
}

/** Flows whose messages are on the critical path: to be followed when the run is repeated. */
export function flowsOnPath(
  operations: readonly OperationResult[],
  step: number | null = null,
): number[] {
  const path = criticalPath(operations, step);
  return [...new Set(path.flatMap(({ kind, send }) => (kind === 'message' ? [send.flow] : [])))];
}

export function whyJob(
  fabric: Fabric,
  job: JobResult,
  repeated: RepeatedRun,
  step: number | null = null,
): JobWhy {
  const { results, hops, congestion } = repeated;
  const operations = results.operations.filter((one) => one.job === job.job);
  const traces = frameTraces(fabric, hops, results.virtualPs);
  const byFlow = new Map<string, FrameTrace[]>();
  for (const trace of traces) {
    const own = byFlow.get(trace.flow);
    if (own === undefined) byFlow.set(trace.flow, [trace]);
    else own.push(trace);
  }
  const roots = rootsOf(congestion.episodes);
  const rootOf = (id: string): string | null => roots.get(id)?.port ?? null;
  const sharesOf = (part: PathPart, name: string | null): readonly TimeShare[] => {
    if (part.kind !== 'message' || name === null) return [];
    const own: readonly FrameTrace[] = byFlow.get(name) ?? [];
    const span = { startPs: part.fromPs, endPs: part.toPs };
    return flowTime(own, traces.blocked, span, rootOf)?.shares ?? [];
  };
  const path = criticalPath(operations, step).map((part): ExplainedPart => {
    const flow = part.send.flow < 0 ? null : results.flows[part.send.flow]!.name;
    return {
      ...{ kind: part.kind, rank: part.operation.rank, from: part.send.rank },
      ...{ name: part.operation.name, startPs: part.fromPs, endPs: part.toPs, flow },
      shares: sharesOf(part, flow),
    };
  });
  const ofStep = operations.filter(({ collective }) => step === null || collective === step);
  const released = new Set(
    ofStep.flatMap(({ flow, startedPs }) => (flow >= 0 && startedPs >= 0 ? [flow] : [])),
  );
  const startPs = step === null ? job.startPs : (path[0]?.startPs ?? job.startPs);
  const endPs = path.at(-1)?.endPs ?? startPs;
  return {
    ...{ job: job.job, step },
    isDone: ofStep.every(({ donePs }) => donePs >= 0),
    totalPs: endPs - startPs,
    path,
    shares: totalsOf(path),
    stragglers: stragglers(operations, job.startPs, step),
    unfinished: results.flows.filter(({ flow, cause }) => released.has(flow) && cause !== null),
  };
}

/** Largest first. */
function totalsOf(path: readonly ExplainedPart[]): PathShare[] {
  const totals = new Map<string, PathShare>();
  const add = (share: PathShare): void => {
    const key = [share.what, share.port, share.mechanism, share.root].join(' ');
    totals.set(key, { ...share, ps: share.ps + (totals.get(key)?.ps ?? 0) });
  };
  for (const { kind, startPs, endPs, shares } of path) {
    for (const { cause, port, mechanism, root, ps } of shares) {
      add({ what: cause, port, mechanism, root, ps });
    }
    if (shares.length > 0) continue;
    add({ what: kind, port: '', mechanism: null, root: null, ps: endPs - startPs });
  }
  return [...totals.values()].sort((a, b) => b.ps - a.ps);
}
