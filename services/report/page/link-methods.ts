import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { type Methods, needsGrants } from '../../fabric/assembly/link-methods.js';
import { EXCHANGE } from '../../mechanisms/registry.js';
import {
  type DiscoveryPortResult,
  operatedMethod,
} from '../../runtime/results/discovery-results.js';
import { mechanismName } from '../blocked-text.js';

/** By port, in the order of the fabric: flow control by priority, and whether DCBX decides. */
export interface PortMethods {
  readonly methods: readonly Methods[];
  readonly negotiates: boolean;
}

export function portMethodsOf({ methods, scenario: { discovery } }: Fabric): PortMethods {
  return { methods: methods.flat(), negotiates: discovery.enabled && discovery.drives };
}

/** Names of the flow controls of a port, as it operated last; empty where it has none. */
export function flowControlAt(
  { methods, negotiates }: PortMethods,
  port: number,
  negotiated: DiscoveryPortResult | null,
): string {
  const used = PRIORITY_NUMBERS.map((priority) => {
    const method = methods[port]![priority]!;
    return negotiates && negotiated !== null
      ? operatedMethod(method, priority, negotiated)
      : own(method);
  });
  return [...new Set(used)]
    .filter((method) => method !== 'none')
    .map(mechanismName)
    .join(', ');
}

/** Without what was negotiated: what the link is built for. */
function own(method: string): string {
  return needsGrants(method) ? EXCHANGE : method;
}
