import type { PauseWatchdogSpec, PortSpec } from '../../engine/contract/spec.js';
import type { PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PfcFrame } from '../../engine/wire/mac-control/pfc-frame.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/**
 * For each priority group of a port, the priorities that a pause of the group names, of those that
 * have PFC.
 */
export function groupPriorities({ groupOf }: PortSpec, operational: number): Uint8Array {
  const result = new Uint8Array(8);
  groupOf.forEach((group, priority) => {
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
