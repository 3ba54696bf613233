import type { Fabric } from '../fabric/assembly/fabric.js';
import type { RepeatedRun } from '../runtime/repeat-run.js';
import type { Culprit } from '../telemetry/congestion/congestion-trees.js';
import { portsOfFlow } from '../telemetry/congestion/flow-paths.js';
import {
  BYSTANDER,
  type FlowParts,
  type FlowRole,
  partsOfFlows,
} from '../telemetry/congestion/flow-roles.js';
import { faultNames } from './fault-text.js';
import { rootText } from './why-text.js';
import { type Why, whyOf } from './why.js';
import type { FlowResult, RunResults } from '../runtime/results/results.js';
import { rootsOf } from '../telemetry/congestion/congestion-trees.js';
import type { FlowTime, TimeShare } from '../telemetry/traces/flow-time.js';
import { flowTime } from '../telemetry/traces/flow-time.js';
import { frameTraces } from '../telemetry/traces/frame-traces.js';
import type { FlowCause } from '../runtime/results/flow-cause.js';
import { causeOfFlow } from './cause-text.js';
import { blockedText } from './blocked-text.js';
import { formatCount, formatRate, formatShare, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROOTS_SHOWN = 4;
const CULPRITS_SHOWN = 4;

/** The components of a flow's time: its shares add up to `totalPs` exactly. */
interface FlowWhy extends FlowTime {
  readonly flow: number;
  readonly name: string;
  readonly source: string;
  readonly destination: string;
  /** False: the time is that of its latest arrival so far. */
  readonly isComplete: boolean;
  /** Why it is not finished; null: it is. */
  readonly cause: FlowCause | null;
  /** What it is to the congestion of the run, and of which roots. */
  readonly role: FlowRole;
  readonly roots: readonly RootOnPath[];
  /** What limited the rate of its source; null: nothing did. */
  readonly limit: RateLimit | null;
}

/** A root of congestion that the flow fills, or waits for. */
interface RootOnPath {
  readonly port: string;
  readonly priority: number | null;
  readonly why: string;
  readonly part: 'fills' | 'waits';
  /** The flow's share of the queue; null where it does not fill it. */
  readonly share: number | null;
  readonly culprits: readonly Culprit[];
}

/** Messages that limited the rate of a flow, and the queues that marked its frames. */
interface RateLimit {
  readonly control: string;
  readonly notifications: number;
  readonly cuts: number;
  readonly leastBps: number;
  readonly lineBps: number;
  readonly markedAt: readonly string[];
}

export function whyFlow(
  fabric: Fabric,
  flow: FlowResult,
  { results, hops, congestion }: RepeatedRun,
): FlowWhy | null {
  const { episodes } = congestion;
  const { startPs, completionPs, lastArrivalPs, name, source, destination } = flow;
  const endPs = completionPs === null ? lastArrivalPs : startPs + completionPs;
  if (endPs === null) return null;
  const traces = frameTraces(fabric, hops, endPs);
  const roots = rootsOf(episodes);
  const rootOf = (id: string): string | null => roots.get(id)?.port ?? null;
  const times = flowTime([...traces], traces.blocked, { startPs, endPs }, rootOf);
  const isComplete = completionPs !== null;
  const { cause } = flow;
  if (times === null) return null;
  const why = whyOf(fabric, results, congestion);
  const parts = partsOfFlows(why.trees).get(name) ?? BYSTANDER;
  return {
    ...{ flow: flow.flow, name, source, destination, isComplete, cause, ...times },
    ...{ role: parts.role, roots: rootsOnPath(why, parts, name) },
    limit: limitOf(fabric, results, flow),
  };
}

/** Heaviest first, as trees are. */
function rootsOnPath(
  { trees, faults }: Pick<Why, 'trees' | 'faults'>,
  { fills, suffers }: FlowParts,
  name: string,
): RootOnPath[] {
  const names = faultNames(faults);
  return [...new Set([...fills, ...suffers])]
    .sort((a, b) => a - b)
    .map((place) => {
      const { root, culprits } = trees[place]!;
      const share = culprits.find(({ flow }) => flow === name)?.share ?? null;
      const { port, priority } = root;
      const part = share === null ? 'waits' : 'fills';
      return { port, priority, why: rootText(root, names), part, share, culprits };
    });
}

function limitOf(fabric: Fabric, { rates, ports }: RunResults, flow: FlowResult): RateLimit | null {
  const rate = rates.find((one) => one.flow === flow.flow);
  if (rate === undefined || rate.leastBps >= rate.lineBps) return null;
  const path = portsOfFlow(fabric, flow.flow);
  const markedAt = ports
    .filter(({ port, priorities }) => {
      const own = priorities.find(({ priority }) => priority === flow.priority);
      return path.has(port) && (own?.markedFrames ?? 0) > 0;
    })
    .map(({ port }) => port);
  const { control, notifications, cuts, leastBps, lineBps } = rate;
  return { control, notifications, cuts, leastBps, lineBps, markedAt };
}

export function flowWhyText(why: FlowWhy, style: Style): string {
  const { name, source, destination, totalPs, shares, isComplete } = why;
  const what = isComplete ? 'complete after' : 'not complete; its latest frame came after';
  const rows = shares.map((share) => [
    share.device,
    share.port,
    causeText(share),
    formatTime(share.ps),
    formatShare(share.ps / totalPs),
    formatCount(share.ps),
  ]);
  const total = ['in all', '', '', formatTime(totalPs), '100 %', formatCount(totalPs)];
  return [
    `${style.strong(name)}  ${source} to ${destination}, ${what} ${formatTime(totalPs)}`,
    ...(why.cause === null ? [] : [`${style.bad('not finished')}: ${causeOfFlow(why)}`]),
    table(['device', 'port', 'what', 'time', 'share', 'ps'], [...rows, total]),
    ...(why.limit === null ? [] : [limitText(why.limit)]),
    ...(why.roots.length === 0 ? [] : [rootsText(why, style)]),
  ].join('\n\n');
}

function limitText(limit: RateLimit): string {
  const { control, notifications, cuts, leastBps, lineBps, markedAt } = limit;
  const by = markedAt.length === 0 ? '' : `; its frames were marked at ${markedAt.join(', ')}`;
  const told = notifications === 0 ? '' : `${formatCount(notifications)} notifications, `;
  return (
    `waiting at its source: ${control} limited its rate, to ${formatRate(leastBps)} of ` +
    `${formatRate(lineBps)} at least (${told}${formatCount(cuts)} cuts)${by}`
  );
}

const ROLES: Readonly<Record<FlowRole, string>> = {
  culprit: 'it fills the roots of congestion on its path',
  victim: 'a victim: it waits for roots of congestion that others fill',
  both: 'it fills roots of congestion, and waits for others',
  bystander: 'it has no part in the congestion of the run',
};

function rootsText({ role, roots }: FlowWhy, style: Style): string {
  const lines = roots.slice(0, ROOTS_SHOWN).map(({ port, priority, why, share, culprits }) => {
    const place = priority === null ? port : `${port} priority ${priority}`;
    const own = share === null ? '' : `; ${Math.round(100 * share)} % of it is its own`;
    const others = culprits
      .slice(0, CULPRITS_SHOWN)
      .map(({ flow, share: part }) => `${flow} ${Math.round(100 * part)} %`);
    const filled = share !== null || others.length === 0 ? '' : `; filled by ${others.join(', ')}`;
    return `   ${place}: ${why}${own}${filled}`;
  });
  const rest = roots.length - lines.length;
  const more = rest > 0 ? [`   and ${formatCount(rest)} smaller`] : [];
  return [style.strong(ROLES[role]), ...lines, ...more].join('\n');
}

/** Of a flow of which nothing has arrived. */
export function nothingArrivedText(flow: FlowResult, style: Style): string {
  const { name, source, destination } = flow;
  return [
    `${style.strong(name)}  ${source} to ${destination}, no frame has arrived`,
    `${style.bad('not finished')}: ${causeOfFlow(flow)}`,
  ].join('\n\n');
}

function causeText({ cause, mechanism, root }: TimeShare): string {
  if (cause !== 'blocked') return cause;
  return `${blockedText(mechanism ?? '?')}${root === null ? '' : `, root ${root}`}`;
}
