import { criticalPath } from '../../jobs/critical-path.js';
import type { Step } from '../../jobs/graph.js';
import type { JobResult, OperationResult } from '../../jobs/job-rows.js';
import type { RunResults } from '../../runtime/results/results.js';
import { formatCount, formatOctets } from '../format.js';
import type { JobView, PathBar, RankBar, RankView } from './page-jobs-data.js';

const JOBS_SHOWN = 4;
const RANKS_SHOWN = 32;
const BARS_OF_RANK = 400;
const PATH_PARTS = 600;
/** Operations of one kind with a shorter gap between them are one bar: no page shows it. */
const GAP_SHARE = 1 / 4000;
const FLOWS_OF_BAR = 3;

/**
 * Jobs as the page draws them; a job has millions of operations, and a screen few pixels. `stepsOf`
 * has the collectives of a job by their numbers.
 */
export function jobViews(results: RunResults, stepsOf: StepsOf): JobView[] {
  return results.jobs.slice(0, JOBS_SHOWN).map((job) => jobView(job, results, stepsOf(job.job)));
}

export type StepsOf = (job: string) => readonly Step[];

function jobView(
  { job, startPs, iterationPs, ranks: rankCount }: JobResult,
  { operations: all, flows, virtualPs }: RunResults,
  steps: readonly Step[],
): JobView {
  const operations = all.filter((one) => one.job === job);
  const endPs = iterationPs === null ? virtualPs : startPs + iterationPs;
  const gapPs = (endPs - startPs) * GAP_SHARE;
  const nameOf = (flow: number): string | null => (flow < 0 ? null : (flows[flow]?.name ?? null));
  const path = folded(
    criticalPath(operations).map(({ kind, operation, send, fromPs, toPs }): PathBar => {
      const flow = nameOf(send.flow);
      const who = { from: send.rank, rank: operation.rank };
      return { kind, ...who, startPs: fromPs, endPs: toPs, flow };
    }),
  );
  const byRank = new Map<number, OperationResult[]>();
  for (const operation of operations) {
    const own = byRank.get(operation.rank) ?? [];
    byRank.set(operation.rank, own);
    own.push(operation);
  }
  const ranks = shownRanks(path, rankCount).map((rank): RankView => {
    const own = byRank.get(rank) ?? [];
    return { rank, host: own[0]?.host ?? '', bars: barsOf(own, { gapPs, endPs, nameOf, steps }) };
  });
  return { name: job, startPs, endPs, isDone: iterationPs !== null, ranks, rankCount, path };
}

/** Of many ranks those whose operations take most of the path, then the first. */
function shownRanks(path: readonly PathBar[], rankCount: number): number[] {
  const all = Array.from({ length: rankCount }, (_, rank) => rank);
  if (rankCount <= RANKS_SHOWN) return all;
  const onPath = new Map<number, number>();
  for (const { rank, from, startPs, endPs } of path) {
    for (const one of new Set([rank, from])) {
      onPath.set(one, (onPath.get(one) ?? 0) + endPs - startPs);
    }
  }
  const most = [...onPath].sort(([, a], [, b]) => b - a).map(([rank]) => rank);
  return [...new Set([...most, ...all])].slice(0, RANKS_SHOWN).sort((a, b) => a - b);
}

/** As few as a page holds: the shortest go into the part before them. */
function folded(path: readonly PathBar[]): PathBar[] {
  if (path.length <= PATH_PARTS) return [...path];
  const lasting = path.map(({ startPs, endPs }) => endPs - startPs).sort((a, b) => b - a);
  const leastPs = lasting[PATH_PARTS]!;
  const kept: PathBar[] = [];
  for (const part of path) {
    const last = kept.at(-1);
    if (last === undefined || part.endPs - part.startPs > leastPs) kept.push(part);
    else kept[kept.length - 1] = { ...last, endPs: part.endPs };
  }
  return kept;
}

interface Drawing {
  readonly gapPs: number;
  readonly endPs: number;
  readonly nameOf: (flow: number) => string | null;
  readonly steps: readonly Step[];
}

interface BarDraft extends RankBar {
  endPs: number;
  operations: number;
  readonly collective: number;
  readonly flows: string[];
}

function barsOf(operations: readonly OperationResult[], drawing: Drawing): RankBar[] {
  const started = operations.filter(
    ({ startedPs, donePs }) => startedPs >= 0 && donePs !== startedPs,
  );
  const drafts = (['compute', 'communicate'] as const).flatMap((kind) => {
    const own = started.filter((one) => (one.kind === 'compute') === (kind === 'compute'));
    return merged(
      own.toSorted((a, b) => a.startedPs - b.startedPs),
      kind,
      drawing,
    );
  });
  return drafts
    .sort((a, b) => b.endPs - b.startPs - (a.endPs - a.startPs))
    .slice(0, BARS_OF_RANK)
    .sort((a, b) => a.startPs - b.startPs)
    .map(({ kind, startPs, endPs, what, flows, operations: count, collective }) => {
      if (count === 1 || collective >= 0) return { kind, startPs, endPs, what, flows };
      const title = kind === 'compute' ? 'computing' : 'messages';
      const several = `${title}, ${formatCount(count)} operations`;
      return { kind, startPs, endPs, what: several, flows };
    });
}

/** Operations of one collective are one bar, and others that no pixel parts. */
function merged(
  operations: readonly OperationResult[],
  kind: RankBar['kind'],
  { gapPs, endPs, nameOf, steps }: Drawing,
): BarDraft[] {
  const bars: BarDraft[] = [];
  for (const operation of operations) {
    const { startedPs, collective, took } = operation;
    const donePs = operation.donePs < 0 ? endPs : operation.donePs;
    const last = bars.at(-1);
    const flow = took >= 0 || operation.kind === 'send' ? nameOf(operation.flow) : null;
    if (last?.collective === collective && (collective >= 0 || startedPs - last.endPs <= gapPs)) {
      last.endPs = Math.max(last.endPs, donePs);
      last.operations++;
      addFlow(last, flow);
      continue;
    }
    const bar: BarDraft = {
      ...{ kind, startPs: startedPs, endPs: donePs, what: whatOf(operation, steps) },
      ...{ flows: [], operations: 1, collective },
    };
    addFlow(bar, flow);
    bars.push(bar);
  }
  return bars;
}

function addFlow({ flows }: BarDraft, flow: string | null): void {
  if (flow === null || flows.length === FLOWS_OF_BAR || flows.includes(flow)) return;
  flows.push(flow);
}

function whatOf(
  { kind, name, amount, peer, collective }: OperationResult,
  steps: readonly Step[],
): string {
  if (kind === 'compute') return name === '' ? 'computing' : name;
  const step = steps[collective];
  if (step !== undefined) return `${step.kind} of ${formatOctets(step.octets)} (${collective})`;
  const other = peer < 0 ? 'any rank' : `rank ${peer}`;
  return `${kind} ${formatOctets(amount)} ${kind === 'send' ? 'to' : 'from'} ${other}`;
}
