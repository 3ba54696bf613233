import { DROP } from '../contract/probe.js';
import type { Mechanism } from '../contract/flow-control.js';
import type { FaultMechanism } from '../faults/fault-mechanism.js';
import type { LivePorts } from '../live/live-ports.js';
import {
  CARRIES_FLAG,
  CLASS,
  FOLLOWED_FLAG,
  LENGTH,
  PORT,
  PRIORITY_MASK,
  STORED,
} from '../frame/frame-pool.js';
import { WATCHED } from '../frame/trace-mask.js';
import type { ControlPayloads } from './control-payloads.js';
import type { Device } from './device.js';
import { DID_DROP } from './device.js';
import type { Starting } from './starting.js';
import type { Shared } from './shared.js';
import type { FrameRef, PortRow, TrafficClass } from '../units/indices.js';

/** The end of a frame's processing in a device: it is queued at a port, or dropped. */
export interface EgressPath {
  enqueue(device: number, port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  /** A host's own frame, which is traced from here if it is sampled. */
  enqueueOwn(device: number, port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  /** Wakes a port's transmitter if it sleeps. */
  wakeTransmitter(device: number, port: PortRow): void;
  /** `group`: of its account, where its priority does not determine it. */
  drop(device: number, port: PortRow, frame: FrameRef, reason: number, group?: number): void;
  /** A frame came in that takes no memory, or has left it already. */
  passed(port: PortRow, frame: FrameRef): void;
  /** The frame is gone, without the device having had it, or with what it was charged to. */
  lose(device: number, port: PortRow, frame: FrameRef, reason: number): void;
}

interface EgressPathParts {
  readonly mechanisms: readonly Mechanism[];
  readonly faults: FaultMechanism;
  readonly live: LivePorts;
  readonly controlPayloads: ControlPayloads;
  readonly starting: Starting;
}

export function makeEgressPath(
  shared: Shared,
  devices: readonly Device[],
  { mechanisms, faults, live, controlPayloads, starting }: EgressPathParts,
): EgressPath {
  const { clock, pool, ports, counters, digests, arrivals, transmits } = shared;
  const { traceMask, frameTimes, queueWatch } = shared;

  function wakeTransmitter(device: number, port: PortRow): void {
    const free = ports.freeAt(port);
    const { now } = clock;
    const at = free > now ? free : now;
    const was = transmits.at[port];
    if (was <= at) return;
    transmits.at[port] = at;
    if (was === Infinity) transmits.joined(device, port);
    else transmits.advanced(device, port);
  }

  function enqueue(
    device: number,
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
  ): void {
    starting.enqueue(port, trafficClass, frame);
    const wanted = traceMask.wantedOfQueued(port);
    if (wanted !== 0) {
      // Most frames that join a port that is watched for long queues need nothing else.
      if (traceMask.matchesQueued(wanted, frame)) announceQueued(device, port, trafficClass, frame);
      if ((wanted & WATCHED) !== 0 && queueWatch.joined(port, trafficClass)) {
        announceLong(device, port, trafficClass, frame);
      }
    }
    wakeTransmitter(device, port);
  }

  function enqueueOwn(
    device: number,
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
  ): void {
    const { words } = pool;
    words[frame + STORED] = words[frame + LENGTH];
    words[frame + PORT] = port;
    if (traceMask.draw.draws(frame)) words[frame + CLASS] |= FOLLOWED_FLAG;
    enqueue(device, port, trafficClass, frame);
  }

  function announceQueued(
    device: number,
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
  ): void {
    frameTimes.joined(port, trafficClass);
    if (!traceMask.wantsQueued(port, frame)) return;
    const { firstPort, listeners } = devices[device];
    const ingress = pool.words[frame + PORT] - firstPort;
    listeners.frameQueued?.frameQueued(device, ingress, port - firstPort, clock.now, pool, frame);
  }

  function announceLong(
    device: number,
    port: PortRow,
    trafficClass: TrafficClass,
    frame: FrameRef,
  ): void {
    const { firstPort, listeners } = devices[device];
    const { now } = clock;
    listeners.queueLong?.queueLong(device, port - firstPort, now, pool, frame, trafficClass);
  }

  function drop(
    device: number,
    port: PortRow,
    frame: FrameRef,
    why: number,
    group = ports.groupOf(port, pool.words[frame + CLASS] & PRIORITY_MASK),
  ): void {
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const reason = why === DROP.HEADROOM_EXHAUSTED ? overflow(port, group, frame) : why;
    if (reason === DROP.HEADROOM_EXHAUSTED) {
      counters.lost(device, port - devices[device].firstPort, priority, clock.now);
    }
    if (ports.isCharged(port, priority)) starting.passed(port, frame);
    arrivals.refused(device);
    lose(device, port, frame, reason);
  }

  /** An overflow has a reason of its own where the link partner had no need, or no way, to stop. */
  function overflow(port: PortRow, group: number, frame: FrameRef): number {
    if (faults.excuses(port)) {
      return starting.covered(port, frame) ? DROP.OVERFLOW_BY_FAULT : DROP.NOT_GRANTED;
    }
    if (live.isBehindWire(port)) return DROP.OVERFLOW_BY_HOST;
    const isIgnored = mechanisms.some((own) => own.mayBeIgnored?.(port, group) === true);
    return isIgnored ? DROP.OVERFLOW_BY_WATCHDOG : DROP.HEADROOM_EXHAUSTED;
  }

  function lose(device: number, port: PortRow, frame: FrameRef, reason: number): void {
    const { words } = pool;
    const { firstPort, listeners } = devices[device];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    counters.dropped(port, priority, words[frame + LENGTH], reason);
    listeners.frameDropped?.frameDropped(device, port - firstPort, clock.now, pool, frame, reason);
    digests.mix(device, DID_DROP | (port - firstPort), reason);
    if ((words[frame + CLASS] & CARRIES_FLAG) !== 0) controlPayloads.release(frame);
    pool.release(frame);
  }

  return {
    enqueue,
    enqueueOwn,
    wakeTransmitter,
    drop,
    passed: (port, frame) => {
      starting.passed(port, frame);
    },
    lose,
  };
}
