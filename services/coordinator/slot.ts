import type { selvage } from '#contracts';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import type { Checkpoint } from './manifest.js';

type Down = selvage.v1.ToService.$Properties;

/** A service as the coordinator knows it. */
export interface Slot {
  readonly plan: PartPlan;
  readonly packed: Uint8Array;
  readonly hash: Uint8Array;
  /** Of the process that is connected; null while none is. */
  incarnation: string | null;
  /** Of the process that holds the plan. */
  informed: string | null;
  send: ((message: Down) => void) | null;
  nextPs: number | null;
}

export function vacant(): Omit<Slot, 'plan' | 'packed' | 'hash'> {
  return {
    incarnation: null,
    informed: null,
    send: null,
    nextPs: null,
  };
}

/** Why a run that waited so long for its services cannot go on. */
export function whoIsMissing(
  slots: readonly Slot[],
  patienceMs: number,
  kept: Checkpoint | null,
): string {
  const missing = slots.flatMap(({ send }, service) => (send === null ? [service] : []));
  const at = kept === null ? 'no checkpoint' : `a checkpoint at ${kept.boundPs} ps`;
  return (
    `services ${missing.join(', ')} did not come within ${patienceMs / 1000} s; ` +
    `what is kept is ${at}`
  );
}
