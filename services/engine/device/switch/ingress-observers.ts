import { asIngressObserver, type IngressObserver } from '../../contract/flow-control.js';
import type { PortRow } from '../../units/indices.js';
import type { MechanismSet } from '../mechanisms.js';

/** An account whose senders nothing pauses. */
export const UNOBSERVED = 255;

/**
 * All that may observe an ingress buffer, by number: each mechanism, and each beside each of those
 * that count. A link may negotiate either method: then frames are counted always, and the other
 * acts as well.
 */
export function ingressObservers({ all }: Pick<MechanismSet, 'all'>): IngressObserver[] {
  const single = all.map(asIngressObserver);
  const counting = all.filter(({ starts }) => starts !== undefined).map(asIngressObserver);
  return [...single, ...counting.flatMap((keeper) => single.map(beside(keeper)))];
}

/** Who observes what an ingress buffer of a port admits: a number, or UNOBSERVED. */
export function observerAt(
  { all }: Pick<MechanismSet, 'all'>,
  port: PortRow,
  group: number,
  isLossless: boolean,
): number {
  const counting = all.filter(({ starts }) => starts !== undefined);
  const keeper = counting.findIndex(({ starts }) => starts!.charges(port, group));
  const ruler = all.findIndex(
    (own) => own !== counting[keeper] && own.rulesGroup?.(port, group) === true,
  );
  if (ruler < 0) return keeper < 0 ? UNOBSERVED : all.indexOf(counting[keeper]);
  if (!isLossless) return UNOBSERVED;
  return keeper < 0 ? ruler : all.length * (keeper + 1) + ruler;
}

function beside(keeper: IngressObserver): (other: IngressObserver) => IngressObserver {
  return (other) => ({
    admitted(port, group, frame, octets) {
      keeper.admitted(port, group, frame, octets);
      other.admitted(port, group, frame, octets);
    },
    released(port, group, frame) {
      keeper.released(port, group, frame);
      other.released(port, group, frame);
    },
  });
}
