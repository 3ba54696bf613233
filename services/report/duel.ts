/** One scenario under several mechanisms, side by side. */

import { completionOf, slowdownOf } from '../runtime/results/flow-statistics.js';
import type {
  FlowResult,
  Percentiles,
  RunResults,
  Spread,
  Tally,
} from '../runtime/results/results.js';
import type { ExpectationResult } from './expectations.js';
import type { DuelWatch } from './duel-watch.js';
import {
  formatCount,
  formatOctets,
  formatPercentile,
  formatRate,
  formatRatio,
  formatTally,
  formatTime,
} from './format.js';
import { CENSORING_NOTE, GOODPUT_NOTE } from './notes.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** A flow that is slower by so much than alone with those of its NIC is a victim. */
const VICTIM_SLOWDOWN = 1.5;

/** One side of a duel: its run, and how to repeat it. */
export interface DuelRun {
  readonly variant: string;
  readonly set: readonly string[];
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  readonly watch: Pick<DuelWatch, 'controlOctets' | 'reservedOctets' | 'reactionPs'>;
  /** Its run directory, within that of the duel. */
  readonly folder: string;
}

/** What is compared; times in ps, rates in bit/s. */
export interface DuelMetrics {
  readonly variant: string;
  readonly status: string;
  readonly failure: string | null;
  readonly digest: string;
  /** Flows with a volume. */
  readonly finished: Tally;
  readonly completionPs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  /** By load: payload of its flows over the time that they were offered. */
  readonly goodputBps: Readonly<Record<string, number>>;
  /** By load with several flows: of each of them. */
  readonly perFlowBps: Readonly<Record<string, Spread>>;
  /** Jain's index over the flows of a load that has several: 1 when all get the same. */
  readonly fairness: Readonly<Record<string, number>>;
  /** By tier of the sender that was paused, summed over its ports and priorities. */
  readonly blockedPs: Readonly<Record<string, number>>;
  readonly peakIngressOctets: number;
  readonly peakQueueOctets: number;
  /** Headroom, or buffer behind grants, of the device with the most. */
  readonly neededOctets: number;
  /** Flows that stopped progressing, and whether a cyclic buffer dependency holds at the end. */
  readonly stalledFlows: number;
  /** Over the run. */
  readonly deadlocks: number;
  readonly storms: number;
  /** Flows that are alone at their receiver, and half as slow again as their own NIC explains. */
  readonly victims: number;
  /** From the congestion of the queue to the reaction of the first of its sources; null: none. */
  readonly reactionPs: number | null;
  readonly controlFrames: number;
  /** Of control frames, of congestion messages, and of telemetry, on every link. */
  readonly controlOctets: number;
  readonly notifications: number;
  readonly markedFrames: number;
  readonly droppedFrames: number;
  readonly retransmittedFrames: number;
}

export function duelMetrics(run: DuelRun, tierOf: ReadonlyMap<string, string>): DuelMetrics {
  const { results, variant, watch } = run;
  const { flows, ports, priorities } = results;
  const rows = ports.flatMap((port) => port.priorities.map((row) => ({ port, row })));
  const shared = results.loads.filter((load) => load.flows > 1);
  const blockedPs: Record<string, number> = {};
  for (const { port, row } of rows) {
    const tier = tierOf.get(port.device)!;
    blockedPs[tier] = (blockedPs[tier] ?? 0) + row.blockedPs;
  }
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  return {
    variant,
    status: results.status,
    failure: results.failure?.reason ?? null,
    digest: results.digest,
    finished: results.finished,
    completionPs: completionOf(flows),
    slowdown: slowdownOf(flows),
    goodputBps: Object.fromEntries(results.loads.map((l) => [l.load, l.goodputBps])),
    perFlowBps: Object.fromEntries(shared.map((l) => [l.load, l.perFlowBps])),
    fairness: Object.fromEntries(
      shared.map(({ load }) => {
        const own = flows.filter((flow) => flow.load === load);
        return [load, jain(own.map((flow) => flow.goodputBps))];
      }),
    ),
    blockedPs,
    peakIngressOctets: most(rows.map(({ row }) => row.peakIngressOctets)),
    peakQueueOctets: most(rows.map(({ row }) => row.peakQueueOctets)),
    neededOctets: watch.reservedOctets,
    stalledFlows: results.stalls.length,
    deadlocks: results.deadlocks.length,
    storms: results.storms.length,
    victims: victimsOf(flows),
    reactionPs: watch.reactionPs,
    controlFrames: sum(ports.map(({ controlSent }) => controlSent)),
    controlOctets: watch.controlOctets,
    notifications: sum(results.rates.map(({ notifications }) => notifications)),
    markedFrames: sum(priorities.map(({ markedFrames }) => markedFrames)),
    droppedFrames: sum(priorities.flatMap(({ drops }) => Object.values(drops))),
    retransmittedFrames: sum(flows.map(({ retransmittedFrames }) => retransmittedFrames)),
  };
}

/** A line per metric, a column per variant. */
export function duelText(metrics: readonly DuelMetrics[], style: Style): string {
  const line = (name: string, cell: (f: DuelMetrics) => string): string[] => [
    name,
    ...metrics.map(cell),
  ];
  const names = (of: (f: DuelMetrics) => object): string[] => [
    ...new Set(metrics.flatMap((f) => Object.keys(of(f)))),
  ];
  const times = (rank: 'p50' | 'p99' | 'p999') => (f: DuelMetrics) =>
    formatPercentile(f.completionPs, rank, formatTime);
  const slowdown = (rank: 'p50' | 'p99') => (f: DuelMetrics) =>
    formatPercentile(f.slowdown, rank, formatRatio);
  const rows = [
    line('status', (f) => f.status),
    line('flows done', (f) => formatTally(f.finished)),
    line('FCT p50', times('p50')),
    line('FCT p99', times('p99')),
    line('FCT p99.9', times('p999')),
    line('slowdown p50', slowdown('p50')),
    line('slowdown p99', slowdown('p99')),
    ...names((f) => f.goodputBps).map((load) =>
      line(`goodput ${load}`.trim(), (f) => formatRate(f.goodputBps[load] ?? 0)),
    ),
    ...names((f) => f.perFlowBps).flatMap((load) =>
      (['min', 'p50', 'max'] as const).map((rank) =>
        line(`goodput ${load}, flow ${rank}`, (f) => formatRate(f.perFlowBps[load]?.[rank] ?? 0)),
      ),
    ),
    ...names((f) => f.fairness).map((load) =>
      line(`fairness ${load}`, (f) => (f.fairness[load] ?? 1).toFixed(3)),
    ),
    line('stalled flows', (f) => formatCount(f.stalledFlows)),
    line('deadlocks', (f) => formatCount(f.deadlocks)),
    line('storms', (f) => formatCount(f.storms)),
    line('victims', (f) => formatCount(f.victims)),
    line('time to react', (f) => formatTime(f.reactionPs)),
    ...names((f) => f.blockedPs).map((tier) =>
      line(`paused, ${tier}`, (f) => formatTime(f.blockedPs[tier] ?? 0)),
    ),
    line('fullest ingress', (f) => formatOctets(f.peakIngressOctets)),
    line('longest queue', (f) => formatOctets(f.peakQueueOctets)),
    line('reserved', (f) => formatOctets(f.neededOctets)),
    line('control frames', (f) => formatCount(f.controlFrames)),
    line('control bytes', (f) => formatOctets(f.controlOctets)),
    line('notifications', (f) => formatCount(f.notifications)),
    line('marks', (f) => formatCount(f.markedFrames)),
    line('drops', (f) => formatCount(f.droppedFrames)),
    line('retransmitted', (f) => formatCount(f.retransmittedFrames)),
  ];
  const failed = metrics.flatMap(({ variant, failure }) =>
    failure === null ? [] : [style.bad(`  ${variant} failed: ${failure}`)],
  );
  const head = ['', ...metrics.map((f) => f.variant)];
  const isCensored = metrics.some(({ completionPs }) => completionPs?.max === null);
  const notes = [GOODPUT_NOTE, ...(isCensored ? [CENSORING_NOTE] : [])];
  return [table(head, rows), ...failed, ...notes.map((note) => `  ${note}`)].join('\n');
}

function victimsOf(flows: readonly FlowResult[]): number {
  const receivers = countBy(flows, ({ destination }) => destination);
  const senders = countBy(flows, ({ source }) => source);
  return flows.filter(({ source, destination, slowdown, unfinishedPs, idealPs }) => {
    if (receivers.get(destination) !== 1 || idealPs === null) return false;
    // An unfinished flow is at least so slow; flows of one NIC share its link.
    const least = slowdown ?? (unfinishedPs ?? 0) / idealPs;
    return least > VICTIM_SLOWDOWN * senders.get(source)!;
  }).length;
}

function countBy(
  flows: readonly FlowResult[],
  key: (flow: FlowResult) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const flow of flows) counts.set(key(flow), (counts.get(key(flow)) ?? 0) + 1);
  return counts;
}

function jain(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value));
  return squares === 0 ? 1 : sum(values) ** 2 / (values.length * squares);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
