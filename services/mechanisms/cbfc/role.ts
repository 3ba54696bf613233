import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { HostRole } from '../../engine/contract/slice.js';
import { brokenAtPort } from './invariants.js';
import type { CbfcPort } from './port.js';

/** State of it in a device, by port; null where it does not run. */
export class CbfcRole implements HostRole {
  static readonly kinds = UNKNOWN;

  constructor(readonly ports: readonly (CbfcPort | null)[]) {}

  /** It has no messages that cross the fabric. */
  takes(): boolean {
    return false;
  }

  broken(): string | null {
    for (const own of this.ports) {
      const broken = own === null ? null : brokenAtPort(own);
      if (broken !== null) return broken;
    }
    return null;
  }
}
