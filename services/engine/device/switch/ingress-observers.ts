import { asIngressObserver, type IngressObserver } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { PortRow } from '../../units/indices.js';
import type { MechanismSet } from '../mechanisms.js';

/** An account whose senders nothing pauses. */
export const UNOBSERVED = 255;

/**
 * All that may observe an account, by number. A link may negotiate either method: then grants are
 * counted always, and the other acts as well.
 */
export function ingressObservers({ all, grants }: MechanismSet): IngressObserver[] {
  const besideGrants = (other: IngressObserver): IngressObserver => ({
    admitted(port, group, frame, octets) {
      grants.admitted(port, group, frame, octets);
      other.admitted(port, group, frame, octets);
    },
    released(port, group, frame) {
      grants.released(port, group, frame);
      other.released(port, group, frame);
    },
  });
  const single = all.map(asIngressObserver);
  return [...single, ...single.map(besideGrants)];
}

/**
 * Who observes what an account of a port admits: the number of a mechanism, that number behind
 * those of all mechanisms where it does so beside grants, or UNOBSERVED.
 */
export function observerAt(
  { all, grants }: MechanismSet,
  port: PortRow,
  spec: PortSpec,
  group: number,
  isLossless: boolean,
): number {
  const ruler = all.findIndex((own) => own.rulesGroup?.(port, group) === true);
  const isExchanged = mayHaveGrants(spec, group);
  if (ruler < 0) return isExchanged ? all.indexOf(grants) : UNOBSERVED;
  if (!isLossless) return UNOBSERVED;
  return isExchanged ? all.length + ruler : ruler;
}

/** Exchange of grants is possible for an account. */
function mayHaveGrants({ grants, groupOf }: PortSpec, group: number): boolean {
  const exchanged = grants?.priorities ?? 0;
  return groupOf.some((own, priority) => own === group && (exchanged & (1 << priority)) !== 0);
}
