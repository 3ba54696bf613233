import type { DiscoveryResults } from '../../runtime/results/discovery-results.js';
import { dcbxCells } from '../discovery-text.js';
import type { DcbxGroup, DiscoveryView } from './page-data.js';

/** What DCBX came to; ports that came to the same stand together, those with a mismatch first. */
export function discoveryView(
  { ports, convergence, lldpdus }: DiscoveryResults,
  portNames: readonly string[],
): DiscoveryView {
  const placeOf = new Map(portNames.map((name, place) => [name, place]));
  const groups = new Map<string, DcbxGroup & { readonly ports: number[] }>();
  for (const port of ports) {
    const place = placeOf.get(port.port);
    if (place === undefined) continue;
    const { dcbx, mismatches } = port;
    const cells = dcbxCells(port);
    const key = JSON.stringify([dcbx, cells, mismatches]);
    const group = groups.get(key) ?? { dcbx, ...cells, mismatches, ports: [] };
    group.ports.push(place);
    groups.set(key, group);
  }
  return {
    lldpdus,
    convergence: convergence.map(({ fromPs, durationPs }) => ({ fromPs, durationPs })),
    groups: [...groups.values()].sort(
      (a, b) => b.mismatches.length - a.mismatches.length || b.ports.length - a.ports.length,
    ),
  };
}
