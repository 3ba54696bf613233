import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { pluginOf } from '../../plugins/plugins.js';
import { unbalancedWhole } from '../checks/books.js';
import { Collector } from './collect.js';
import { liveResults } from './live-results.js';
import { jobResults, operationResults } from './job-results.js';
import { goodputOf, loadResults, tallyOf } from '../../measures/flow-statistics.js';
import { discoveryResults } from './discovery-results.js';
import { mechanismResults } from './mechanism-results.js';
import { NIC } from '../../mechanisms/registry.js';
import { slotPortResults, slotResults } from './collect-slots.js';
import { ratesOf } from './collect-congestion.js';
import { countCauses, statusOfCauses, type FlowCause } from './flow-cause.js';
import { causesOf } from './flow-causes.js';
import type { Failure, PluginResult, RunResults, RunStatus, WireResult } from './results.js';
import { FlowProgress } from './flow-progress.js';
import type { WireLog } from '../../engine/analysis/wire/wire-recorder.js';
import { fingerprint } from './fingerprint.js';
import type { Congestion, Deadlock } from '../../telemetry/congestion/congestion.js';
import { standingDeadlocks } from '../../telemetry/congestion/standing-deadlocks.js';
import { framesStarted, STALLED, thingsPlanned } from '../checks/stall.js';

const DEADLOCK = 'deadlock: ';

/** Records of a run; null where they were not requested. */
interface Measured {
  readonly congestion: Congestion | null;
  readonly wire: readonly WireLog[] | null;
}

/** Results of an engine that has the whole fabric, in its order. */
export function outcomeOf(
  fabric: Fabric,
  engine: Engine,
  status: 'complete' | 'interrupted',
  known: Failure | null,
  { congestion, wire }: Measured,
): RunResults {
  const endPs = fabric.scenario.durationPs;
  // A device may have failed between two events that have both been executed by others.
  const virtualPs = Math.max(virtualTimeOf(engine, endPs), known?.timePs ?? 0);
  const collector = new Collector(engine, fabric, virtualPs);
  const counted = collector.flows();
  const nics = NIC?.results(engine, virtualPs) ?? [];
  const isStill = known?.reason === STALLED;
  const isSound = known === null || isStandstill(known);
  const isOver = status === 'complete' && isSound;
  const standing = isOver ? standingDeadlocks(fabric, engine, virtualPs) : [];
  const run = { fabric, engine, nics, nowPs: virtualPs };
  const progress = isSound ? new FlowProgress(run, standing, isStill) : null;
  const causes = progress && causesOf(run, counted, progress);
  const flows = counted.map((flow, index) => ({ ...flow, cause: causes?.causes[index] ?? null }));
  const stalls = isOver ? causes!.stalls : [];
  const found =
    known ?? firstLoss(fabric, engine) ?? (isOver ? unbalanced(fabric, engine, virtualPs) : null);
  const failure = withRing(found, congestion?.deadlocks ?? standing);
  const deviceDigests = deviceDigestsOf(fabric, engine);
  return {
    scenario: fabric.scenario.name,
    seed: fabric.scenario.seed,
    status: statusOf(status, failure, standing, isOver ? causes!.causes : []),
    failure,
    warnings: fabric.warnings.map(({ message, load }) => ({ message, load })),
    virtualPs,
    durationPs: endPs,
    digest: digestOf(deviceDigests),
    deviceDigests,
    plugins: pluginResults(fabric),
    frameHops: frameHopsOf(engine),
    events: engine.shared.events.reduce((total, events) => total + events, 0),
    devices: engine.devices.length,
    links: fabric.topology.links.length,
    goodputBps: goodputOf(flows),
    finished: tallyOf(flows),
    priorities: collector.priorities(flows),
    loads: loadResults(flows),
    flows,
    jobs: jobResults(fabric, engine),
    operations: [...operationResults(fabric, engine)],
    causes: countCauses(causes?.causes ?? []),
    ports: collector.ports(),
    margins: collector.margins(),
    buffers: collector.buffers(),
    discovery: discoveryResults(
      fabric,
      engine.discovery,
      (device, port) => engine.devices[device]!.firstPort + port,
    ),
    ...mechanismResults(fabric, engine, virtualPs),
    nics,
    rates: ratesOf(fabric, engine),
    slots: slotResults(engine),
    slotPorts: slotPortResults(engine, fabric, virtualPs),
    stalls,
    standingDeadlocks: standing,
    deadlocks: congestion?.deadlocks ?? [],
    storms: congestion?.storms ?? [],
    faults: collector.faults(),
    live: liveResults(fabric, engine),
    wire: wire && wireResult(fabric, wire),
  };
}

function pluginResults({ scenario }: Fabric): PluginResult[] {
  return scenario.plugins.map((source) => {
    const { name, kind } = pluginOf(source);
    return { name, kind, file: source.file, sha256: source.sha256 };
  });
}

/** Failures take precedence over what the causes of flows say. */
function statusOf(
  status: 'complete' | 'interrupted',
  failure: Failure | null,
  standing: readonly Deadlock[],
  causes: readonly (FlowCause | null)[],
): RunStatus {
  if (failure !== null && !isStandstill(failure)) return 'failed';
  if (status === 'interrupted') return 'interrupted';
  if (standing.length > 0 || failure?.reason.startsWith(DEADLOCK) === true) return 'deadlocked';
  return failure !== null ? 'stalled' : statusOfCauses(causes);
}

/** No error, but no progress. */
function isStandstill({ reason }: Failure): boolean {
  return reason === STALLED || reason.startsWith(DEADLOCK);
}

/** A standstill with a cycle of ports names it, and when it closed. */
function withRing(failure: Failure | null, deadlocks: readonly Deadlock[]): Failure | null {
  const deadlock = deadlocks.find(({ openedPs }) => openedPs === null);
  return failure?.reason !== STALLED || deadlock === undefined
    ? failure
    : deadlockFailure(deadlock);
}

/** Its ports in order, and when it closed. */
export function deadlockFailure({ ring, closedPs }: Deadlock): Failure {
  const [{ device, egress: port, priority }] = ring as [(typeof ring)[number]];
  const steps = ring.map(({ egress }) => egress).join(' waits for ');
  return { reason: `${DEADLOCK}${steps}, and so round`, timePs: closedPs, device, port, priority };
}

/** How far a run has come. */
export function virtualTimeOf(engine: Engine, endPs: number | null): number {
  const next = engine.shared.horizon.reduce((least, time) => Math.min(least, time), Infinity);
  if (endPs !== null) return Math.min(next, endPs);
  return isQuiet(engine, next) ? lastAction(engine) : next;
}

/** Nothing is left to do, or only periodic messages. */
function isQuiet(engine: Engine, nextPs: number): boolean {
  if (nextPs === Infinity) return true;
  return thingsPlanned(engine) === 0 && engine.shared.pool.inUse() === 0;
}

export function frameHopsOf(engine: Engine): number {
  const { controlSent } = engine.shared.counters;
  return framesStarted(engine) + controlSent.reduce((total, frames) => total + frames, 0);
}

/** A frame lost on a lossless priority, the first of all devices. */
export function firstLoss(fabric: Fabric, engine: Engine): Failure | null {
  let first: Failure | null = null;
  engine.devices.forEach((_, d) => {
    const loss = engine.shared.counters.firstLoss(d);
    if (loss === null || (first !== null && first.timePs <= loss.timePs)) return;
    first = {
      reason: lossReason(fabric, d, loss.priority),
      timePs: loss.timePs,
      ...placeNames(fabric, d, loss.port),
      priority: loss.priority,
    };
  });
  return first;
}

/** The buffer where the frame would have been stored, and its limit. */
function lossReason({ specs }: Fabric, device: number, priority: number): string {
  const spec = specs[device]!;
  const dropped = 'a frame of a lossless priority was dropped';
  if (NIC === null || spec.kind === 'switch' || spec.nic === null)
    return `${dropped}: its headroom was full`;
  const tc = spec.ports[0]!.groupOf[priority]!;
  return `${dropped}: ${NIC.lossReason(tc)}`;
}

/**
 * A ledger that does not balance, or a pause that is not refreshed: at the end of every run, as it
 * costs nothing until then; with `--check`, while it runs.
 */
export function unbalanced(fabric: Fabric, engine: Engine, nowPs: number): Failure | null {
  const breach = unbalancedWhole(engine, nowPs);
  if (breach === null) return null;
  const { reason, timePs, device, port, priority } = breach;
  return { reason, timePs, ...placeNames(fabric, device, port), priority };
}

export function placeNames(
  fabric: Fabric,
  device: number,
  port: number,
): { device: string; port: string } {
  return {
    device: fabric.topology.devices[device]?.name ?? '',
    port: fabric.linkEnds[device]?.[port]?.name ?? '',
  };
}

function deviceDigestsOf(fabric: Fabric, engine: Engine): { device: string; digest: string }[] {
  return fabric.topology.devices.map(({ name }, d) => ({
    device: name,
    digest: engine.shared.digests.hex(d),
  }));
}

/** One hash over all devices, by name, so that their order does not matter. */
function digestOf(devices: readonly { device: string; digest: string }[]): string {
  return fingerprint(devices.map(({ device, digest }) => `${device} ${digest}`));
}

/**
 * When the last frame was sent, received or dropped, the last pause or fault began or was over:
 * counters do not change from then on, although timers may still expire without an effect.
 */
function lastAction({ shared: { digests, ports } }: Engine): number {
  let last = digests.actedAt.reduce((latest, time) => Math.max(latest, time), 0);
  // A frame that a device cuts through, or drops, has arrived before it has left its sender.
  for (let port = 0; port < ports.count; port++) last = Math.max(last, ports.freeAt(port));
  return last;
}

/** Fingerprints of what each port transmitted, by the names of ports. */
function wireResult({ linkEnds }: Fabric, wire: readonly WireLog[]): WireResult {
  const ports = linkEnds.flatMap((ends, device) =>
    ends.map(({ name, port }) => ({ port: name, fingerprint: wire[device]!.hex(port) })),
  );
  return {
    fingerprint: fingerprint(ports.map((each) => `${each.port} ${each.fingerprint}`)),
    ports,
  };
}
