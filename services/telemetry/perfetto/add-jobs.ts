import { criticalPath } from '../../jobs/critical-path.js';
import type { OperationResult } from '../../jobs/job-rows.js';
import type { Slice, Timeline, Track } from './timeline.js';

/** Tracks of a rank, in this order. */
const LANES: Readonly<Record<OperationResult['kind'], string>> = {
  compute: 'computing',
  send: 'sending',
  receive: 'receiving',
};

/**
 * Adds jobs: of each its critical path, and below each rank what it computes, sends and receives,
 * with arrows from sends to receives. What is not over goes to the end of the run.
 */
export function addJobs(
  timeline: Timeline,
  operations: readonly OperationResult[],
  nowPs: number,
): void {
  for (const job of new Set(operations.map((one) => one.job))) {
    addJob(
      timeline,
      timeline.root.child('jobs').child(job),
      operations.filter((one) => one.job === job),
      nowPs,
    );
  }
}

function addJob(
  timeline: Timeline,
  track: Track,
  operations: readonly OperationResult[],
  nowPs: number,
): void {
  const path = track.child('critical path');
  for (const { kind, operation, fromPs, toPs } of criticalPath(operations)) {
    timeline.slice(path, {
      name: `rank ${operation.rank} ${titleOf(operation)}`,
      category: 'critical-path',
      ...{ startPs: fromPs, endPs: toPs },
      details: { part: kind, rank: operation.rank, operation: operation.operation },
    });
  }
  const slices = new Map<number, Slice>();
  for (const one of operations) {
    // What joins others takes no time, and says nothing.
    if (one.startedPs < 0 || (one.kind === 'compute' && one.donePs === one.startedPs)) continue;
    const lane = track.child(`rank ${one.rank} at ${one.host}`).child(LANES[one.kind]);
    const slice = timeline.slice(lane, {
      name: titleOf(one),
      category: one.kind,
      startPs: one.startedPs,
      endPs: one.donePs < 0 ? nowPs : one.donePs,
      details: detailsOf(one),
    });
    slices.set(one.operation, slice);
  }
  for (const { operation, took } of operations) {
    const [from, to] = [slices.get(took), slices.get(operation)];
    if (from !== undefined && to !== undefined) timeline.arrow(from, to);
  }
}

function titleOf({ kind, name, peer, amount }: OperationResult): string {
  const own = name === '' ? '' : `${name} `;
  if (kind === 'compute') return own === '' ? 'compute' : own.trimEnd();
  if (kind === 'send') return `${own}${amount} B to rank ${peer}`;
  return `${own}from ${peer < 0 ? 'any rank' : `rank ${peer}`}`;
}

function detailsOf(one: OperationResult): Readonly<Record<string, string | number>> {
  const { operation, rank, host, readyPs, startedPs, donePs, flow, collective } = one;
  return {
    ...{ operation, rank, host, ready_ps: readyPs, start_ps: startedPs, done_ps: donePs },
    ...(flow >= 0 && { flow }),
    ...(collective >= 0 && { collective }),
  };
}
