import type { selvage } from '#contracts';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import { packPlan, sameOctets, sha256, unpackState } from '../runtime/checkpoints/snapshots.js';
import type { PartState } from '../runtime/part/part.js';

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
  saved: Uint8Array | null;
  pieces: Uint8Array[];
  state: PartState | null;
}

export function slotOf(plan: PartPlan): Slot {
  const packed = packPlan(plan);
  return { plan, packed, hash: sha256(packed), ...vacant() };
}

export function vacant(): Omit<Slot, 'plan' | 'packed' | 'hash'> {
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

/** A piece of a service's state has come, which is there with the last; false if it is damaged. */
export function takePiece(slot: Slot, piece: selvage.v1.StatePart.$Properties): boolean {
  slot.pieces.push(piece.octets ?? new Uint8Array(0));
  if (piece.last !== true) return true;
  const octets = Buffer.concat(slot.pieces);
  slot.pieces = [];
  if (!sameOctets(sha256(octets), piece.hash ?? new Uint8Array(0))) return false;
  slot.state = unpackState(octets);
  return true;
}

/** Who did not come, and what is kept of the run. */
export function absence(
  slots: readonly Slot[],
  checkpointPs: number | null,
  patienceMs: number,
): string {
  const missing = slots.flatMap(({ send }, service) => (send === null ? [service] : []));
  const at = checkpointPs === null ? 'no checkpoint' : `a checkpoint at ${checkpointPs} ps`;
  return (
    `services ${missing.join(', ')} did not come within ${patienceMs / 1000} s; ` +
    `what is kept is ${at}`
  );
}
