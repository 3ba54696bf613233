import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Topology } from '../../fabric/topology/topology.js';
import type { PortResult, RunResults } from '../../runtime/results/results.js';
import type { SeriesRow } from '../../runtime/series.js';
import { readVersion } from '../../runtime/version.js';
import { show } from '../expectations.js';
import type { ExpectationResult } from '../expectations.js';
import { formatTime } from '../format.js';
import { causeOf, obstacleOf, ringText } from '../stall-text.js';
import { isStallExpected, isStandstill } from '../verdict.js';
import type {
  MarginView,
  PortView,
  PriorityView,
  Reproduce,
  RunPage,
  StandstillView,
  UnreachableView,
} from './page-data.js';
import { completionCurves, slowdownBySize } from './page-flows.js';
import type { WhySummary } from '../why.js';
import { discoveryView } from './page-discovery.js';
import { mapOf } from './page-map.js';
import { nicViews } from './page-nics.js';
import type { PortSharing } from './page-shares.js';
import { sharesView } from './page-shares.js';
import { treesView } from './page-trees.js';
import { seriesOf } from './page-series.js';

const MARGINS_SHOWN = 40;
const FLOWS_SHOWN = 12;
const FRAME_OVERHEAD_OCTETS = 20;

/** A run as it was measured, or read back from its directory. */
export interface MeasuredRun {
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  readonly document: unknown;
  readonly series: { readonly rows: Iterable<SeriesRow> };
  /** Who held whom back; null where nobody looked. */
  readonly why: WhySummary | null;
  readonly origin: {
    readonly scenario: string;
    readonly set: readonly string[];
    /** Faults that came and went while it was under way. */
    readonly steps: readonly unknown[];
  };
}

/** Of the scenario: what no table says. */
export interface ScenarioFacts {
  readonly description: string;
  readonly topology: Topology;
  readonly seriesPs: number | null;
  /** By port, in the order of the fabric. */
  readonly sharing: readonly PortSharing[];
}

export function factsOf({ scenario, topology, specs }: Fabric): ScenarioFacts {
  const { description, observe } = scenario;
  const sharing = specs.flatMap(({ ports }) => ports);
  return { description, topology, seriesPs: observe.seriesPs, sharing };
}

export function pageOfRun(run: MeasuredRun, facts: ScenarioFacts): RunPage {
  const { results } = run;
  const { ports, virtualPs } = results;
  const names = ports.map(({ port }) => port);
  return {
    title: results.scenario,
    description: facts.description,
    status: results.status,
    failure: failureText(results),
    digest: results.digest,
    plugins: results.plugins.map(({ name, sha256 }) => ({ name, sha256 })),
    seed: results.seed,
    version: readVersion(),
    virtualPs,
    frameHops: results.frameHops,
    devices: results.devices,
    links: results.links,
    reproduce: reproduceText(run),
    goodputBps: results.goodputBps,
    finished: results.finished,
    priorities: priorityViews(results),
    loads: results.loads,
    standstill: standstillView(run),
    unreachable: unreachableView(results),
    expectations: run.expectations.map(({ text, metric, actual, ok, reason }) => {
      return { text, actual: reason ?? show(metric, actual), ok };
    }),
    map: mapOf(facts.topology, names),
    ports: ports.map((port) => portView(port, virtualPs)),
    ...seriesOf(run.series.rows, facts.seriesPs, virtualPs, ports),
    completions: completionCurves(results.flows),
    slowdown: slowdownBySize(results.flows),
    margins: marginViews(results),
    nics: nicViews(results.nics),
    trees: run.why && treesView(run.why, names),
    discovery: results.discovery && discoveryView(results.discovery, names),
    shares: sharesView(results, facts.sharing),
  };
}

function standstillView({ results, expectations }: MeasuredRun): StandstillView | null {
  const { stalls, standingDeadlocks } = results;
  if (!isStandstill(results)) return null;
  return {
    isExpected: isStallExpected(expectations),
    rings: standingDeadlocks.map(({ ring }) => ringText(ring)),
    count: stalls.length,
    flows: [...stalls]
      .sort((a, b) => a.sincePs - b.sincePs)
      .slice(0, FLOWS_SHOWN)
      .map((stall) => {
        const [place, cause] = obstacleOf(stall);
        return { name: stall.name, sincePs: stall.sincePs, place, cause };
      }),
  };
}

function unreachableView({ flows }: RunResults): UnreachableView | null {
  const lost = flows.flatMap(({ name, unreachableAt: place }) =>
    place === null ? [] : [{ name, place, cause: causeOf(place) }],
  );
  return lost.length === 0 ? null : { count: lost.length, flows: lost.slice(0, FLOWS_SHOWN) };
}

function failureText({ failure }: RunResults): string | null {
  if (failure === null) return null;
  const { reason, timePs, device, port, priority } = failure;
  const place = port === '' ? device : port;
  const where = priority === null ? place : `${place}, priority ${priority}`;
  return `at ${formatTime(timePs)}${where === '' ? '' : ` on ${where}`}: ${reason}`;
}

export function reproduceText({
  origin,
  document,
}: Pick<MeasuredRun, 'origin' | 'document'>): Reproduce {
  // What was injected is declared in a file beside the report.
  const file = origin.steps.length > 0 ? 'injected.yaml' : origin.scenario;
  const words = ['selvage', 'run', file, ...origin.set.flatMap((s) => ['--set', s])];
  return { command: words.map(quoted).join(' '), scenario: JSON.stringify(document, null, 2) };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function priorityViews({ priorities }: RunResults): PriorityView[] {
  return priorities.map((p) => ({
    priority: p.priority,
    flowControl: p.flowControl,
    goodputBps: p.goodputBps,
    frames: p.deliveredFrames,
    finished: p.finished,
    completionPs: p.completionPs,
    slowdown: p.slowdown,
    drops: Object.values(p.drops).reduce((a, b) => a + b, 0),
    marks: p.markedFrames,
  }));
}

export function portView(result: PortResult, virtualPs: number): PortView {
  const { priorities, rateBps } = result;
  const sum = (value: (p: (typeof priorities)[number]) => number): number =>
    priorities.reduce((total, p) => total + value(p), 0);
  const most = (value: (p: (typeof priorities)[number]) => number): number =>
    Math.max(0, ...priorities.map(value));
  const wireBits = 8 * sum((p) => p.txOctets + FRAME_OVERHEAD_OCTETS * p.txFrames);
  const heldPs = most((p) => p.heldPs);
  return {
    name: result.port,
    peer: result.peer,
    rateBps,
    // A frame that is being transmitted at the end is counted as a whole.
    busy: virtualPs === 0 ? 0 : Math.min(1, rounded((wireBits * 1e12) / (rateBps * virtualPs))),
    held: virtualPs === 0 ? 0 : rounded(heldPs / virtualPs),
    heldPs,
    heldCount: sum((p) => p.heldCount),
    stopsSent: sum((p) => p.stopsSent),
    txOctets: sum((p) => p.txOctets),
    peakQueueOctets: most((p) => p.peakQueueOctets),
    peakIngressOctets: most((p) => p.peakIngressOctets),
    drops: sum((p) => Object.values(p.drops).reduce((a, b) => a + b, 0)),
  };
}

/** Tightest first. */
function marginViews({ margins }: RunResults): MarginView[] {
  const left = (m: (typeof margins)[number]): number => m.headroomOctets - m.headroomUsedOctets;
  return [...margins]
    .filter((m) => m.peakOctets > 0)
    .sort((a, b) => left(a) - left(b))
    .slice(0, MARGINS_SHOWN)
    .map(({ port, priority, peakOctets, headroomOctets, headroomUsedOctets, needed }) => {
      const neededOctets = needed.totalOctets;
      return { port, priority, peakOctets, headroomOctets, headroomUsedOctets, neededOctets };
    });
}

function rounded(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}
