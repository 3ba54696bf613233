import type { selvage } from '#contracts';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import type { PartState } from '../runtime/part/part.js';

/** A service as the coordinator knows it. */
export interface ServiceSlot {
  readonly plan: PartPlan;
  readonly packed: Uint8Array;
  readonly hash: Uint8Array;
  /** Of the process that is connected; null while none is. */
  incarnation: string | null;
  /** Of the process that holds the plan. */
  informed: string | null;
  send: ((message: selvage.v1.ToService.$Properties) => void) | null;
  nextPs: number | null;
  saved: Uint8Array | null;
  pieces: Uint8Array[];
  state: PartState | null;
}

/** Nobody is connected. */
export function vacant(): Omit<ServiceSlot, 'plan' | 'packed' | 'hash'> {
  return {
    incarnation: null,
    informed: null,
    send: null,
    nextPs: null,
    saved: null,
    pieces: [],
    state: null,
  };
}
