import type { ServicePlan } from '../fabric/placement/service-plan.js';
import type { Checkpoint } from './manifest.js';
import type { ServiceStream } from './control-requests.js';

/** State of a service in the coordinator. */
export interface Slot {
  readonly plan: ServicePlan;
  readonly packed: Uint8Array;
  readonly hash: Uint8Array;
  /** Of the process that is connected; null while none is. */
  incarnation: string | null;
  /** Of the process that holds the plan. */
  informed: string | null;
  stream: ServiceStream | null;
  /** Name of the machine on which it runs. */
  host: string;
  nextPs: number | null;
}

export function vacant(): Omit<Slot, 'plan' | 'packed' | 'hash'> {
  return {
    incarnation: null,
    informed: null,
    stream: null,
    host: '',
    nextPs: null,
  };
}

/** Why a run that waited so long for its services cannot continue. */
export function whoIsMissing(
  slots: readonly Slot[],
  patienceMs: number,
  kept: Checkpoint | null,
): string {
  const missing = slots.flatMap(({ stream }, service) => (stream === null ? [service] : []));
  const at = kept === null ? 'no checkpoint' : `a checkpoint at ${kept.boundPs} ps`;
  return (
    `services ${missing.join(', ')} did not come within ${patienceMs / 1000} s; ` +
    `what is kept is ${at}`
  );
}
