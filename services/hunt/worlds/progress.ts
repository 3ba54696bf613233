import { GRANTING, MECHANISMS } from '../../mechanisms/registry.js';
import type { Engine } from '../../engine/device/engine.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import { accountRows } from '../../engine/contract/grants-spec.js';
import { StandingFault } from '../../engine/faults/standing-fault.js';
import { PS_PER_S, formatPs } from '../../engine/units/time.js';
import { isLate } from '../../fabric/assembly/warnings.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Flow, Release } from '../../fabric/load/flow.js';
import { portsOfFlow } from '../../telemetry/congestion/flow-paths.js';
import { isPausedForTime, sourceTurnPs } from '../../runtime/results/flow-progress.js';
import type { FlowResult, RunResults } from '../../runtime/results/results.js';
import { OCTET_BITS } from '../../engine/units/words.js';
import { PAUSE_OCTETS_MAX } from '../../engine/units/ethernet.js';

/** A flow without deliveries for so much of a run, after all faults, is stuck, or sooner. */
const PATIENCE_OF_RUN = 0.4;
/** What ever waited in the fabric may pass its slowest link so many times before a frame does. */
const DRAINS = 4;
/** Longer than a round trip, of the longest link. */
const WAYS = 12;
/** Where anything is lost, a reliable flow may wait for its timer several times over. */
const TIMEOUTS = 10;
/** Paced frames are released so late at most, or, at random intervals, almost always. */
const PACES = 2;
const RANDOM_PACES = 15;
/** Grants, or what may be outstanding, for fewer frames are used up in every round trip. */
const NARROW_FRAMES = 4;
/** What waits in a host may have been so much more. */
const TURNS = 3;

/**
 * A flow that should be complete by now, or progress, and does neither; or null. An endless flow
 * progresses while arbiters owe it a share: it waits behind classes above its own, and for a share
 * of nothing forever.
 */
export function stuckFlow(fabric: Fabric, engine: Engine, results: RunResults): string | null {
  const { durationPs, virtualPs, flows } = results;
  if (durationPs === null || !staysConnected(fabric) || hasLostGrants(fabric, results)) return null;
  if (givesUp(fabric)) return null;
  const overPs = lastFaultPs(fabric, durationPs);
  const wayPs = WAYS * Math.max(...fabric.linkEnds.flat().map(({ latencyPs }) => latencyPs));
  const losing = losingPriorities(fabric, results);
  const filtering = filteringHosts(results);
  const patience = new Patience(fabric, engine, results, wayPs, mayLose(fabric, results));
  const leastBps = new Map(results.rates.map(({ flow: at, leastBps: bps }) => [at, bps]));
  for (const [index, flow] of fabric.flows.entries()) {
    const result = flows[index]!;
    if (!isOwed(flow, result, losing) || isFlowRefused(engine, flow)) continue;
    if (isPaused(fabric, engine, index, virtualPs)) continue;
    const ends = [flow.source, flow.destination].map((d) => fabric.topology.devices[d]!.name);
    if (ends.some((name) => filtering.has(name))) continue;
    const beforePs = lastBeforePs(fabric, index, results);
    const sincePs = Math.max(overPs, beforePs, flow.startPs, result.lastArrivalPs ?? 0);
    if (virtualPs - sincePs <= Math.max(wayPs, patience.of(flow, leastBps.get(index) ?? Infinity)))
      continue;
    return `flow ${flow.name} of priority ${flow.priority} is stuck since ${formatPs(sincePs)}`;
  }
  return null;
}

/**
 * Hosts whose NIC discards frames by their addresses, or VLANs: retransmissions, and what
 * acknowledges them, too.
 */
function filteringHosts({ nics, ports }: RunResults): ReadonlySet<string> {
  const spoofing = nics.filter(({ spoofedFrames }) => spoofedFrames > 0);
  const filtered = ports.filter(({ priorities }) =>
    priorities.some(({ drops }) => 'vlan-filtered' in drops),
  );
  return new Set([...spoofing, ...filtered].map(({ device }) => device));
}

/** Where an administrator, or swapped links, may separate hosts for good. */
function staysConnected({ scenario }: Fabric): boolean {
  return !scenario.faults.some(({ kind }) => kind === 'mis-cabling');
}

/** Links that lose frames by their settings may carry nothing. */
function givesUp({ specs }: Fabric): boolean {
  return specs.some(({ ports }) => ports.some(({ retry }) => retry?.givesUp === true));
}

/** A message has paused the flow, or its priority at the source, for a time that is not over. */
function isPaused({ flows, flowEnds }: Fabric, engine: Engine, index: number, nowPs: number) {
  const { device, connection } = flowEnds[index]!.send;
  const { firstPort, rows } = engine.devices[device]!;
  if (engine.senders.pacedUntil(rows.send.first + connection) > nowPs) return true;
  return isPausedForTime(engine, firstPort, flows[index]!.priority, nowPs);
}

/** Its frames are not sent, or its acknowledgements. */
function isFlowRefused(engine: Engine, { priority, transport }: Flow): boolean {
  if (isRefused(engine, priority)) return true;
  return transport.kind === 'reliable' && isRefused(engine, transport.ackPriority);
}

/** Link partners that have not agreed on a priority send nothing of it. */
function isRefused({ discovery, mechanisms, shared }: Engine, priority: number): boolean {
  for (let port = 0; port < shared.ports.count; port++) {
    if (discovery.holdReason(port, priority) !== null) return true;
    if (mechanisms.some((own) => own.awaitsAgreement?.(port, priority) === true)) return true;
  }
  return false;
}

/** Whether a standstill of the whole fabric may be the work of faults. */
export function mayStandStill(fabric: Fabric, results: RunResults): boolean {
  const { failure, virtualPs } = results;
  if (hasLostGrants(fabric, results)) return true;
  return (failure?.timePs ?? virtualPs) <= lastFaultPs(fabric, results.durationPs ?? virtualPs);
}

/** Incremental counts never regain a grant that a fault, or an error of a link, took. */
function hasLostGrants({ specs }: Fabric, results: RunResults): boolean {
  if (GRANTING === null || GRANTING.lost(results).length === 0) return false;
  const granting = GRANTING;
  return specs.some(({ ports }) => ports.some((port) => granting.loses(port)));
}

/** Of any priority. */
export function refusesAny(engine: Engine): boolean {
  return [0, 1, 2, 3, 4, 5, 6, 7].some((priority) => isRefused(engine, priority));
}

/** A frame that no host sent with its priority was remapped: it may be of any flow. */
function losingPriorities(
  { topology }: Fabric,
  { priorities, ports }: RunResults,
): ReadonlySet<number> {
  const losing = priorities.filter(({ drops }) => Object.keys(drops).length > 0);
  const hosts = new Set(
    topology.devices.flatMap(({ kind, name }) => (kind === 'host' ? name : [])),
  );
  const rows = ports.filter(({ device }) => hosts.has(device)).flatMap((port) => port.priorities);
  const sent = new Set(rows.flatMap(({ priority, txFrames }) => (txFrames > 0 ? priority : [])));
  const isRemapped = losing.some(({ priority }) => !sent.has(priority));
  return new Set((isRemapped ? priorities : losing).map(({ priority }) => priority));
}

/** Raw frames are not retransmitted. */
function isOwed(flow: Flow, result: FlowResult, losing: ReadonlySet<number>): boolean {
  if (flow.group || flow.after.length > 0 || result.completionPs !== null) return false;
  // A NIC may drop frames with the address of another.
  if (flow.address !== null) return false;
  return (
    flow.endPs === Infinity && (flow.transport.kind === 'reliable' || !losing.has(flow.priority))
  );
}

/**
 * When anything last arrived that may precede all frames of a flow: of higher classes, and, where
 * PAUSE stops ports, of any class by the same port.
 */
function lastBeforePs(fabric: Fabric, index: number, run: RunResults): number {
  const { flows, specs } = fabric;
  const { source, priority } = flows[index]!;
  const { classOf } = specs[source]!.ports[0]!;
  const hasNoShare = isWithoutShare(fabric, priority);
  const paused = new Set(
    specs.flatMap(({ ports }) =>
      ports.filter(({ pausing }) => pausing?.wholePort === true).map((p) => p.name),
    ),
  );
  const pausedPorts = [...portsOfFlow(fabric, index)].filter((name) => paused.has(name));
  const precedes = (other: number): boolean => {
    const above = flows[other]!.priority;
    if (hasNoShare) return true;
    if (classOf[above]! > classOf[priority]! && mayBeStrict(fabric, above)) return true;
    const shared = pausedPorts.length === 0 ? null : portsOfFlow(fabric, other);
    return shared !== null && pausedPorts.some((name) => shared.has(name));
  };
  const arrivals = flows.map((_, other) =>
    precedes(other) ? (run.flows[other]!.lastArrivalPs ?? 0) : 0,
  );
  return Math.max(...arrivals);
}

/** Whether an arbiter serves its class behind all others, by configuration or by discovery. */
function isWithoutShare({ specs, scenario }: Fabric, priority: number): boolean {
  return (
    scenario.discovery.enabled ||
    specs.some(({ ports }) =>
      ports.some(
        ({ arbiter, classOf }) =>
          arbiter.kind === 'ets' && arbiter.shares[classOf[priority]!] === 0,
      ),
    )
  );
}

/** Whether any arbiter serves a priority before those of lower classes, however much it sends. */
function mayBeStrict({ specs, scenario }: Fabric, priority: number): boolean {
  const isStrict = ({ arbiter, classOf }: PortSpec): boolean => {
    if (arbiter.kind === 'ets') return arbiter.shares[classOf[priority]!] === null;
    return ['strict', 'due-dates', 'outside'].includes(arbiter.kind);
  };
  const hasPlanes = specs.some((spec) => spec.kind === 'host' && spec.nic !== null);
  return scenario.discovery.enabled || hasPlanes || specs.some((spec) => spec.ports.some(isStrict));
}

/**
 * A frame that another overtakes is lost to a flow with go-back-N, and so is a NAK that an
 * acknowledgement overtakes: the timer is left.
 */
function mayLose({ scenario, specs }: Fabric, { flows, priorities }: RunResults): boolean {
  const drops = priorities.some((priority) => Object.keys(priority.drops).length > 0);
  const resends = flows.some(({ retransmittedFrames }) => retransmittedFrames > 0);
  const sprays = specs.some(
    (spec) =>
      spec.kind === 'switch' &&
      spec.forwarding.kind === 'routed' &&
      spec.forwarding.balancing !== null,
  );
  return scenario.faults.length > 0 || drops || resends || sprays;
}

/** How long a flow may be without deliveries. */
class Patience {
  /** The slowest queue of any NIC, or receiver of grants. */
  private readonly slowestBps: number;
  private readonly longestOctets: number;
  /** Flows, or the accounts of a shaped port: idle ones are granted, too. */
  private readonly sharing: number;
  private readonly durationPs: number;
  /** Where grants, or retry, are for a few frames only, all flows may wait for them in turn. */
  private readonly windowsPs: number;
  /** Of the slowest host. */
  private readonly turnPs: number;
  /** Until what link partners have lost of each other's messages is repeated. */
  private readonly repeatsPs: number;
  /** Until all that ever waited has passed the slowest link. */
  private readonly drainPs: number;

  constructor(
    fabric: Fabric,
    engine: Engine,
    results: RunResults,
    wayPs: number,
    private readonly loses: boolean,
  ) {
    this.durationPs = results.durationPs!;
    const { mechanisms, shared } = engine;
    const { hosts, overrides } = fabric.scenario;
    this.longestOctets = Math.max(...fabric.longestFrameOctets);
    const nics = [hosts.nic, ...overrides.map(({ host }) => host.nic)];
    const rates = nics.flatMap((nic) => nic?.rates ?? []);
    const shaped = fabric.specs.flatMap(({ ports }) =>
      ports.map((port) => GRANTING?.shaperBps(port) ?? Infinity),
    );
    this.slowestBps = Math.min(...rates.map(({ bps }) => bps), ...shaped);
    const accounts = fabric.specs.flatMap(({ ports }) =>
      ports.map((port) => accountRows(port.grants)),
    );
    this.sharing = Math.max(fabric.flows.length, ...accounts);
    const windows = MECHANISMS.flatMap((own) => own.results.windowOctets?.(results) ?? []);
    const retried = fabric.specs.flatMap(({ ports }) =>
      ports.flatMap(({ retry }) => retry?.mostOctets ?? []),
    );
    const isNarrow = Math.min(...windows, ...retried) < NARROW_FRAMES * this.longestOctets;
    this.windowsPs = isNarrow ? this.sharing * wayPs : 0;
    this.turnPs = Math.max(
      ...fabric.specs.map((_, d) => sourceTurnPs(fabric, engine, d, this.longestOctets)),
    );
    // A frame that waits for a grant requests it.
    const others = mechanisms.filter((own) => own.books === undefined);
    const repeats = Array.from({ length: shared.ports.count }, (_, port) =>
      Math.max(0, ...others.map((own) => own.repeatsPs?.(port) ?? 0)),
    );
    this.repeatsPs = Math.max(0, ...repeats);
    const waited = results.ports.flatMap(({ priorities }) => priorities);
    const queued = waited.reduce((sum, own) => sum + own.peakQueueOctets, 0);
    const octets = queued + this.sharing * this.longestOctets;
    const octetPs = Math.max(...fabric.linkEnds.flat().map((end) => end.octetPs));
    this.drainPs = DRAINS * (octets * octetPs + wayPs);
  }

  /** `leastBps`: the lowest rate that its congestion control set. */
  of(flow: Flow, leastBps: number): number {
    const { transport, release } = flow;
    const waitsForTimer = transport.kind === 'reliable' && (this.loses || isLate(transport));
    return Math.max(
      Math.min(PATIENCE_OF_RUN * this.durationPs, this.drainPs),
      waitsForTimer ? TIMEOUTS * transport.timeoutPs : 0,
      this.loses ? this.repeatsPs : 0,
      pacePs(release),
      TURNS * this.turnPs,
      this.windowsPs,
      this.framePs(flow, leastBps),
    );
  }

  /** Frames of a shaped queue, of any length, are spaced by its rate; all flows may share one. */
  private framePs({ transport }: Flow, leastBps: number): number {
    const isRaw = transport.kind === 'raw';
    const octets = isRaw ? transport.frameBytes : transport.mtuBytes + transport.overheadBytes;
    const framePs = (length: number, bps: number): number => (length * OCTET_BITS * PS_PER_S) / bps;
    const ofTransport = isRaw ? 0 : framePs(octets, Math.min(transport.rateBps, leastBps));
    const ofQueue = this.sharing * framePs(this.longestOctets, this.slowestBps);
    return Math.max(TURNS * ofQueue, PACES * ofTransport);
  }
}

/** Longest time until there is a frame to send. */
function pacePs(release: Release): number {
  switch (release.kind) {
    case 'backlog':
      return 0;
    case 'constant':
      return PACES * release.gapPs;
    case 'poisson':
      return RANDOM_PACES * release.meanGapPs;
    case 'on-off':
      return release.random
        ? RANDOM_PACES * (release.gapPs + release.offPs)
        : PACES * (release.gapPs + release.offPs);
  }
}

/** When the last fault was over; the end of the run if one never is. */
function lastFaultPs({ specs }: Fabric, durationPs: number): number {
  let latestPs = 0;
  const octetPs = Math.max(...specs.flatMap(({ ports }) => ports.map((port) => port.octetPs)));
  const pausePs = PAUSE_OCTETS_MAX * octetPs;
  for (const { effect, ...spec } of specs.flatMap(({ ports }) => ports.flatMap((p) => p.faults))) {
    if (effect.kind === 'excuse') continue;
    const fault = new StandingFault({ ...spec, effect });
    // A spoofed pause lasts as long as its frame states.
    const isSetting = effect.kind === 'set' || effect.kind === 'link';
    const lastsPs = effect.kind === 'send' || effect.kind === 'control' ? pausePs : 0;
    while (fault.beginPs < durationPs) {
      fault.begin();
      const endPs = isSetting ? fault.beginPs : fault.endPs + lastsPs;
      latestPs = Math.max(latestPs, Math.min(endPs, durationPs));
      fault.finish();
    }
  }
  return latestPs;
}
