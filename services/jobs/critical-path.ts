import type { OperationResult } from './job-rows.js';

/** What a part of the critical path was. */
export type PathKind =
  | 'compute'
  /** From the start of a send until its receive was done. */
  | 'message'
  /** The same within a host. */
  | 'box'
  /** Until the NIC had the last frame of a send, or its receiver had acknowledged it. */
  | 'sending';

/** A part of the critical path: they follow each other without a gap. */
export interface PathPart {
  readonly kind: PathKind;
  /** The computation, the receive, or the send. */
  readonly operation: OperationResult;
  /** The send of a message; the same as `operation` where that is one. */
  readonly send: OperationResult;
  readonly fromPs: number;
  readonly toPs: number;
}

/**
 * From the last operation of a job backwards, always to what it waited for last: a message, the
 * end (or start) of another operation of its rank, or its stream. The parts add up to the time from
 * the start of the job to its end, to the picosecond. `operations` are all of one job, by number.
 * With the number of a collective it is the part of such a path from the first rank that began it
 * to the last that was done.
 */
export function criticalPath(
  operations: readonly OperationResult[],
  collective: number | null = null,
): PathPart[] {
  if (collective === null) return pathTo(operations, lastOf(operations));
  const own = operations.filter((one) => one.collective === collective && one.startedPs >= 0);
  const beganPs = own.reduce((least, { startedPs }) => Math.min(least, startedPs), Infinity);
  return pathTo(operations, lastOf(own)).flatMap((part) =>
    part.toPs <= beganPs ? [] : [{ ...part, fromPs: Math.max(part.fromPs, beganPs) }],
  );
}

/** Of those that are done. */
function lastOf(operations: readonly OperationResult[]): OperationResult | null {
  return operations.reduce<OperationResult | null>(
    (latest, one) => (one.donePs > (latest?.donePs ?? -1) ? one : latest),
    null,
  );
}

function pathTo(operations: readonly OperationResult[], last: OperationResult | null): PathPart[] {
  const parts: PathPart[] = [];
  let at: Moment | null = last && { operation: last, what: 'done' };
  while (at !== null) {
    const { operation, what } = at;
    if (what === 'done') {
      const part = partOf(operations, operation);
      if (part !== null && part.toPs > part.fromPs) parts.unshift(part);
      at = { operation: part?.send ?? operation, what: 'started' };
    } else at = beforeStart(operations, operation);
  }
  return parts;
}

interface Moment {
  readonly operation: OperationResult;
  readonly what: 'done' | 'started';
}

/** What an operation did until it was done; null: a receive whose message was there before it. */
function partOf(
  operations: readonly OperationResult[],
  operation: OperationResult,
): PathPart | null {
  const { kind, startedPs: fromPs, donePs: toPs } = operation;
  if (kind === 'compute') return { kind, operation, send: operation, fromPs, toPs };
  if (kind === 'send') {
    return {
      kind: operation.flow < 0 ? 'box' : 'sending',
      operation,
      send: operation,
      fromPs,
      toPs,
    };
  }
  if (toPs === fromPs) return null;
  const send = operations[operation.took]!;
  const how = send.flow < 0 ? 'box' : 'message';
  return { kind: how, operation, send, fromPs: send.startedPs, toPs };
}

/** What happened last of all that an operation waited for; null: it was ready at the start. */
function beforeStart(
  operations: readonly OperationResult[],
  { startedPs, readyPs, streamHeldBy, releasedBy }: OperationResult,
): Moment | null {
  if (startedPs > readyPs && streamHeldBy >= 0) {
    return { operation: operations[streamHeldBy]!, what: 'done' };
  }
  if (releasedBy < 0) return null;
  const operation = operations[releasedBy]!;
  return { operation, what: operation.donePs === readyPs ? 'done' : 'started' };
}
