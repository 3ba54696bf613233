import type { Mechanism } from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';

/** By group of a port: the mechanisms that pause its senders, one bit each by their order. */
export function rulersOf(
  mechanisms: readonly Mechanism[],
  port: number,
  { groupOf, pause, pfc, credit }: PortSpec,
): Uint16Array {
  const ruled: Readonly<Record<string, number>> = {
    pause: pause === null ? 0 : 0xff,
    pfc: pfc?.priorities ?? 0,
    credit: credit?.priorities ?? 0,
  };
  const rulers = new Uint16Array(8);
  mechanisms.forEach((mechanism, m) => {
    groupOf.forEach((group, priority) => {
      const isRuled = ((ruled[mechanism.name] ?? 0) & (1 << priority)) !== 0;
      if (isRuled || mechanism.rulesGroup?.(port, group) === true) rulers[group] |= 1 << m;
    });
  });
  return rulers;
}
