/** What tables, tiles and orders of the page show of ports and flows, by their measures. */

import { having, totalOf } from '../../mechanisms/measure.js';
import { FLOW_MEASURES } from '../../measures/flow-measures.js';
import { LENSES, PORT_MEASURES, type PortValues } from '../../measures/port-measures.js';
import type { FlowResult } from '../../runtime/results/results.js';
import type { Figure, FlowView } from './page-flow-data.js';
import type { PortView } from './page-data.js';

const OF_PORTS = having(PORT_MEASURES, 'onPage');
const OF_FLOWS = having(FLOW_MEASURES, 'onPage');

export const PORT_FIGURES: readonly Figure[] = OF_PORTS.map(([key, { unit, onPage }]) => ({
  ...{ by: key, unit, ...onPage },
}));

/** Of a port, its priorities together; zeros where it has none. */
export function portFigures(rows: readonly PortValues[]): Pick<PortView, 'figures' | 'longest'> {
  const total = (key: keyof PortValues, how: 'sum' | 'most'): number =>
    totalOf(
      how,
      rows.map((row) => row[key]),
    );
  return {
    figures: OF_PORTS.map(([key, { total: how }]) => total(key, how)),
    longest: { blocked: total(LENSES.blocked, 'most'), queue: total(LENSES.queue, 'most') },
  };
}

/** A port of its path was paused or blocked: known where episodes are observed. */
const PATH_BLOCKED: Figure = { by: 'blocked', head: 'path blocked', unit: 'ps', warns: true };

export const FLOW_FIGURES: readonly Figure[] = [
  ...OF_FLOWS.map(([, { unit, onPage }]) => ({ unit, ...onPage })),
  PATH_BLOCKED,
];

export function flowFigures(flow: FlowResult, pathBlockedPs: number | null): FlowView['figures'] {
  const own = OF_FLOWS.map(([key, { onPage }]) => [onPage.by, flow[key]] as const);
  return { ...Object.fromEntries(own), [PATH_BLOCKED.by]: pathBlockedPs };
}
