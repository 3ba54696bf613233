import type { Card, CardFormat } from '../mechanism-slice.js';
import type { CiResults } from './results.js';

/** Switches that isolated flows. */
export function ciCards({ isolations }: CiResults, { count }: CardFormat): Card[] {
  return [
    {
      title: 'Congestion isolation',
      head: ['switch', 'flows', 'most', 'found', 'by CIM', 'frames isolated', 'messages'],
      rows: isolations.map(({ device, counters, flows, flowsPeak }) => [
        device,
        count(flows),
        count(flowsPeak),
        count(counters['ciFlowsFound']),
        count(counters['ciFlowsByCim']),
        count(counters['ciFramesIsolated']),
        count(counters['ciCimAddsTransmitted'] + counters['ciCimDelsTransmitted']),
      ]),
    },
  ];
}
