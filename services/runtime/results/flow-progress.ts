import { PRIORITIES, TRAFFIC_CLASSES } from '../../engine/units/ethernet.js';
import { pausePsOf } from '../../engine/contract/pausing.js';
import { framesNotWhole } from '../../engine/device/checkpoint.js';
import type { Engine } from '../../engine/device/engine.js';
import { LAST_AT } from '../../engine/device/host/receivers.js';
import { forEachQueued } from '../../engine/device/queued-frames.js';
import {
  CLASS,
  CONNECTION,
  GROUP_FLAG,
  KIND_MASK,
  KIND_RAW,
  TARGET,
} from '../../engine/frame/frame-pool.js';
import { waitsInVain } from '../../engine/analysis/ledger/standstill.js';
import { QUEUE_PEAK } from '../../engine/port/queues.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Flow } from '../../fabric/load/flow.js';
import type { Deadlock, RingStep } from '../../telemetry/congestion/congestion.js';
import { portsOfFlow } from '../../telemetry/congestion/flow-paths.js';
import type { NicResult } from '../../mechanisms/nic-context.js';
import { GRANTING } from '../../mechanisms/registry.js';
import type { StallResult } from './results.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';

/** Round trips, gaps between packets and turns at the source that may pass without a delivery. */
const TIMES = 2;
/** No frame is so long. */
const FRAME_OCTETS_MOST = 16_384;
/** The longest queues of a path may drain at this part of line rate. */
const DRAIN_SHARE = 1 / 4;

/** The path of a flow, to be examined before it counts as stalled. */
export interface Path {
  readonly ends: readonly LinkEnd[];
  /** The names of its ports. */
  readonly names: ReadonlySet<string>;
}

/** The state of a run at its end, or at a moment of it. */
export interface EndedRun {
  readonly fabric: Fabric;
  readonly engine: Engine;
  readonly nics: readonly NicResult[];
  readonly nowPs: number;
}

/** A port that its link partner blocks. */
interface Hold {
  readonly mechanism: string;
  readonly sincePs: number;
  readonly port: string;
  readonly peer: string;
}

/** A port and one of its priorities, at the end. */
interface PortState {
  readonly awaitsAgreement: boolean;
  /** Its link partner has not agreed yet, and may. */
  readonly mayAgree: boolean;
  readonly isPausedForTime: boolean;
  /** A frame that is being sent takes longer than any does at the rate of the link. */
  readonly isSlowed: boolean;
  /** As its link is now. */
  readonly octetPs: number;
  readonly isInVain: boolean;
  readonly wasBlocked: boolean;
  readonly hold: Hold | null;
  /** Until its longest queues are empty, at line rate. */
  readonly drainPs: number;
}

/** Time without a delivery that round trips, gaps between frames as well, and queues explain. */
interface Explained {
  readonly tripPs: number;
  readonly routePs: number;
  readonly drainPs: number;
}

interface Times {
  /** Without a delivery. */
  readonly silentPs: number;
  /** That need no explanation: without, and with queues that have to drain. */
  readonly routePs: number;
  readonly explainedPs: number;
}

/** A flow with data that waits to be sent or delivered. */
export interface FlowWait {
  readonly path: Path;
  /** The last delivery, or when its data was offered, if that was later. */
  readonly sincePs: number;
  readonly isInRing: boolean;
  readonly standsStill: boolean;
  /** What explains a silence of this length: round trips, queues that drain, gaps at its rate. */
  readonly isExplained: boolean;
  readonly isDraining: boolean;
  readonly isWithinGap: boolean;
  /** A port on its path is blocked for longer than round trips explain. */
  readonly isBlocked: boolean;
  /** What blocks the port on its path that is blocked longest; null: none is. */
  readonly mechanism: string | null;
  /** That port and its link partner, or those that have not agreed. */
  readonly port: string | null;
  readonly peer: string | null;
  readonly unreachableAt: string | null;
}

/** What may block a flow. */
interface Obstacle {
  /** The port on its path that is blocked longest. */
  readonly blocked: Hold | null;
  readonly isUnreachable: boolean;
}

/**
 * How flows progress, from the state of an engine that has executed everything before `nowPs`:
 * the same in any partitioning. One that stands still has offered data that is not delivered, and
 * for longer than round trips, its pace, its turns at the source, the queues on its path, a
 * pause time and retransmission timeouts explain, nothing of it has arrived; or its path leads
 * through a cyclic buffer dependency.
 */
export class FlowProgress {
  private readonly endOf: ReadonlyMap<string, LinkEnd>;
  private readonly rings: readonly RingStep[];
  /** By target and connection: when the oldest raw frame in the fabric was created. */
  private readonly bornOf: ReadonlyMap<string, number>;

  /** By port and priority. */
  private readonly states = new Map<number, PortState>();

  private readonly fabric: Fabric;
  private readonly engine: Engine;
  private readonly nics: readonly NicResult[];
  private readonly nowPs: number;

  constructor(
    { fabric, engine, nics, nowPs }: EndedRun,
    deadlocks: readonly Deadlock[],
    /** No frame in the fabric moves any more, whatever might explain it for one flow. */
    private readonly isStill: boolean,
  ) {
    this.fabric = fabric;
    this.engine = engine;
    this.nics = nics;
    this.nowPs = nowPs;
    this.rings = deadlocks.flatMap(({ ring }) => ring);
    this.endOf = new Map(fabric.linkEnds.flat().map((end) => [end.name, end]));
    this.bornOf = this.rawFrames();
  }

  /**
   * How a flow waits that has data to send or to deliver; null: it has none. `endsAt`: where its
   * frames cannot go on.
   */
  wait(index: number, endsAt: string | null): FlowWait | null {
    const flow = this.fabric.flows[index]!;
    const offeredPs = this.offeredSince(flow, index, endsAt !== null);
    if (offeredPs === Infinity) return null;
    const sincePs = Math.max(offeredPs, this.lastArrival(index));
    const silentPs = this.nowPs - sincePs;
    if (silentPs <= 0) return null;
    const path = this.pathOf(index);
    const isInRing = this.rings.some(
      (step) => path.names.has(step.egress) && this.isOfAccount(step, flow.priority),
    );
    const blocked = this.longestHold(path, flow.priority);
    const obstacle = { blocked, isUnreachable: endsAt !== null };
    const { tripPs, routePs, drainPs } = this.explainedPs(index, path);
    const times = { silentPs, routePs, explainedPs: Math.max(routePs, drainPs) };
    const standsStill =
      isInRing || this.isStill || this.isStalled(flow, index, path, { ...times, ...obstacle });
    const isExplained = silentPs < tripPs && !standsStill;
    const isDraining = silentPs < drainPs && !standsStill;
    const isBlocked = blocked !== null && this.nowPs - blocked.sincePs >= tripPs;
    const isWithinGap = silentPs < times.explainedPs;
    const place = this.placeOf(path, flow.priority, blocked);
    const { mechanism } = blocked ?? { mechanism: null };
    return {
      ...{
        path,
        sincePs,
        isInRing,
        standsStill,
        isExplained,
        isDraining,
        isWithinGap,
        isBlocked,
        mechanism,
      },
      ...place,
      unreachableAt: endsAt,
    };
  }

  /** Whether the account that an egress of a ring waits for takes frames of a priority. */
  private isOfAccount({ egress, priority }: RingStep, other: number): boolean {
    const { peerDevice, peerPort } = this.endOf.get(egress)!;
    const { groupOf } = this.fabric.specs[peerDevice]!.ports[peerPort]!;
    return groupOf[priority] === groupOf[other];
  }

  private isStalled(
    flow: Flow,
    index: number,
    path: Path,
    { blocked, isUnreachable, silentPs, routePs, explainedPs }: Obstacle & Times,
  ): boolean {
    const { nowPs } = this;
    if (this.isPaced(index)) return false;
    const ports = path.ends.map((end) => this.stateOf(end, flow.priority));
    if (ports.some((port) => port.isPausedForTime || port.isSlowed || port.mayAgree)) return false;
    // However much is stored before a port, none of it explains why the port does not send.
    if (silentPs >= routePs && ports.some((port) => port.isInVain)) return true;
    if (silentPs < explainedPs) return false;
    // Retransmissions end where the rest did.
    if (isUnreachable) return true;
    // A port that is blocked for so long delays retransmissions, too.
    if (blocked !== null && nowPs - blocked.sincePs >= explainedPs) return true;
    const { transport } = flow;
    return transport.kind === 'raw' || silentPs >= TIMES * transport.maxTimeoutPs;
  }

  /** Its rate control, its pace or a message of a queue allows its next frame later. */
  isPaced(index: number): boolean {
    return this.engine.senders.pacedUntil(this.sender(index)) > this.nowPs;
  }

  isPausedForTime({ ends }: Path, priority: number): boolean {
    return ends.some((end) => this.stateOf(end, priority).isPausedForTime);
  }

  /** Thousands of flows pass a port: it is looked at once for each priority. */
  private stateOf(end: LinkEnd, priority: number): PortState {
    const port = this.numberOf(end);
    const key = port * PRIORITIES + priority;
    let state = this.states.get(key);
    if (state === undefined) {
      const { engine, nowPs } = this;
      const { ports, queues } = engine.shared;
      const octetPs = end.octetPs + engine.faults.slownessPs(port, 1, end.octetPs);
      let queued = 0;
      for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) queued += queues.get(port, tc, QUEUE_PEAK);
      state = {
        awaitsAgreement: engine.mechanisms.some(
          (own) => own.awaitsAgreement?.(port, priority) === true,
        ),
        mayAgree: this.mayAgree(end, priority),
        isPausedForTime: isPausedForTime(engine, port, priority, nowPs),
        isSlowed: ports.freeAt(port) - nowPs > FRAME_OCTETS_MOST * end.octetPs,
        octetPs,
        isInVain: waitsInVain(engine, port, priority, nowPs),
        wasBlocked: engine.mechanisms.some((own) => (own.holdCount?.(port, priority) ?? 0) > 0),
        hold: this.holdAt(end, priority),
        drainPs: queued * octetPs,
      };
      this.states.set(key, state);
    }
    return state;
  }

  /** Link partners that have not agreed yet hold their frames until then. */
  private mayAgree(end: LinkEnd, priority: number): boolean {
    const { discovery, devices, mechanisms } = this.engine;
    const [port, peer] = [this.numberOf(end), devices[end.peerDevice]!.firstPort + end.peerPort];
    const awaits = mechanisms.some((own) => own.awaitsAgreement?.(port, priority) === true);
    return awaits && discovery.mayAgree(port, peer);
  }

  awaitsAgreement(end: LinkEnd, priority: number): boolean {
    return this.stateOf(end, priority).awaitsAgreement;
  }

  /** Where a flow is blocked, and by which link partner: longest, or until it agrees. */
  private placeOf(
    { ends }: Path,
    priority: number,
    blocked: Hold | null,
  ): Pick<StallResult, 'port' | 'peer'> {
    if (blocked !== null) return { port: blocked.port, peer: blocked.peer };
    const end = ends.find((one) => this.awaitsAgreement(one, priority));
    return { port: end?.name ?? null, peer: end === undefined ? null : this.peerName(end) };
  }

  private peerName({ peerDevice, peerPort }: LinkEnd): string {
    return this.fabric.linkEnds[peerDevice]![peerPort]!.name;
  }

  /** Time without a delivery that needs no other explanation: of the route, and of its queues. */
  private explainedPs(index: number, { ends }: Path): Explained {
    const { engine, fabric } = this;
    const { device, connection } = fabric.flowEnds[index]!.send;
    const spec = fabric.specs[device]!;
    if (spec.kind !== 'host') return { tripPs: Infinity, routePs: Infinity, drainPs: Infinity };
    const { fullFrameOctets } = spec.sends[connection]!;
    let roundTripPs = 0;
    let drainPs = 0;
    let pausePs = 0;
    let gapPs = 0;
    for (const end of ends) {
      const state = this.stateOf(end, fabric.flows[index]!.priority);
      const framePs = fullFrameOctets * state.octetPs;
      const owner = fabric.specs[end.device]!;
      roundTripPs += 2 * (end.latencyPs + framePs);
      if (owner.kind === 'switch') roundTripPs += 2 * owner.pipelinePs;
      drainPs += state.drainPs;
      const port = owner.ports[end.port]!;
      gapPs = Math.max(gapPs, GRANTING?.shaperGapPs(port) ?? 0);
      // A pause explains nothing where none ever came.
      if (state.wasBlocked) pausePs = Math.max(pausePs, pausePsOf(port));
    }
    const turnPs = sourceTurnPs(fabric, engine, device, fullFrameOctets);
    gapPs = Math.max(
      gapPs,
      engine.senders.paceGapPs(this.sender(index)),
      this.nicGapPs(device, fullFrameOctets),
    );
    const tripPs = Math.max(TIMES * roundTripPs, TIMES * turnPs, pausePs);
    const routePs = Math.max(tripPs, TIMES * gapPs);
    return { tripPs, routePs, drainPs: drainPs / DRAIN_SHARE };
  }

  /** Between packets of the slowest queue of a NIC that limits their rates. */
  private nicGapPs(device: number, octets: number): number {
    const name = this.fabric.topology.devices[device]!.name;
    const rates = this.nics.find((nic) => nic.device === name)?.rates ?? [];
    const slowest = rates.reduce(
      (least, { enabled, rateBps }) => (enabled ? Math.min(least, rateBps) : least),
      Infinity,
    );
    return (octets * OCTET_BITS_PS) / slowest;
  }

  /**
   * Since when data of a flow waits to be sent or delivered; Infinity: none does. Raw frames
   * without a route are dropped, and wait nowhere: the flow does, as long as it offers data.
   */
  private offeredSince(flow: Flow, index: number, isUnreachable: boolean): number {
    const { engine, fabric, nowPs } = this;
    const send = this.sender(index);
    const waitsPs = engine.senders.waitsSince(send, nowPs);
    if (flow.transport.kind !== 'raw') return waitsPs;
    if (isUnreachable && nowPs < flow.endPs) return engine.senders.releasedAt(send, 0);
    const { receives } = fabric.flowEnds[index]!;
    const key = keyOf(flow.group, flow.destination, receives[0]!.connection);
    return Math.min(waitsPs, this.bornOf.get(key) ?? Infinity);
  }

  private lastArrival(index: number): number {
    const { engine, fabric } = this;
    return fabric.flowEnds[index]!.receives.reduce((last, { device, connection }) => {
      const row = engine.devices[device]!.rows.receive.first + connection;
      return Math.max(last, engine.receivers.get(row, LAST_AT));
    }, 0);
  }

  pathOf(index: number): Path {
    const names = portsOfFlow(this.fabric, index);
    return { names, ends: [...names].map((name) => this.endOf.get(name)!) };
  }

  /** The port of a path that its link partner has blocked longest, now. */
  private longestHold({ ends }: Path, priority: number): Hold | null {
    let longest: Hold | null = null;
    for (const end of ends) {
      const { hold } = this.stateOf(end, priority);
      if (hold !== null && (longest === null || hold.sincePs < longest.sincePs)) longest = hold;
    }
    return longest;
  }

  /** What has blocked a port longest, now. */
  private holdAt(end: LinkEnd, priority: number): Hold | null {
    const number = this.numberOf(end);
    let longest: Hold | null = null;
    for (const mechanism of this.engine.mechanisms) {
      const reason = mechanism.holdReason?.(number, priority) ?? null;
      const sincePs = reason?.sincePs ?? null;
      if (sincePs === null || (longest !== null && longest.sincePs <= sincePs)) continue;
      longest = { mechanism: reason!.mechanism, sincePs, port: end.name, peer: this.peerName(end) };
    }
    return longest;
  }

  /** Of a port in the engine. */
  numberOf({ device, port }: LinkEnd): number {
    return this.engine.devices[device]!.firstPort + port;
  }

  sender(index: number): number {
    const { device, connection } = this.fabric.flowEnds[index]!.send;
    return this.engine.devices[device]!.rows.send.first + connection;
  }

  /** A raw frame of the flow is in the fabric. */
  hasFrames(index: number): boolean {
    const { group, destination } = this.fabric.flows[index]!;
    const { receives } = this.fabric.flowEnds[index]!;
    return this.bornOf.has(keyOf(group, destination, receives[0]!.connection));
  }

  private rawFrames(): Map<string, number> {
    const { engine } = this;
    const { pool, inFlightQueues } = engine.shared;
    const oldest = new Map<string, number>();
    const add = (frame: number): void => {
      const frameClass = pool.words[frame + CLASS]!;
      if ((frameClass & KIND_MASK) !== KIND_RAW) return;
      const isGroup = (frameClass & GROUP_FLAG) !== 0;
      const key = keyOf(isGroup, pool.words[frame + TARGET]!, pool.ends[frame + CONNECTION]!);
      const born = pool.born(frame);
      if (born < (oldest.get(key) ?? Infinity)) oldest.set(key, born);
    };
    for (const device of engine.devices) {
      forEachQueued(engine.shared, device, add);
      framesNotWhole(device).forEach(add);
      device.late.forEach(add);
      device.spec.ports.forEach((_, p) => {
        inFlightQueues.forEach(device.firstPort + p, add);
      });
    }
    return oldest;
  }
}

/** A message has paused a source, and the time that it stated is not over. */
export function isPausedForTime(
  { mechanisms }: Engine,
  port: number,
  priority: number,
  nowPs: number,
): boolean {
  return mechanisms.some(
    (own) => own.holdsForTimes === true && (own.holdReason?.(port, priority)?.untilPs ?? 0) > nowPs,
  );
}

/** What raw frames of a flow have in common. */
function keyOf(isGroup: boolean, target: number, connection: number): string {
  return `${isGroup ? 'group ' : ''}${target} ${connection}`;
}

/**
 * Until all connections of a host have had their turn: each sends a frame, and a NIC with queues
 * what waits in it, no faster than it reads frames from memory.
 */
export function sourceTurnPs(
  { specs }: Fabric,
  { devices, shared }: Engine,
  host: number,
  octets: number,
): number {
  const spec = specs[host]!;
  if (spec.kind !== 'host') return 0;
  const framePs = octets * (spec.ports[0]?.octetPs ?? 0);
  if (spec.nic === null) return spec.sends.length * framePs;
  const { octetPs, latencyPs, reads } = spec.nic.pcie;
  let frames = spec.sends.length;
  forEachQueued(shared, devices[host]!, () => frames++);
  return frames * Math.max(framePs, (latencyPs + octets * octetPs) / reads);
}
