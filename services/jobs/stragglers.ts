import type { OperationResult } from './job-rows.js';

/** How late a rank was at the collectives of its job. */
export interface RankLateness {
  readonly rank: number;
  readonly host: string;
  /** How often it began a collective after all others. */
  readonly timesLast: number;
  /** Of its own: what it took longer than the median rank from one collective to the next. */
  readonly ownPs: number;
  /** What it was behind the median rank when it left the collective before. */
  readonly inheritedPs: number;
}

interface Visit {
  readonly rank: number;
  readonly beginPs: number;
  readonly endPs: number;
  /** When it left its collective before, or the job began. */
  readonly beforePs: number;
}

/**
 * Of ranks that were late at some collective, or at that of a number, the latest by themselves
 * first.
 */
export function stragglers(
  operations: readonly OperationResult[],
  startPs: number,
  only: number | null = null,
): RankLateness[] {
  const hosts = new Map(operations.map(({ rank, host }) => [rank, host]));
  const totals = new Map<number, { timesLast: number; ownPs: number; inheritedPs: number }>();
  for (const [collective, visits] of visitsOf(operations, startPs)) {
    if (only !== null && collective !== only) continue;
    const own = (visit: Visit): number => visit.beginPs - visit.beforePs;
    const usual = median(visits.map(own));
    const left = median(visits.map(({ beforePs }) => beforePs));
    const latest = visits.toSorted((a, b) => b.beginPs - a.beginPs);
    const isAlone = latest.length > 1 && latest[0]!.beginPs > latest[1]!.beginPs;
    for (const visit of visits) {
      const total = totals.get(visit.rank) ?? { timesLast: 0, ownPs: 0, inheritedPs: 0 };
      totals.set(visit.rank, total);
      if (isAlone && visit === latest[0]) total.timesLast++;
      total.ownPs += Math.max(0, own(visit) - usual);
      total.inheritedPs += Math.max(0, visit.beforePs - left);
    }
  }
  return [...totals]
    .map(([rank, total]) => ({ rank, host: hosts.get(rank)!, ...total }))
    .filter(({ timesLast, ownPs }) => timesLast > 0 || ownPs > 0)
    .sort((a, b) => b.ownPs - a.ownPs || b.timesLast - a.timesLast || a.rank - b.rank);
}

/** By collective: the ranks that have left it. */
function visitsOf(operations: readonly OperationResult[], startPs: number): Map<number, Visit[]> {
  const byCollective = new Map<number, Visit[]>();
  const left = new Map<number, number>();
  let open: { step: number; rank: number; beginPs: number; endPs: number } | null = null;
  const close = (): void => {
    if (open === null) return;
    const { step, rank, beginPs, endPs } = open;
    const visits = byCollective.get(step) ?? [];
    byCollective.set(step, visits);
    visits.push({ rank, beginPs, endPs, beforePs: left.get(rank) ?? startPs });
    left.set(rank, endPs);
    open = null;
  };
  // Operations of a rank follow each other, and so do those of a collective.
  for (const { rank, collective, startedPs, donePs } of operations) {
    if (open !== null && (open.step !== collective || open.rank !== rank)) close();
    if (collective < 0 || donePs < 0) continue;
    open ??= { step: collective, rank, beginPs: startedPs, endPs: donePs };
    open.beginPs = Math.min(open.beginPs, startedPs);
    open.endPs = Math.max(open.endPs, donePs);
  }
  close();
  return byCollective;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1]!;
}
