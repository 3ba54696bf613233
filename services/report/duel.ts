/** One scenario under several mechanisms: what each came to, side by side. */

import { percentilesOf } from '../runtime/results/percentiles.js';
import type { FlowResult, Percentiles, RunResults } from '../runtime/results/results.js';
import type { DuelWatch } from './duel-watch.js';
import { formatCount, formatOctets, formatRate, formatRatio, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** A flow that is slower by so much, and does not congest anything, is a victim. */
const VICTIM_SLOWDOWN = 1.5;

/** One side of a duel: its run, and how to have it again. */
export interface DuelRun {
  readonly contender: string;
  readonly set: readonly string[];
  readonly results: RunResults;
  readonly watch: Pick<DuelWatch, 'controlOctets' | 'reactionPs'>;
  /** Its run directory, within that of the duel. */
  readonly folder: string;
}

/** What is compared; times in ps, rates in bit/s. */
export interface DuelFigures {
  readonly contender: string;
  readonly status: string;
  readonly failure: string | null;
  readonly digest: string;
  readonly completed: number;
  readonly completionPs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  /** By load, of its flows together. */
  readonly throughputBps: Readonly<Record<string, number>>;
  /** Jain's index over the flows of a load that has several: 1 when all get the same. */
  readonly fairness: Readonly<Record<string, number>>;
  /** By tier of the sender that was held, summed over its ports and priorities. */
  readonly heldPs: Readonly<Record<string, number>>;
  readonly peakIngressOctets: number;
  readonly peakQueueOctets: number;
  /** What the fullest switch sets apart for what may still arrive. */
  readonly neededOctets: number;
  /** Flows that are alone at their receiver, and take half as long again as on an idle fabric. */
  readonly victims: number;
  /** From the first congested queue to the first source that is stopped or told; null: none is. */
  readonly reactionPs: number | null;
  readonly controlFrames: number;
  /** Of control frames, of messages about congestion, and of telemetry, on every wire. */
  readonly controlOctets: number;
  readonly notifications: number;
  readonly markedFrames: number;
  readonly droppedFrames: number;
  readonly retransmittedFrames: number;
}

export function duelFigures(run: DuelRun, tierOf: ReadonlyMap<string, string>): DuelFigures {
  const { results, contender, watch } = run;
  const { flows, ports, priorities } = results;
  const rows = ports.flatMap((port) => port.priorities.map((row) => ({ port, row })));
  const done = flows.filter(({ completionPs }) => completionPs !== null);
  const heldPs: Record<string, number> = {};
  for (const { port, row } of rows) {
    const tier = tierOf.get(port.device)!;
    heldPs[tier] = (heldPs[tier] ?? 0) + row.heldPs;
  }
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  return {
    contender,
    status: results.status,
    failure: results.failure?.reason ?? null,
    digest: results.digest,
    completed: done.length,
    completionPs: percentilesOf(done.map(({ completionPs }) => completionPs!)),
    slowdown: percentilesOf(flows.flatMap(({ slowdown }) => (slowdown === null ? [] : [slowdown]))),
    throughputBps: byLoad(flows, (own) => sum(own.map((flow) => flow.throughputBps))),
    fairness: byLoad(flows.filter(hasFellows), (own) =>
      jain(own.map((flow) => flow.throughputBps)),
    ),
    heldPs,
    peakIngressOctets: most(rows.map(({ row }) => row.peakIngressOctets)),
    peakQueueOctets: most(rows.map(({ row }) => row.peakQueueOctets)),
    neededOctets: neededOctets(results),
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

/** A line per figure, a column per contender. */
export function duelText(figures: readonly DuelFigures[], style: Style): string {
  const line = (name: string, cell: (f: DuelFigures) => string): string[] => [
    name,
    ...figures.map(cell),
  ];
  const names = (of: (f: DuelFigures) => object): string[] => [
    ...new Set(figures.flatMap((f) => Object.keys(of(f)))),
  ];
  const times = (key: 'p50' | 'p99' | 'p999') => (f: DuelFigures) =>
    formatTime(f.completionPs?.[key] ?? null);
  const rows = [
    line('status', (f) => f.status),
    line('completion p50', times('p50')),
    line('completion p99', times('p99')),
    line('completion p99.9', times('p999')),
    line('slowdown p50', (f) => formatRatio(f.slowdown?.p50 ?? null)),
    line('slowdown p99', (f) => formatRatio(f.slowdown?.p99 ?? null)),
    ...names((f) => f.throughputBps).map((load) =>
      line(`throughput ${load}`, (f) => formatRate(f.throughputBps[load] ?? 0)),
    ),
    ...names((f) => f.fairness).map((load) =>
      line(`fairness ${load}`, (f) => (f.fairness[load] ?? 1).toFixed(3)),
    ),
    line('victims', (f) => formatCount(f.victims)),
    line('time to react', (f) => formatTime(f.reactionPs)),
    ...names((f) => f.heldPs).map((tier) =>
      line(`held, ${tier}`, (f) => formatTime(f.heldPs[tier] ?? 0)),
    ),
    line('fullest ingress', (f) => formatOctets(f.peakIngressOctets)),
    line('longest queue', (f) => formatOctets(f.peakQueueOctets)),
    line('set apart', (f) => formatOctets(f.neededOctets)),
    line('control frames', (f) => formatCount(f.controlFrames)),
    line('control octets', (f) => formatOctets(f.controlOctets)),
    line('notifications', (f) => formatCount(f.notifications)),
    line('marks', (f) => formatCount(f.markedFrames)),
    line('drops', (f) => formatCount(f.droppedFrames)),
    line('sent again', (f) => formatCount(f.retransmittedFrames)),
  ];
  const failed = figures.flatMap(({ contender, failure }) =>
    failure === null ? [] : [style.bad(`  ${contender} failed: ${failure}`)],
  );
  return [table(['', ...figures.map((f) => f.contender)], rows), ...failed].join('\n');
}

/** Headroom of the margins, or memory behind credit, of the switch with the most. */
function neededOctets({ margins, credits }: RunResults): number {
  const perDevice = new Map<string, number>();
  const add = (port: string, octets: number): void => {
    const device = port.slice(0, port.lastIndexOf(':'));
    perDevice.set(device, (perDevice.get(device) ?? 0) + octets);
  };
  for (const { port, headroomOctets } of margins) add(port, headroomOctets);
  // Channels of a port and priority share its buffer.
  const counted = new Set<string>();
  for (const { port, priority, bufferUnits, unitOctets } of credits) {
    const place = `${port}/${priority}`;
    if (!counted.has(place)) add(port, bufferUnits * unitOctets);
    counted.add(place);
  }
  return Math.max(0, ...perDevice.values());
}

function victimsOf(flows: readonly FlowResult[]): number {
  const receivers = new Map<string, number>();
  for (const { destination } of flows) {
    receivers.set(destination, (receivers.get(destination) ?? 0) + 1);
  }
  return flows.filter(
    ({ destination, slowdown }) =>
      receivers.get(destination) === 1 && slowdown !== null && slowdown > VICTIM_SLOWDOWN,
  ).length;
}

function hasFellows({ load }: FlowResult, _: number, flows: readonly FlowResult[]): boolean {
  return flows.filter((flow) => flow.load === load).length > 1;
}

function byLoad(
  flows: readonly FlowResult[],
  figure: (own: readonly FlowResult[]) => number,
): Record<string, number> {
  const loads = [...new Set(flows.map(({ load }) => load))];
  return Object.fromEntries(
    loads.map((load) => [load, figure(flows.filter((flow) => flow.load === load))]),
  );
}

function jain(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value));
  return squares === 0 ? 1 : sum(values) ** 2 / (values.length * squares);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
