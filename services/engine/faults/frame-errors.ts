import type { FaultEffect } from '../contract/fault.js';
import { DROP } from '../contract/probe.js';
import type { RandomStream } from '../kernel/random.js';
import { OCTET_BITS } from '../units/words.js';

/** A frame that no fault affects. */
export const UNHURT = -1;

const ALL = 0xff;

/** Why a frame that arrives is lost to a fault, or UNHURT. `priority` is -1 of control frames. */
export function frameError(
  effect: FaultEffect,
  priority: number,
  octets: number,
  random: RandomStream,
): number {
  switch (effect.kind) {
    case 'down':
      return DROP.LINK_DOWN;
    case 'loss': {
      const { probability, priorities, control } = effect;
      const isMeant = priority < 0 ? control : (priorities & (1 << priority)) !== 0;
      return isMeant && random.uniform() < probability ? DROP.LOST_ON_LINK : UNHURT;
    }
    case 'bit-errors': {
      const intact = Math.exp(effect.perOctet * octets + effect.perFrame);
      return random.uniform() < intact ? UNHURT : DROP.FCS_ERROR;
    }
    default:
      return UNHURT;
  }
}

/** Flips one bit behind the header of a control frame, as an error that the FCS does not detect. */
export function turnOneBit(
  octets: Uint8Array,
  from: number,
  length: number,
  random: RandomStream,
): void {
  const bit = random.below((length - from) * OCTET_BITS);
  octets[from + (bit >> 3)] ^= (1 << (bit & 7)) & ALL;
}
