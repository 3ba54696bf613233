import type { FaultSpec } from '../../engine/contract/fault.js';
import { StandingFault } from '../../engine/faults/standing-fault.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';

/** A fault with a required recovery time, at a port. */
interface Promised {
  readonly spec: FaultSpec;
  readonly withinPs: number;
}

/**
 * Of a fabric, with all faults that it has by now. The recovery time of a link begins anew when
 * that link was down, so the end of an outage there starts it again.
 */
export function promisedBy(fabric: Fabric): Promised[] {
  const { specs, scenario } = fabric;
  return specs.flatMap(({ ports }, device) =>
    ports.flatMap(({ faults }, port) =>
      faults.flatMap(({ fault }, place) => {
        // What a link does by its description is not in the list.
        const withinPs = scenario.faults[fault]?.recoverPs ?? null;
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
 * When links must have recovered. It follows from the schedules of faults and from no event, so all
 * partitions know it beforehand.
 */
export class RecoveryTimes {
  private readonly faults: readonly { readonly fault: StandingFault; readonly withinPs: number }[];

  constructor(promised: readonly Promised[]) {
    this.faults = promised.map(({ spec, withinPs }) => ({
      fault: new StandingFault(spec),
      withinPs,
    }));
  }

  /** The first after a time, which is not before that of the previous call; Infinity for none. */
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
