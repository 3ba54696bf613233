import type { FlowResult } from '../../runtime/results/results.js';
import type { Episode } from '../../telemetry/congestion/congestion.js';
import { BYSTANDER, partsOfFlows } from '../../telemetry/congestion/flow-roles.js';
import { isOfRing } from '../../telemetry/congestion/congestion-trees.js';
import type { FrameTrace } from '../../telemetry/traces/frame-trace.js';
import type { WhySummary } from '../why.js';
import { FLOW_FIGURES, flowFigures } from './figures.js';
import { TREES_SHOWN } from './page-trees.js';
import type { EpisodesView, FlowsView, FlowView } from './page-flow-data.js';
import { episodesView } from './page-episodes.js';
import type { TracedFlow } from './page-frames.js';
import { framesShown, frameView, tracedFlows } from './page-frames.js';
import { causeOfFlow } from '../cause-text.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';

const FLOWS_SHOWN = 2000;
/** Flows whose arrivals are drawn over time. */
const ARRIVALS_SHOWN = 100;
/** Spans of time where the run has no series. */
const SPANS = 120;

/** What is known of flows when a run is over. */
interface FlowSources {
  readonly flows: readonly FlowResult[];
  readonly virtualPs: number;
  /** Null where they were not observed. */
  readonly why: Pick<WhySummary, 'trees' | 'deadlocks'> | null;
  readonly episodes: readonly Episode[] | null;
  readonly traces: Iterable<FrameTrace> | null;
  /** Places of ports, by name. */
  readonly placeOf: ReadonlyMap<string, number>;
  /** Names of faults, with what they are. */
  readonly faults: ReadonlyMap<string, string>;
  /** Ports that frames of a flow leave by. */
  readonly pathOf: (flow: number) => Iterable<string>;
  /** Ends of the spans of the series. */
  readonly timesPs: readonly number[] | null;
}

interface FlowViews {
  readonly flows: FlowsView;
  readonly episodes: EpisodesView | null;
}

export function flowViews(sources: FlowSources): FlowViews {
  const { virtualPs, episodes, traces } = sources;
  const timesPs = sources.timesPs ?? spansOf(virtualPs);
  const traced = tracedFlows(traces ?? [], timesPs);
  const shown = [...sources.flows].sort(byTrouble).slice(0, FLOWS_SHOWN);
  const frames = framesShown(
    traced,
    shown.map(({ name }) => name),
  );
  const named = new Set([...frames.values()].flatMap((some) => some.flatMap(holdsOf)));
  const placed =
    episodes && episodesView(episodes, named, { nowPs: virtualPs, faults: sources.faults });
  const blocked = episodes && new BlockedTimes(episodes, virtualPs);
  const parts = partsOfFlows(sources.why?.trees ?? []);
  let arrivalsLeft = ARRIVALS_SHOWN;
  const rows = shown.map((flow): FlowView => {
    const { name, load, source, destination, priority, startPs, completionPs, slowdown } = flow;
    const ports = [...sources.pathOf(flow.flow)];
    const own = traced.get(name);
    const isWhole = own !== undefined && own.arrivals >= flow.frames && arrivalsLeft-- > 0;
    return {
      ...{ name, load, source, destination, priority, startPs, completionPs, slowdown },
      ...{ offeredOctets: flow.offeredOctets, payloadOctets: flow.payloadOctets },
      figures: flowFigures(flow, blocked?.of(flow, ports) ?? null),
      unreachableAt: flow.unreachableAt,
      cause: causeOfFlow(flow),
      path: ports.map((port) => sources.placeOf.get(port)!),
      victimOf: (parts.get(name)?.suffers ?? []).filter((place) => place < TREES_SHOWN),
      role: (parts.get(name) ?? BYSTANDER).role,
      isOfRing: (sources.why?.deadlocks ?? []).some((ring) => isOfRing(new Set(ports), ring)),
      arrivedBps: isWhole ? ratesOf(own, timesPs) : null,
      frames: (frames.get(name) ?? []).map((one) => frameView(one, placed?.placeOf ?? null)),
    };
  });
  const flows = { total: sources.flows.length, rows, figures: FLOW_FIGURES, timesPs };
  return { flows, episodes: placed?.view ?? null };
}

/** What did not finish, then what took longest for its size, then what was slow per frame. */
function byTrouble(a: FlowResult, b: FlowResult): number {
  const left = ({ unfinishedPs, payloadOctets, offeredOctets }: FlowResult): number =>
    unfinishedPs === null ? 0 : 1 + (1 - payloadOctets / offeredOctets!);
  return (
    left(b) - left(a) ||
    (b.slowdown ?? 0) - (a.slowdown ?? 0) ||
    (b.latencyMeanPs ?? 0) - (a.latencyMeanPs ?? 0) ||
    a.flow - b.flow
  );
}

function spansOf(virtualPs: number): number[] {
  return Array.from({ length: SPANS }, (_, i) => Math.ceil(((i + 1) * virtualPs) / SPANS));
}

function ratesOf({ arrivedOctets }: TracedFlow, timesPs: readonly number[]): number[] {
  return Array.from(arrivedOctets, (octets, span) => {
    const spanPs = timesPs[span]! - (timesPs[span - 1] ?? 0);
    return Math.round((octets * OCTET_BITS_PS) / spanPs);
  });
}

function holdsOf({ steps }: FrameTrace): string[] {
  return steps.flatMap(({ parts }) => parts.flatMap(({ hold }) => hold?.episode ?? []));
}

/** When ports could not send. */
class BlockedTimes {
  private readonly byPort = new Map<string, Episode[]>();

  constructor(
    episodes: readonly Episode[],
    private readonly nowPs: number,
  ) {
    for (const episode of episodes) {
      if (episode.kind !== 'blocked') continue;
      const there = this.byPort.get(episode.port);
      if (there === undefined) this.byPort.set(episode.port, [episode]);
      else there.push(episode);
    }
  }

  /** Time of a flow in which at least one of the ports was blocked in its priority. */
  of(flow: FlowResult, ports: readonly string[]): number {
    const endPs = flow.completionPs === null ? this.nowPs : flow.startPs + flow.completionPs;
    const times = ports
      .flatMap((port) => this.byPort.get(port) ?? [])
      .filter(({ priority }) => priority === null || priority === flow.priority)
      .map(
        (e) => [Math.max(e.startPs, flow.startPs), Math.min(e.endPs ?? this.nowPs, endPs)] as const,
      )
      .filter(([from, to]) => to > from)
      .sort(([a], [b]) => a - b);
    let [totalPs, untilPs] = [0, 0];
    for (const [from, to] of times) {
      totalPs += Math.max(0, to - Math.max(from, untilPs));
      untilPs = Math.max(untilPs, to);
    }
    return totalPs;
  }
}
