import { field } from '../../kernel/fields.js';
import { SHAPE } from '../../kernel/kinds.js';
import { ADMITTED, POOL, POOL_USED } from '../../buffer/shared-buffer.js';
import { SharedFrames } from '../../buffer/shared-frames.js';
import { TelemetryPoints } from './telemetry-points.js';
import { proxyPauserAmong } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import type { LoadBalancing, OutsideKind } from '../../contract/outside.js';
import type { FlowIsolation, SwitchCarrier, SwitchRole } from '../../contract/slice.js';
import type { SwitchSpec } from '../../contract/spec.js';
import {
  CARRIES_FLAG,
  CLASS,
  COPY_FLAG,
  GROUP_FLAG,
  ISOLATED_FLAG,
  ISOLATING_FLAG,
  KIND_DATA,
  KIND_MASK,
  KIND_NOTICE,
  LENGTH,
  POISONED_FLAG,
  PORT,
  PRIORITY_MASK,
  REPLICA_FLAG,
  STORED,
  TARGET,
} from '../../frame/frame-pool.js';
import type { SampledMessage } from '../../notices/sampled-message.js';
import { LINK_PARTNER } from '../../notices/sampled-message.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { ControlPayloads } from '../control-payloads.js';
import type { Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import type { MechanismSet } from '../mechanisms.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import { FILTERED, NOWHERE, SEVERAL } from './forwarding.js';
import { makeCutting } from './cutting.js';
import { makePooledBuffers } from './pooled-buffers.js';
import { makeReplication } from './replication.js';
import { makeForwarding } from './make-forwarding.js';
import { Router } from './router.js';
import { ingressObservers, observerAt, UNOBSERVED } from './ingress-observers.js';
import { KIND_SHAPED, makeSlotted } from './slotted.js';
import { hooksOf, type SwitchHooks } from './switch-hooks.js';
import type { SwitchParts } from './switch-parts.js';
import {
  ROUTED,
  FULL,
  joiningFrom,
  leavingFrom,
  NEVER,
  effortOf,
  SAMPLED,
} from './watch-levels.js';
import type { FrameRef, Priority, TrafficClass } from '../../units/indices.js';

/** The last bit of a frame that could not cut through has come in. */
export const KIND_COMPLETE = KIND_DEVICE;
const HEADER_OCTETS = 64;
const ISOLATION_FLAGS = ISOLATED_FLAG | ISOLATING_FLAG;

/** Output-queued switches, each with one buffer shared by all its ports. */
export interface Switching {
  configure(device: Device, spec: SwitchSpec): void;
  /** A frame has arrived and left the pipeline. */
  receive(d: number, port: number, frame: FrameRef): void;
  /** A queued frame starts on the link: its buffer is free. */
  departing(port: number, trafficClass: TrafficClass, frame: FrameRef): void;
  /** The buffer of a frame that has left its queue is free. */
  free(port: number, trafficClass: TrafficClass, frame: FrameRef): void;
  onTimer(d: number, kind: number, port: number, frame: FrameRef): void;
  /** A message of the switch itself, to be sent by a port. */
  sendMessage(port: number, message: SampledMessage, octets: Uint8Array, length: number): void;
  /** State of a switch that is not in the tables. */
  parts(d: number): SwitchParts;
  /** The mechanism that assigns flows to queues in a switch; null where there is none. */
  isolationOf(d: number): FlowIsolation | null;
  /** Names of the invariants of its slots that do not hold; none of a shared buffer. */
  brokenSlots(d: number): readonly string[];
  detourOf(d: number, frame: FrameRef): number;
}

interface SwitchingTools {
  readonly set: MechanismSet;
  /** From outside, by the names that specifications have. */
  readonly balancings: readonly OutsideKind<LoadBalancing>[];
  readonly egressPath: EgressPath;
  readonly controlPayloads: ControlPayloads;
}

export function makeSwitching(
  shared: Shared,
  devices: readonly Device[],
  { set, balancings, egressPath, controlPayloads }: SwitchingTools,
): Switching {
  const { clock, pool, ports, queues, counters, buffer, tables } = shared;
  const { all: mechanisms, given, failover } = set;
  const all: SwitchParts[] = [];
  const hooks: SwitchHooks[] = [];
  /** By port and priority group: index of the observer of its account. */
  const observerOf = tables.uint8('port', field('observer of group', SHAPE, 8)).fill(UNOBSERVED);
  const observers = ingressObservers(set);
  /** By port and class: queue lengths from which on something is done at dequeue, at enqueue. */
  const leavesFrom = tables.int32('port', field('leaves from', SHAPE, 8)).fill(NEVER);
  const joinsFrom = tables.int32('port', field('joins from', SHAPE, 8)).fill(NEVER);
  /** By port and priority: the longest queue that a frame may make, whatever the buffer admits. */
  const longest = new Float64Array(8 * ports.count).fill(Infinity);
  /** By port: 1 while its switch has congesting flows in a queue of their own. */
  const isolates = tables.uint8('port', field('isolates', SHAPE));
  const carrier: SwitchCarrier = {
    clock,
    pauser: proxyPauserAmong(mechanisms),
    freeOctets: (port) => {
      const d = ports.owner(port);
      return buffer.memoryOfDevice(d, POOL) - buffer.memoryOfDevice(d, POOL_USED);
    },
    blockedPriorities: (port) => ports.blocked(port),
    head: (port, trafficClass) => queues.head(port, trafficClass),
    queueOctets: (port, trafficClass) => queues.get(port, trafficClass, QUEUE_OCTETS),
    classOf: (port, priority) => ports.classOf(port, priority),
    forEachQueued: (port, visit) => {
      queues.forEach(port, visit);
    },
    setIsolating: (firstPort, count, active) => {
      isolates.fill(active ? 1 : 0, firstPort, firstPort + count);
    },
    answerTags,
    marked,
    sendMessage,
  };
  const isSlotted = tables.uint8('port', field('slotted', SHAPE));
  const pooled = makePooledBuffers(shared, marked);
  /** By port: classes that are sampled; 1 where frames may change at ingress, and egress. */
  const sampled = new Uint8Array(ports.count);
  const remaps = new Uint8Array(ports.count);
  const untags = new Uint8Array(ports.count);
  /** By port: whether its switch does more than route frames through a shared buffer. */
  const effort = new Uint8Array(ports.count);
  const slotted = makeSlotted(shared, devices, { mechanisms, egressPath, retag, copyOf });
  const replication = makeReplication(shared, devices, egressPath, {
    sharedFrames: (d) => all[d].sharedFrames,
    copyOf,
    groupOf: receivedGroup,
    observer: (port, group) => {
      const by = observerOf[(port << 3) | group];
      return by === UNOBSERVED ? null : observers[by];
    },
    forward: forwardCopy,
  });
  const cuts = makeCutting(shared, egressPath, (d) => hooks[d].cutter);
  const telemetry = new TelemetryPoints(shared, controlPayloads);
  const watchdog = mechanisms.find((mechanism) => mechanism.watchdog !== undefined)?.watchdog;
  const discards = watchdog?.discards ?? new Uint8Array(ports.count);

  function configure(device: Device, spec: SwitchSpec): void {
    const chip = slotted.make(device, spec);
    const { place, firstPort } = device;
    const roles: Record<string, SwitchRole> = {};
    for (const mechanism of given) {
      const own = spec.slices[mechanism.name];
      const role = mechanism.atSwitch?.({ ...spec, firstPort }, own, carrier) ?? null;
      if (role !== null) roles[mechanism.name] = role;
    }
    const present = Object.values(roles);
    hooks[place] = hooksOf(present);
    const forwarding = makeForwarding(spec, firstPort, { pool, balancings, carrier });
    const sharedFrames = new SharedFrames();
    const { index, failover: how } = spec;
    const links = failover.configureSwitch(place, index, firstPort, device.macs(), how);
    all[place] = { forwarding, roles, chip, sharedFrames, links };
    const { sampler, boundary } = hooks[place];
    pooled.configure(device, spec);
    spec.ports.forEach((_, p) => {
      const at = device.firstPort + p;
      for (let tc = 0; tc < 8; tc++) {
        leavesFrom[(at << 3) | tc] = leavingFrom(present, at, tc, spec.telemetry);
        joinsFrom[(at << 3) | tc] = joiningFrom(present, at, tc);
        longest[(at << 3) | tc] = hooks[place].cutter?.longestQueue(tc) ?? Infinity;
      }
      isSlotted[at] = chip === null ? 0 : 1;
      sampled[at] = sampler?.sampledClasses(at) ?? 0;
      remaps[at] = boundary?.remaps(at) === true ? 1 : 0;
      untags[at] = boundary?.untags(at) === true ? 1 : 0;
      effort[at] = effortOf(spec, present, hooks[place], firstPort);
      spec.buffer.accounts[p].forEach(({ lossless }, group) => {
        observerOf[(at << 3) | group] = observerAt(set, at, group, lossless);
      });
    });
  }

  /**
   * Behind a link layer a frame has the pipeline still before it: whatever becomes of it, a copy,
   * an entry in a table, the end of it, comes behind, as do the messages that were sent before it.
   */
  function receive(d: number, port: number, frame: FrameRef): void {
    if (ports.isStoreAndForward(port) || !isPipelined(d, port)) pass(d, port, frame);
    else wait(d, port, port, frame, ports.pipelinePs(port));
  }

  function isPipelined(d: number, port: number): boolean {
    return ports.hasLinkLayer(port) && ports.pipelinePs(port) > 0 && all[d].chip === null;
  }

  /** V8 inlines functions of at most 460 bytecodes: rare cases are apart. */
  function pass(d: number, port: number, frame: FrameRef): void {
    const { firstPort } = devices[d];
    if (remaps[port] !== 0) hooks[d].boundary!.entered(port, frame);
    const isNotice = (pool.words[frame + CLASS] & KIND_MASK) === KIND_NOTICE;
    if (isNotice && pool.words[frame + TARGET] === LINK_PARTNER) {
      readNotice(d, port, frame);
      return;
    }
    const { forwarding, chip } = all[d];
    if (chip !== null && !slotted.classified(chip, port - firstPort, port, frame)) {
      egressPath.drop(d, port, frame, DROP.NO_TEMPORARY_SLOT);
      return;
    }
    const out = forwarding.egress(port - firstPort, frame);
    if (isNotice && out >= 0 && intercepts(d, port, firstPort + out, frame)) return;
    if (out >= 0) {
      if (chip === null) forward(d, port, firstPort + out, frame);
      else slotted.toOne(d, chip, port, out, frame);
    } else if (out === SEVERAL) {
      if (chip === null) replication.spread(d, port, forwarding, frame);
      else slotted.toSeveral(d, chip, port, forwarding, frame);
    } else dropNowhere(d, port, frame, out);
  }

  function readNotice(d: number, port: number, frame: FrameRef): void {
    const [octets, bornPs] = [controlPayloads.octets(frame), pool.born(frame)];
    hooks[d].ownNotices.some((filter) => filter.takes(port, octets, bornPs));
    consume(port, port, frame);
  }

  function dropNowhere(d: number, port: number, frame: FrameRef, out: number): void {
    const nowhere = failover.isDetouring(d) ? DROP.UNREACHABLE : DROP.NO_DESTINATION;
    egressPath.drop(d, port, frame, out === FILTERED ? DROP.VLAN_FILTERED : nowhere);
  }

  /** A message to a station for which the switch is a proxy is not forwarded. */
  function intercepts(d: number, port: number, out: number, frame: FrameRef): boolean {
    const filters = hooks[d].forwardedNotices;
    if (filters.length === 0) return false;
    const octets = controlPayloads.octets(frame);
    const bornPs = pool.born(frame);
    if (!filters.some((filter) => filter.takes(out, octets, bornPs))) return false;
    consume(port, out, frame);
    return true;
  }

  /** A message to the switch itself: its memory is free again. `by`: the port that counts it. */
  function consume(port: number, by: number, frame: FrameRef): void {
    const { words } = pool;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    if (ports.isCharged(port, priority)) egressPath.passed(port, frame);
    counters.consumed(by, priority, words[frame + LENGTH]);
    controlPayloads.release(frame);
    pool.release(frame);
  }

  /** A message of the switch itself: it is charged as if it had arrived by its egress port. */
  function sendMessage(
    port: number,
    message: SampledMessage,
    octets: Uint8Array,
    length: number,
  ): void {
    const d = ports.owner(port);
    const frame = controlPayloads.make(message, octets, length);
    if (ports.isCharged(port, message.priority)) pool.words[frame + CLASS] |= COPY_FLAG;
    counters.made(port, message.priority, pool.words[frame + LENGTH]);
    if (failover.isDown(port)) egressPath.drop(d, port, frame, DROP.UNREACHABLE);
    else admit(d, port, port, frame);
  }

  /** To one egress; a frame cannot cut through into a faster link and waits for its last bit. */
  function forward(d: number, port: number, out: number, frame: FrameRef): void {
    if (mayStart(port, out)) admit(d, port, out, frame);
    else awaitLastBit(d, port, out, frame);
  }

  /** One of several copies, the last of which is the frame itself. */
  function forwardCopy(d: number, port: number, out: number, frame: FrameRef): void {
    if (mayStart(port, out)) admitOne(d, port, out, frame);
    else awaitLastBit(d, port, out, frame);
  }

  function mayStart(port: number, out: number): boolean {
    if (ports.isStoreAndForward(port) || ports.hasLinkLayer(port)) return true;
    return ports.octetPs(out) >= ports.octetPs(port);
  }

  function awaitLastBit(d: number, port: number, out: number, frame: FrameRef): void {
    const rest = pool.words[frame + LENGTH] - HEADER_OCTETS;
    wait(d, port, out, frame, rest * ports.octetPs(port));
  }

  function wait(d: number, port: number, out: number, frame: FrameRef, restPs: number): void {
    const { words } = pool;
    const device = devices[d];
    words[frame + PORT] = port;
    words[frame + STORED] = out;
    device.schedule(clock.now + restPs, KIND_COMPLETE, port - device.firstPort, frame);
  }

  function onTimer(d: number, kind: number, local: number, frame: FrameRef): void {
    if (kind === KIND_SHAPED) slotted.released(d, local);
    else complete(d, devices[d].firstPort + local, pool.words[frame + STORED], frame);
  }

  /**
   * A frame has passed the pipeline, or the last bit of one is in that could not cut through, so
   * its FCS is known.
   */
  function complete(d: number, port: number, out: number, frame: FrameRef): void {
    if (ports.hasLinkLayer(port)) {
      pass(d, port, frame);
      return;
    }
    const frameClass = pool.words[frame + CLASS];
    if ((frameClass & POISONED_FLAG) === 0) admitOne(d, port, out, frame);
    else if ((frameClass & REPLICA_FLAG) !== 0) replication.lose(d, port, frame, DROP.FCS_ERROR);
    else egressPath.drop(d, port, frame, DROP.FCS_ERROR);
  }

  function admitOne(d: number, port: number, out: number, frame: FrameRef): void {
    const isReplica = (pool.words[frame + CLASS] & REPLICA_FLAG) !== 0;
    if (failover.isDown(out)) {
      if (isReplica) replication.lose(d, port, frame, DROP.PORT_DOWN);
      else egressPath.drop(d, port, frame, DROP.PORT_DOWN);
    } else if (isReplica) admitCopy(d, port, out, frame);
    else admit(d, port, out, frame);
  }

  /**
   * The port to which a frame is moved that waits at a port that is down; negative: none. Copies,
   * isolated flows and frames in slots stay in their queue.
   */
  function detourOf(d: number, frame: FrameRef): number {
    const { forwarding, chip } = all[d];
    const { firstPort } = devices[d];
    const flags =
      pool.words[frame + CLASS] & (GROUP_FLAG | REPLICA_FLAG | COPY_FLAG | ISOLATION_FLAGS);
    if (!(forwarding instanceof Router) || chip !== null) return NOWHERE;
    if (hooks[d].isolation !== null) return NOWHERE;
    if (flags !== 0) return NOWHERE;
    const out = forwarding.egress(pool.words[frame + PORT] - firstPort, frame);
    return out < 0 ? out : firstPort + out;
  }

  function admit(d: number, port: number, out: number, frame: FrameRef): void {
    const { words } = pool;
    const kind = effort[port];
    const plain = kind !== FULL;
    const bare = kind === ROUTED;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const arrived = words[frame + LENGTH];
    const octets = plain ? arrived : retag(d, port, out, frame, priority);
    let group = ports.groupOf(port, priority);
    let trafficClass = ports.classOf(out, priority);
    if (!plain && discards[out] !== 0 && isDiscarded(d, out, frame, priority)) {
      egressPath.drop(d, port, frame, DROP.WATCHDOG);
      return;
    }
    if (!bare && (isolates[port] | (words[frame + CLASS] & ISOLATION_FLAGS)) !== 0) {
      group = isolatedGroup(port, priority, frame);
      trafficClass = isolate(d, out, trafficClass, frame);
    }
    const stored = buffer.storedOctets(port, octets);
    const queued = queues.get(out, trafficClass, QUEUE_OCTETS);
    const verdict =
      !bare && queued + stored > longest[(out << 3) | priority]
        ? DROP.EGRESS_THRESHOLD
        : plain || pooled.at[port] === 0
          ? buffer.admit(port, group, stored, queued)
          : pooled.admit(port, group, stored, out, trafficClass, frame, octets);
    if (verdict !== ADMITTED) {
      const headers = cuts(d, port, out, frame, verdict, group);
      if (headers >= 0) admit(d, port, out, headers);
      return;
    }
    words[frame + STORED] = stored;
    words[frame + PORT] = port;
    const by = observerOf[(port << 3) | group];
    if (by !== UNOBSERVED) observers[by].admitted(port, group, frame, arrived);
    if (!bare && queued + stored >= joinsFrom[(out << 3) | trafficClass])
      joining(d, port, out, frame, trafficClass, queued + stored);
    egressPath.enqueue(d, out, trafficClass, frame);
    if (kind > SAMPLED || (sampled[out] & (1 << trafficClass)) === 0) return;
    hooks[d].sampler!.joined(port, out, trafficClass, frame, octets, queued + stored);
  }

  /** A copy of a frame whose memory is charged joins the queue of its egress. */
  function admitCopy(d: number, port: number, out: number, frame: FrameRef): void {
    const { words } = pool;
    const kind = effort[port];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const octets = kind === FULL ? retag(d, port, out, frame, priority) : words[frame + LENGTH];
    if (kind === FULL && discards[out] !== 0 && isDiscarded(d, out, frame, priority)) {
      replication.lose(d, port, frame, DROP.WATCHDOG);
      return;
    }
    let trafficClass = ports.classOf(out, priority);
    if (kind !== ROUTED && (isolates[port] | (words[frame + CLASS] & ISOLATION_FLAGS)) !== 0) {
      trafficClass = isolate(d, out, trafficClass, frame);
    }
    const stored = buffer.storedOctets(port, octets);
    const queued = queues.get(out, trafficClass, QUEUE_OCTETS);
    const refusal =
      pooled.at[port] === 0
        ? replication.refusal(port, frame, queued + stored)
        : pooled.admitCopy(out, trafficClass, stored, frame, octets);
    if (refusal !== ADMITTED) {
      replication.lose(d, port, frame, refusal);
      return;
    }
    words[frame + STORED] = stored;
    words[frame + PORT] = port;
    if (kind !== ROUTED && queued + stored >= joinsFrom[(out << 3) | trafficClass])
      joining(d, port, out, frame, trafficClass, queued + stored);
    egressPath.enqueue(d, out, trafficClass, frame);
    if (kind > SAMPLED || (sampled[out] & (1 << trafficClass)) === 0) return;
    hooks[d].sampler!.joined(port, out, trafficClass, frame, octets, queued + stored);
  }

  /** The group that a frame is charged to when it comes in. */
  function receivedGroup(port: number, priority: Priority, frame: FrameRef): number {
    if (effort[port] === ROUTED) return ports.groupOf(port, priority);
    return isolatedGroup(port, priority, frame);
  }

  /** A watchdog discards frames to the queue: those of a storm. */
  function isDiscarded(d: number, out: number, frame: FrameRef, priority: Priority): boolean {
    const trafficClass = ports.classOf(out, priority);
    const queue =
      isolates[out] === 0 ? trafficClass : hooks[d].isolation!.queueFor(out, trafficClass, frame);
    const paused = queue === trafficClass ? priority : queue;
    if ((discards[out] & (1 << paused)) === 0) return false;
    watchdog!.refused(out, paused);
    return true;
  }

  /** The group that a frame is charged to: frames of a congesting queue have one of their own. */
  function isolatedGroup(port: number, priority: Priority, frame: FrameRef): number {
    if ((pool.words[frame + CLASS] & ISOLATED_FLAG) === 0) return ports.groupOf(port, priority);
    return ports.groupOf(port, hooks[ports.owner(port)].isolation!.priority);
  }

  /** The queue for a frame where congesting flows have one of their own. */
  function isolate(d: number, out: number, trafficClass: TrafficClass, frame: FrameRef): number {
    const queue = hooks[d].isolation!.queueFor(out, trafficClass, frame);
    if (queue !== trafficClass) pool.words[frame + CLASS] |= ISOLATING_FLAG;
    return queue;
  }

  /** A frame leaves: it is marked with its queue, if the link partner isolates flows as well. */
  function leaveIsolation(port: number, trafficClass: TrafficClass, frame: FrameRef): void {
    const { words } = pool;
    const d = ports.owner(port);
    const queueOctets = queues.get(port, trafficClass, QUEUE_OCTETS);
    const isolation = hooks[d].isolation!;
    isolation.departed(port, trafficClass, frame, queueOctets);
    const isolated = (words[frame + CLASS] & ISOLATING_FLAG) !== 0;
    words[frame + CLASS] &= ~ISOLATION_FLAGS;
    if (isolated && isolation.isPeer(port)) words[frame + CLASS] |= ISOLATED_FLAG;
  }

  function answerTags(out: number, frame: FrameRef): number {
    const d = ports.owner(out);
    return all[d].forwarding.answerTags(frame, out - devices[d].firstPort);
  }

  /** Adds or removes the VLAN tag at the egress; returns the frame's length. */
  function retag(
    d: number,
    port: number,
    out: number,
    frame: FrameRef,
    priority: Priority,
  ): number {
    if (untags[out] !== 0) hooks[d].boundary!.joined(out, frame);
    const change = all[d].forwarding.rewrite(frame, out - devices[d].firstPort);
    if (change !== 0) {
      const { words } = pool;
      const before = words[frame + LENGTH];
      const isNotice = (words[frame + CLASS] & KIND_MASK) === KIND_NOTICE;
      words[frame + LENGTH] = isNotice ? controlPayloads.retag(frame, change) : before + change;
      counters.retagged(port, priority, words[frame + LENGTH] - before);
    }
    return pool.words[frame + LENGTH];
  }

  function departing(port: number, trafficClass: TrafficClass, frame: FrameRef): void {
    if (effort[port] !== ROUTED) {
      if (isSlotted[port] !== 0) {
        const d = ports.owner(port);
        slotted.started(d, all[d].chip!, port, trafficClass, frame);
      }
      const from = leavesFrom[(port << 3) | trafficClass];
      if (from !== NEVER) {
        const left = queues.get(port, trafficClass, QUEUE_OCTETS);
        if (left + pool.words[frame + STORED] >= from) leaving(port, frame, trafficClass, left);
      }
      if (untags[port] !== 0) hooks[ports.owner(port)].boundary!.left(port, frame);
    }
    free(port, trafficClass, frame);
  }

  function free(port: number, trafficClass: TrafficClass, frame: FrameRef): void {
    const kind = effort[port];
    if (kind === FULL && isSlotted[port] !== 0) {
      slotted.departing(all[ports.owner(port)].chip!, trafficClass, frame);
      return;
    }
    const { words } = pool;
    if (kind === FULL) pooled.left(port, trafficClass, words[frame + STORED]);
    if ((words[frame + CLASS] & REPLICA_FLAG) !== 0) {
      freeCopy(port, trafficClass, frame);
      return;
    }
    const from = words[frame + PORT];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    let group = ports.groupOf(from, priority);
    if (kind !== ROUTED && (isolates[port] | (words[frame + CLASS] & ISOLATION_FLAGS)) !== 0) {
      group = isolatedGroup(from, priority, frame);
      leaveIsolation(port, trafficClass, frame);
    }
    buffer.release(from, group, words[frame + STORED]);
    const by = observerOf[(from << 3) | group];
    if (by !== UNOBSERVED) observers[by].released(from, group, frame);
  }

  /** The buffer of a frame that leaves by several ports is free when the last copy has left. */
  function freeCopy(port: number, trafficClass: TrafficClass, frame: FrameRef): void {
    const isWatched = effort[port] !== ROUTED;
    if (isWatched && (isolates[port] | (pool.words[frame + CLASS] & ISOLATION_FLAGS)) !== 0) {
      leaveIsolation(port, trafficClass, frame);
    }
    replication.left(ports.owner(port), frame);
  }

  function copyOf(frame: FrameRef): number {
    const copy = pool.copyFrom(pool, frame);
    if ((pool.words[copy + CLASS] & CARRIES_FLAG) !== 0) controlPayloads.share(copy);
    return copy;
  }

  /** A frame joins a queue that mechanisms observe. */
  function joining(
    d: number,
    port: number,
    out: number,
    frame: FrameRef,
    trafficClass: TrafficClass,
    queueOctets: number,
  ): void {
    for (const observer of hooks[d].onEnqueue) {
      observer.joined(port, out, trafficClass, frame, queueOctets);
    }
  }

  /** A frame leaves a queue that mechanisms observe; `queueOctets` are left. */
  function leaving(
    port: number,
    frame: FrameRef,
    trafficClass: TrafficClass,
    queueOctets: number,
  ): void {
    const d = ports.owner(port);
    if ((pool.words[frame + CLASS] & (CARRIES_FLAG | KIND_MASK)) === (CARRIES_FLAG | KIND_DATA)) {
      telemetry.addTo(frame, devices[d].spec.index, port, queueOctets);
    }
    for (const observer of hooks[d].onDequeue) {
      observer.left(port, trafficClass, frame, queueOctets);
    }
  }

  function marked(port: number, frame: FrameRef): void {
    const d = ports.owner(port);
    counters.marked(port, pool.words[frame + CLASS] & PRIORITY_MASK);
    const { firstPort, listeners } = devices[d];
    listeners.frameMarked?.frameMarked(d, port - firstPort, clock.now, pool, frame);
  }

  return {
    configure,
    receive,
    departing,
    free,
    onTimer,
    sendMessage,
    parts: (d) => all[d],
    isolationOf: (d) => hooks[d].isolation,
    brokenSlots: (d) => slotted.broken(all[d].chip),
    detourOf,
  };
}
