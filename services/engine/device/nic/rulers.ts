import type { Mechanism } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';

/** By group of a port: the mechanisms that stop its senders, one bit each by their order. */
export function rulersOf(
  mechanisms: readonly Mechanism[],
  port: number,
  { groupOf, grants }: PortSpec,
): Uint16Array {
  const rulers = new Uint16Array(8);
  const exchanged = grants?.priorities ?? 0;
  mechanisms.forEach((mechanism, m) => {
    groupOf.forEach((group, priority) => {
      const isRuled =
        mechanism.rulesGroup?.(port, group) === true ||
        (mechanism.keepsGrants === true && (exchanged & (1 << priority)) !== 0);
      if (isRuled) rulers[group] |= 1 << m;
    });
  });
  return rulers;
}
