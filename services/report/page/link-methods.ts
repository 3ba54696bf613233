import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { type Methods, needsGrants } from '../../fabric/assembly/link-methods.js';
import { EXCHANGE } from '../../mechanisms/registry.js';
import type { DiscoveryPortResult } from '../../runtime/results/discovery-results.js';
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
  const used =
    negotiates && negotiated !== null
      ? negotiated.methods
      : PRIORITY_NUMBERS.map((priority) => own(methods[port]![priority]!));
  return [...new Set(used)]
    .filter((method) => method !== 'none' && method !== 'blocked')
    .map(mechanismName)
    .join(', ');
}

/** Without what was negotiated: what the link is built for. */
function own(method: string): string {
  return needsGrants(method) ? EXCHANGE : method;
}
