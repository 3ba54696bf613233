import type { Mechanism } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';

/** By group of a port: the mechanisms that rule its senders, one bit each by their order. */
export function rulersOf(
  mechanisms: readonly Mechanism[],
  { groupOf, pause, pfc, credit }: PortSpec,
): Uint8Array {
  const ruled: Readonly<Record<string, number>> = {
    pause: pause === null ? 0 : 0xff,
    pfc: pfc?.priorities ?? 0,
    credit: credit?.priorities ?? 0,
  };
  const rulers = new Uint8Array(8);
  mechanisms.forEach(({ name }, m) => {
    groupOf.forEach((group, priority) => {
      if (((ruled[name] ?? 0) & (1 << priority)) !== 0) rulers[group] |= 1 << m;
    });
  });
  return rulers;
}
