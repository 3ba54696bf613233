import type { FaultSpec } from '../../engine/contract/fault.js';
import { StandingFault } from '../../engine/faults/standing-fault.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';

/** A fault at a port that promises to be recovered from. */
export interface Promised {
  readonly spec: FaultSpec;
  readonly withinPs: number;
}

/**
 * Of a fabric, with all faults that it has by now. Who promises anything of a link begins anew when
 * that link was down, so the end of an outage there is a beginning of the same promise.
 */
export function promisedBy(fabric: Fabric): Promised[] {
  const { specs, scenario } = fabric;
  return specs.flatMap(({ ports }, device) =>
    ports.flatMap(({ faults }, port) =>
      faults.flatMap(({ fault }, place) => {
        const withinPs = scenario.faults[fault]!.recoverPs;
        if (withinPs === null) return [];
        const outages = outagesAt(fabric, device, port);
        const spec = faults[place]!;
        return [spec, ...outages.filter((outage) => outage !== spec)].map((one) => ({
          spec: one,
          withinPs,
        }));
      }),
    ),
  );
}

/** Of a link, at either of its ends. */
function outagesAt({ specs, linkEnds }: Fabric, device: number, port: number): FaultSpec[] {
  const { peerDevice, peerPort } = linkEnds[device]![port]!;
  const there = specs[peerDevice]?.ports[peerPort]?.faults ?? [];
  return [...specs[device]!.ports[port]!.faults, ...there].filter(
    ({ effect }) => effect.kind === 'down',
  );
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
