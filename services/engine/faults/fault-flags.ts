import type { FaultEffect } from '../contract/fault.js';

// Present effects of faults at a port, one bit each in `flags`.

/** The port starts no frame, not even a control frame. */
export const SILENT = 1;
/** Some of what arrives is lost. */
export const LOSSY = 2;
/** Some control frames that arrive are changed, repeated or delayed. */
export const MEDDLED = 4;
/** What the port sends takes longer than the rate and delay of its link. */
export const LATE = 8;
/** A fault here or at the other end may explain an overflow. */
export const EXCUSED = 16;
/** Since a fault began here, control frames may have been false or repeated. */
export const DECEIVED = 32;
export const REPEATED = 64;
/** A carrier is back, and frames in flight when it was lost may still arrive. */
export const CUT = 128;
/** What remains when the fault is over. */
export const LASTING = EXCUSED | DECEIVED | REPEATED | CUT;

/** How the flow control of the link may fail from now on. */
export function lastingFlagsOf(effect: FaultEffect): number {
  switch (effect.kind) {
    case 'slow':
    case 'steal':
    case 'flush':
    case 'table':
    case 'drift':
    case 'read':
      return 0;
    case 'send':
      return EXCUSED | DECEIVED;
    case 'control':
      if (effect.action === 'corrupt') return EXCUSED | DECEIVED;
      // A repeated frame is stored twice, and uses a grant once.
      if (effect.action === 'duplicate' && effect.match.messages !== 0)
        return EXCUSED | DECEIVED | REPEATED;
      return effect.action === 'duplicate' ? EXCUSED | REPEATED : EXCUSED;
    default:
      return EXCUSED;
  }
}

export function flagsOf({ kind }: FaultEffect): number {
  switch (kind) {
    case 'down':
      return SILENT | LOSSY | MEDDLED;
    case 'freeze':
      return SILENT;
    case 'loss':
    case 'bit-errors':
      return LOSSY | MEDDLED;
    case 'control':
      return MEDDLED;
    case 'slow':
    case 'delay':
    case 'link':
      return LATE;
    default:
      return 0;
  }
}
