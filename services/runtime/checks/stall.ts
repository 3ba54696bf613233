import type { PortSpec } from '../../engine/contract/spec.js';
import { pausePsOf } from '../../engine/contract/pausing.js';
import { isEndless } from '../../engine/faults/standing-fault.js';
import type { DeviceSpec, Engine } from '../../engine/device/engine.js';
import { TX_FRAMES } from '../../engine/port/counters.js';

export interface WatchIntervals {
  /** How long a fabric may stand still before that is a fault. */
  readonly stallPs: number;
  /** The run ends when only keep-alives are left. */
  readonly endsQuietly: boolean;
}

export function watchIntervals(
  specs: readonly DeviceSpec[],
  durationPs: number | null,
): WatchIntervals {
  const ports = specs.flatMap((spec) => spec.ports);
  const keepsAlive = ports.some(
    ({ grants, discovery, orderedSets, faults, pausing }) =>
      (grants ?? discovery) !== null ||
      orderedSets === true ||
      faults.some(isEndless) ||
      pausing?.watchdog?.some((watch) => watch?.polled) === true,
  );
  return {
    stallPs: Math.max(
      STALL_PS,
      4 * longestStopPs(specs),
      2 * longestSilencePs(ports),
      2 * longestDetectionPs(ports),
    ),
    endsQuietly: keepsAlive && durationPs === null,
  };
}

export const STALLED = 'nothing moves any more: every sender is blocked by another';

/** A fabric without any movement for so long (virtual time) will hardly move again. */
const STALL_PS = 100e9;
/** A run that ends with the load is checked so often, and later by this part of its time. */
const QUIET_PS = 1e6;
const QUIET_SHARE = 1 / 16;

type Verdict = 'moving' | 'stalled' | 'quiet';

/**
 * Checks at fixed times whether a run progresses. It is stalled when no frame moves although not
 * all is delivered; and it is quiet, and so at its end, when no frame is in flight and no host has
 * anything planned, whatever control frames are exchanged.
 */
export class StallWatch {
  /** At the last check for a standstill; -1 before the first. */
  framesSeen = -1;
  private stallAt: number;
  private quietAt: number;

  constructor(private intervals: WatchIntervals) {
    this.stallAt = intervals.stallPs;
    this.quietAt = this.nextQuietPs(0);
  }

  /** Time of the next check. */
  get dueAt(): number {
    return Math.min(this.stallAt, this.quietAt);
  }

  /** A fault was injected, or ended. */
  adopt(intervals: WatchIntervals, nowPs: number): void {
    this.intervals = intervals;
    this.restore(nowPs, this.framesSeen);
  }

  /** As it was when everything before `nowPs` had been executed. */
  restore(nowPs: number, framesSeen: number): void {
    const { stallPs } = this.intervals;
    this.framesSeen = framesSeen;
    this.stallAt = (Math.floor(nowPs / stallPs) + 1) * stallPs;
    this.quietAt = this.nextQuietPs(nowPs);
  }

  /**
   * `started`: frames so far; `underway`: frames; `planned`: future actions of devices; `nextPs`:
   * the next event, before which nothing changes.
   */
  check(started: number, underway: number, planned: number, nextPs: number): Verdict {
    const now = this.dueAt;
    if (this.quietAt === now) {
      this.quietAt = this.nextQuietPs(Math.max(now, nextPs));
      if (underway === 0 && planned === 0) return 'quiet';
    }
    if (this.stallAt !== now) return 'moving';
    const stalled = started === this.framesSeen && underway > 0;
    this.framesSeen = started;
    this.stallAt += this.intervals.stallPs;
    // What is retransmitted in vain is no plan, although it goes on without keep-alives.
    if (underway === 0 && planned === 0) return 'quiet';
    return stalled ? 'stalled' : 'moving';
  }

  /** The same wherever the run continues from: keep-alives add little to the time of its load. */
  private nextQuietPs(nowPs: number): number {
    if (!this.intervals.endsQuietly) return Infinity;
    let stepPs = QUIET_PS;
    while (2 * stepPs <= nowPs * QUIET_SHARE) stepPs *= 2;
    return (Math.floor(nowPs / stepPs) + 1) * stepPs;
  }
}

export function framesStarted(engine: Engine): number {
  const { counters, ports } = engine.shared;
  let frames = 0;
  for (let port = 0; port < ports.count; port++) {
    for (let priority = 0; priority < 8; priority++) {
      frames += counters.get(port, priority, TX_FRAMES);
    }
  }
  return frames;
}

/**
 * Actions that are planned in the first devices of an engine, behind which are proxy devices: of
 * hosts (a switch only reacts), of ports that have not settled with their link partners yet, and of
 * faults.
 */
export function thingsPlanned(engine: Engine, actors = engine.devices.length): number {
  const { devices, discovery, faults, hosting } = engine;
  let planned = 0;
  for (const { place, firstPort, spec } of devices.slice(0, actors)) {
    if (spec.kind === 'host') planned += hosting.planned(place);
    for (let port = firstPort; port < firstPort + spec.ports.length; port++) {
      planned += faults.pending(port) + (discovery.isSettling(port) ? 1 : 0);
    }
  }
  return planned;
}

/** Frames may wait until an LLDPDU of the neighbor arrives, or the administrator's next change. */
function longestSilencePs(ports: readonly PortSpec[]): number {
  return ports.reduce((longest, { discovery }) => {
    if (discovery === null) return longest;
    const { stages, timers, tickPs } = discovery;
    return Math.max(longest, timers.msgTxInterval * tickPs, stages[stages.length - 1]!.fromPs);
  }, 0);
}

/** A watchdog may be about to act. */
function longestDetectionPs(ports: readonly PortSpec[]): number {
  const watches = ports.flatMap(({ pausing }) => pausing?.watchdog ?? []);
  return watches.reduce((longest, watch) => {
    if (watch === null) return longest;
    return Math.max(longest, watch.detectionPs + 2 * (watch.polled?.pollPs ?? 0));
  }, 0);
}

/** A slow port may be paused for seconds by one frame, and then resume. */
function longestStopPs(specs: readonly DeviceSpec[]): number {
  const ports = specs.flatMap((spec) => spec.ports);
  return ports.reduce((longest, port) => Math.max(longest, pausePsOf(port)), 0);
}
