import type { PauseWatchdogSpec, PortSpec, WatchdogChip } from '../../engine/contract/spec.js';
import type { PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PfcFrame } from '../../engine/wire/mac-control/pfc-frame.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/**
 * For each priority group of a port, the priorities that a pause of the group names, of those that
 * have PFC.
 */
export function groupPriorities(
  { groupOf, pausingGroupOf = groupOf }: PortSpec,
  operational: number,
): Uint8Array {
  const result = new Uint8Array(8);
  pausingGroupOf.forEach((group, priority) => {
    if ((operational & (1 << priority)) !== 0) result[group] |= 1 << priority;
  });
  return result;
}

/** Groups that have any of these priorities, one bit each. */
export function groupsOf(prioritiesOf: Uint8Array, priorities: number): number {
  return prioritiesOf.reduce(
    (groups, own, group) => ((own & priorities) === 0 ? groups : groups | (1 << group)),
    0,
  );
}

/**
 * The frame that a port sends: every paused group is repeated, so that one frame repairs the loss
 * of the one before, and groups just released are named with time zero.
 */
export function fillPfc(
  frame: PfcFrame,
  prioritiesOf: Uint8Array,
  off: number,
  releases: number,
  quanta: number,
): void {
  frame.enableVector = 0;
  frame.quanta.fill(0);
  for (let group = 0; group < 8; group++) {
    const bit = 1 << group;
    if (((off | releases) & bit) === 0) continue;
    frame.enableVector |= prioritiesOf[group];
    if ((off & bit) === 0) continue;
    assert(quanta > 0, 'pfc.pause-has-a-time');
    for (let p = 0; p < 8; p++) {
      if ((prioritiesOf[group] & (1 << p)) !== 0) frame.quanta[p] = quanta;
    }
  }
}

/** Loads the timers that a frame names; a priority without PFC here ignores its time. */
export function applyPfc(
  frame: PfcFrame,
  operational: number,
  port: PortRow,
  responder: PauseResponder,
): void {
  for (let named = frame.enableVector & operational; named !== 0; named &= named - 1) {
    const priority = 31 - Math.clz32(named & -named);
    responder.load(port, priority, frame.quanta[priority]);
  }
}

/**
 * When a watchdog acts if nothing changes: it begins after the detection time of a pause, and ends
 * after the restoration time without one.
 */
export function watchDuePs(
  { detectionPs, restorationPs }: PauseWatchdogSpec,
  sincePs: number,
  isStorm: boolean,
): number {
  return sincePs + (isStorm ? restorationPs : detectionPs);
}

/** What a poll of a watchdog sees of a priority, and what has happened since the last one. */
export interface PolledPriority {
  readonly isPaused: boolean;
  /** At the last poll. */
  readonly wasPaused: boolean;
  /** A pause has ended. */
  readonly hasResumed: boolean;
  /** A PFC frame that names the priority. */
  readonly hasReceived: boolean;
  readonly hasSent: boolean;
  /** Frames wait. */
  readonly waits: boolean;
  /** Of the time. */
  readonly pausedShare: number;
}

const PAUSED_MOSTLY = 0.8;
const PAUSED_ALWAYS = 0.99;

/** By chip: whether a poll may be one of a storm (sonic-swss orchagent/pfc_detect_*.lua). */
export function isStormPoll(chip: WatchdogChip, seen: PolledPriority): boolean {
  const { isPaused, wasPaused, hasResumed, hasReceived, hasSent, waits, pausedShare } = seen;
  switch (chip) {
    case 'broadcom':
      return hasReceived && !hasResumed && wasPaused && isPaused;
    case 'mellanox':
      return waits && !hasSent && pausedShare > PAUSED_ALWAYS;
    case 'cisco-8000':
      return isPaused;
    case 'barefoot':
      return !hasSent && (waits ? hasReceived : pausedShare > PAUSED_MOSTLY);
    case 'marvell-teralynx':
      return hasReceived && pausedShare > PAUSED_MOSTLY && (!waits || !hasSent);
  }
}

/** Whether it may be one at which a storm is over (pfc_restore*.lua). */
export function isQuietPoll(
  chip: WatchdogChip,
  { isPaused, hasReceived }: PolledPriority,
): boolean {
  return chip === 'cisco-8000' ? !isPaused : !hasReceived;
}

/** What polls count down. */
export function stormTimePs({ detectionPs, polled }: PauseWatchdogSpec): number {
  return polled?.chip === 'mellanox' ? PAUSED_ALWAYS * detectionPs : detectionPs;
}
