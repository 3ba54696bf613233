import type { RunResults, StallResult } from '../runtime/results/results.js';
import { countText } from './cause-text.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

/** Flows that stopped progressing, longest first, and cyclic buffer dependencies. */
export function stallText(results: RunResults, style: Style): string {
  const { stalls, standingDeadlocks } = results;
  if (stalls.length + standingDeadlocks.length === 0) return '';
  const rings = standingDeadlocks.map(({ ring }) => `  deadlock: ${ringText(ring)}`);
  const rows = [...stalls]
    .sort((a, b) => a.sincePs - b.sincePs)
    .slice(0, ROWS_SHOWN)
    .map((stall) => [stall.name, formatTime(stall.sincePs), ...obstacleOf(stall)]);
  const more = stalls.length - rows.length;
  return [
    style.strong(`Stalled: ${formatCount(stalls.length)} of ${flowsText(results)}`),
    ...rings.slice(0, ROWS_SHOWN),
    ...(rows.length > 0 ? [table(['flow', 'since', 'blocked at', 'by'], rows)] : []),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
    ...(stalls.length > 0 ? [`  cause: ${countText(stalls.map(({ cause }) => cause))}`] : []),
  ].join('\n');
}

/** What a flow waits for: where, and its cause. */
export function obstacleOf({
  port,
  peer,
  unreachableAt,
}: Pick<StallResult, 'port' | 'peer' | 'unreachableAt'>): [string, string] {
  if (unreachableAt !== null) return [unreachableAt, causeOf(unreachableAt)];
  return [port ?? '–', peer ?? '–'];
}

/** Why frames end at a place: at a port, its link is down; at a device, it has no route. */
export function causeOf(unreachableAt: string): string {
  return unreachableAt.includes(':') ? 'link down' : 'no route';
}

function flowsText({ flows }: RunResults): string {
  return `${formatCount(flows.length)} ${flows.length === 1 ? 'flow' : 'flows'}`;
}

/** Its ports in turn, each of which waits for the next. */
export function ringText(ring: RunResults['standingDeadlocks'][number]['ring']): string {
  return [...ring, ring[0]!].map(({ egress }) => egress).join(' waits for ');
}
