import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import type { PortResult, RunResults } from '../../runtime/results/results.js';
import type { SharesView } from './page-data.js';

const PORTS_SHOWN = 24;
const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];

/** How a port shares its rate: the class of each priority, and its arbiter. */
export type PortSharing = Pick<PortSpec, 'classOf' | 'arbiter'>;

/** Service of classes at ports where several have shares, the busiest ports first. */
export function sharesView(
  { ports, discovery }: Pick<RunResults, 'ports' | 'discovery'>,
  sharing: readonly PortSharing[],
): SharesView[] {
  const agreed = new Map(
    (discovery?.ports ?? []).map(({ port, operational }) => [port, operational.ets]),
  );
  return ports
    .flatMap((port, place): SharesView[] => {
      const { classOf, arbiter } = sharing[place]!;
      const ets = agreed.get(port.port) ?? null;
      const wanted =
        ets === null
          ? wantedOf(arbiter)
          : ets.shares.map((s) => (typeof s === 'number' ? s : null));
      const view = wanted && portShares(port, place, ets?.classOf ?? classOf, wanted);
      return view === null ? [] : [view];
    })
    .sort((a, b) => b.wireOctets - a.wireOctets)
    .slice(0, PORTS_SHOWN);
}

/** By class, in percent; null: strict. Null where nothing is shared. */
function wantedOf(arbiter: ArbiterSpec): (number | null)[] | null {
  if (arbiter.kind === 'ets') return [...arbiter.shares];
  if (arbiter.kind !== 'dwrr') return null;
  const sum = arbiter.weights.reduce((a, b) => a + b, 0);
  return arbiter.weights.map((weight) => (weight > 0 ? (100 * weight) / sum : null));
}

function portShares(
  port: PortResult,
  place: number,
  classOf: readonly number[],
  wanted: readonly (number | null)[],
): SharesView | null {
  const octets = new Float64Array(CLASSES.length);
  for (const { priority, txOctets, txFrames } of port.priorities) {
    octets[classOf[priority]!]! += txOctets + WIRE_OVERHEAD_OCTETS * txFrames;
  }
  const sharing = CLASSES.filter((tc) => octets[tc]! > 0 && (wanted[tc] ?? 0) > 0);
  if (sharing.length < 2) return null;
  const shared = sharing.reduce((sum, tc) => sum + octets[tc]!, 0);
  const wireOctets = octets.reduce((a, b) => a + b, 0);
  return {
    ...{ port: place, wireOctets },
    classes: CLASSES.filter((tc) => octets[tc]! > 0).map((tc) => {
      const share = wanted[tc] ?? null;
      return {
        trafficClass: tc,
        priorities: CLASSES.filter((priority) => classOf[priority] === tc),
        wanted: share,
        /** Share of the octets of classes with a share; of all, where it is strict. */
        got: (100 * octets[tc]!) / (share === null ? wireOctets : shared),
      };
    }),
  };
}
