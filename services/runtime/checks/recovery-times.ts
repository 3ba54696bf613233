import type { FaultSpec } from '../../engine/contract/fault.js';
import { StandingFault } from '../../engine/faults/standing-fault.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';

/** A fault at a port that promises to be recovered from. */
export interface Promised {
  readonly spec: FaultSpec;
  readonly withinPs: number;
}

/** Of a fabric, with all faults that it has by now. */
export function promisedBy({ specs, scenario }: Fabric): Promised[] {
  return specs
    .flatMap(({ ports }) => ports.flatMap(({ faults }) => faults))
    .flatMap((spec) => {
      const withinPs = scenario.faults[spec.fault]!.recoverPs;
      return withinPs === null ? [] : [{ spec, withinPs }];
    });
}

/**
 * When links have to have recovered. It follows from the schedules of faults and from nothing that
 * happens, so everybody knows it beforehand, wherever actors are executed.
 */
export class RecoveryTimes {
  private readonly faults: readonly { readonly fault: StandingFault; readonly withinPs: number }[];

  constructor(promised: readonly Promised[]) {
    this.faults = promised.map(({ spec, withinPs }) => ({
      fault: new StandingFault(spec),
      withinPs,
    }));
  }

  /** The first after a time, which is not before that of the call before; Infinity for none. */
  after(timePs: number): number {
    let next = Infinity;
    for (const { fault, withinPs } of this.faults) {
      while (fault.endPs + withinPs <= timePs) {
        fault.begin();
        fault.finish();
      }
      next = Math.min(next, fault.endPs + withinPs);
    }
    return next;
  }
}
