import type { Mechanism } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';

/** By group of a port: the mechanisms that stop its senders, one bit each by their order. */
export function rulersOf(
  mechanisms: readonly Mechanism[],
  port: number,
  { groupOf }: PortSpec,
): Uint16Array {
  const rulers = new Uint16Array(8);
  mechanisms.forEach((mechanism, m) => {
    for (const group of groupOf) {
      const isRuled =
        mechanism.rulesGroup?.(port, group) === true ||
        mechanism.starts?.charges(port, group) === true;
      if (isRuled) rulers[group] |= 1 << m;
    }
  });
  return rulers;
}
