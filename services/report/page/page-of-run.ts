import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { SeriesInterval } from '../../fabric/assembly/series-interval.js';
import { intervalAt, seriesIntervalOf } from '../../fabric/assembly/series-interval.js';
import type { Topology } from '../../fabric/topology/topology.js';
import { PORT_MEASURES } from '../../measures/port-measures.js';
import { having } from '../../mechanisms/measure.js';
import { PORT_FIGURES, portFigures } from './figures.js';
import type { LoadResult } from '../../measures/statistics.js';
import type { PortResult, RunResults } from '../../runtime/results/results.js';
import type { SeriesRow } from '../../runtime/series-rows.js';
import { readVersion } from '../../runtime/version.js';
import { withoutDefaults } from '../default-observation.js';
import { show } from '../expectations.js';
import type { ExpectationResult } from '../expectations.js';
import { formatTime } from '../format.js';
import { storyOf } from '../story.js';
import { causeOf, obstacleOf, ringText } from '../stall-text.js';
import { isStallExpected, isStandstill } from '../verdict.js';
import type {
  CardView,
  MarginView,
  PortView,
  PriorityView,
  Reproduce,
  RunPage,
  StandstillView,
  UnreachableView,
} from './page-data.js';
import type { Card } from '../../mechanisms/mechanism-slice.js';
import { NIC } from '../../mechanisms/registry.js';
import { CARD_FORMAT, cardsOf } from '../cards.js';
import { commandText } from './command-text.js';
import { completionCurves, slowdownBySize } from './page-flows.js';
import type { Episode } from '../../telemetry/congestion/congestion.js';
import { portsOfFlow } from '../../telemetry/congestion/flow-paths.js';
import type { FrameTrace } from '../../telemetry/traces/frame-trace.js';
import type { WhySummary } from '../why.js';
import { faultNames } from '../fault-text.js';
import { discoveryView } from './page-discovery.js';
import { faultsView } from './page-faults.js';
import { flowViews } from './page-flow-table.js';
import { jobViews, type StepsOf } from './page-jobs.js';
import type { LimitsOf } from './page-limits.js';
import { limitsOf } from './page-limits.js';
import { flowControlAt, type PortMethods, portMethodsOf } from './link-methods.js';
import { mapOf } from './page-map.js';
import type { PortSharing } from './page-shares.js';
import { sharesView } from './page-shares.js';
import { treesView } from './page-trees.js';
import { seriesOf } from './page-series.js';
import { pauseSpreads, slowdownOverTime } from './page-spread.js';

const MARGINS_SHOWN = 40;
const CARD_ROWS_SHOWN = 40;
const PANELS_SHOWN = 16;
const FLOWS_SHOWN = 12;

/** A run as it was measured, or read back from its directory. */
export interface MeasuredRun {
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  readonly document: unknown;
  readonly series: { readonly rows: Iterable<SeriesRow> };
  /** Which ports blocked which; null where episodes were not recorded. */
  readonly why: SeenWhy | null;
  /** Of frames that were followed; null where none were. */
  readonly traces: Iterable<FrameTrace> | null;
  readonly origin: {
    readonly scenario: string;
    readonly set: readonly string[];
    /** Faults that came and went while it was under way. */
    readonly steps: readonly unknown[];
  };
}

/** Its episodes are null where only the trees were kept. */
type SeenWhy = WhySummary & {
  readonly congestion: { readonly episodes: readonly Episode[] } | null;
};

/** Of the scenario: what no table says. */
export interface ScenarioFacts {
  readonly description: string;
  readonly topology: Topology;
  readonly series: SeriesInterval | null;
  /** By port, in the order of the fabric. */
  readonly sharing: readonly PortSharing[];
  readonly methods: PortMethods;
  /** Names of the ports that frames of a flow leave by. */
  readonly pathOf: (flow: number) => Iterable<string>;
  readonly limitsOf: LimitsOf;
  readonly stepsOf: StepsOf;
}

export function factsOf(fabric: Fabric): ScenarioFacts {
  const { scenario, topology, specs } = fabric;
  return {
    ...{ description: scenario.description, topology, series: seriesIntervalOf(fabric) },
    sharing: specs.flatMap(({ ports }) => ports),
    methods: portMethodsOf(fabric),
    pathOf: (flow) => portsOfFlow(fabric, flow),
    limitsOf: limitsOf(fabric),
    stepsOf: (name) => fabric.jobs.find(({ job }) => job.name === name)?.job.graph.steps ?? [],
  };
}

export function pageOfRun(run: MeasuredRun, facts: ScenarioFacts): RunPage {
  const { results } = run;
  const { ports, virtualPs } = results;
  const names = ports.map(({ port }) => port);
  const placeOf = new Map(names.map((name, place) => [name, place]));
  const views = ports.map((port, place): PortView => {
    const negotiated = results.discovery?.ports[place] ?? null;
    return {
      ...portView(port, virtualPs),
      flowControl: flowControlAt(facts.methods, place, negotiated),
    };
  });
  const intervalPs = facts.series && intervalAt(facts.series, virtualPs);
  const series = seriesOf(run.series.rows, intervalPs, virtualPs, ports);
  return {
    title: results.scenario,
    description: facts.description,
    story: storyOf(results, run.why),
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
    loads: loadViews(results),
    standstill: standstillView(run),
    unreachable: unreachableView(results),
    expectations: run.expectations.map(({ text, metric, actual, ok, reason }) => {
      return { text, actual: reason ?? show(metric, actual), ok };
    }),
    map: mapOf(facts.topology, views),
    ports: views,
    portFigures: PORT_FIGURES,
    ...series,
    plots: series.plots.map((plot) => {
      return { ...plot, limits: facts.limitsOf(plot.port, plot.priority) };
    }),
    completions: completionCurves(results.flows),
    slowdown: slowdownBySize(results.flows),
    spread: {
      queues: series.queues,
      pauses: run.why?.congestion ? pauseSpreads(run.why.congestion.episodes) : null,
      slowdown: slowdownOverTime(results.flows, virtualPs),
    },
    margins: marginViews(results),
    panels: results.nics
      .slice(0, PANELS_SHOWN)
      .flatMap((nic) => NIC?.panel(nic, CARD_FORMAT) ?? []),
    cards: cardsOf(results).map(cardView),
    faults: faultsView(results.faults, placeOf),
    trees: run.why && treesView(run.why, names),
    ...flowViews({
      ...{ flows: results.flows, virtualPs, why: run.why, traces: run.traces },
      episodes: run.why?.congestion?.episodes ?? null,
      ...{ placeOf, faults: faultNames(results.faults) },
      pathOf: facts.pathOf,
      timesPs: series.heat?.timesPs ?? null,
    }),
    discovery: results.discovery && discoveryView(results.discovery, names),
    shares: sharesView(results, facts.sharing),
    jobs: jobViews(results, facts.stepsOf),
  };
}

function cardView({ title, head = [], rows = [], lines = [] }: Card): CardView {
  const more = Math.max(0, rows.length - CARD_ROWS_SHOWN);
  return { title, head, rows: rows.slice(0, CARD_ROWS_SHOWN), more, lines };
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
  const words = [
    'selvage',
    'run',
    file,
    ...withoutDefaults(origin.set).flatMap((s) => ['--set', s]),
  ];
  return { command: commandText(words), scenario: JSON.stringify(document, null, 2) };
}

/** What pages show of loads: a summary that was read has more of them. */
function loadViews({ loads }: RunResults): LoadResult[] {
  return loads.map(({ load, flows, finished, payloadOctets, goodputBps, perFlowBps }) => ({
    load,
    flows,
    finished,
    payloadOctets,
    goodputBps,
    perFlowBps,
  }));
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
    counts: having(PORT_MEASURES, 'ofTraffic').map(
      ([key, { ofTraffic }]) => [ofTraffic, p[key]] as const,
    ),
  }));
}

function portView(result: PortResult, virtualPs: number): Omit<PortView, 'flowControl'> {
  const { priorities, rateBps } = result;
  const sum = (value: (p: (typeof priorities)[number]) => number): number =>
    priorities.reduce((total, p) => total + value(p), 0);
  const wireBits = 8 * sum((p) => p.txOctets + WIRE_OVERHEAD_OCTETS * p.txFrames);
  const figures = portFigures(priorities);
  return {
    name: result.port,
    peer: result.peer,
    rateBps,
    // A frame that is being transmitted at the end is counted as a whole.
    busy: virtualPs === 0 ? 0 : Math.min(1, rounded((wireBits * 1e12) / (rateBps * virtualPs))),
    blocked: virtualPs === 0 ? 0 : rounded(figures.longest.blocked / virtualPs),
    ...figures,
    txOctets: sum((p) => p.txOctets),
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
