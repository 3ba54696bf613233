import type { Fabric } from '../fabric/assembly/fabric.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import type { FlowResult } from '../runtime/results/results.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { rootsOf } from '../telemetry/congestion/congestion-trees.js';
import type { FlowTime, TimeShare } from '../telemetry/traces/flow-time.js';
import { flowTime } from '../telemetry/traces/flow-time.js';
import { frameTraces } from '../telemetry/traces/frame-traces.js';
import type { FlowCause } from '../runtime/results/flow-cause.js';
import { causeOfFlow } from './cause-text.js';
import { blockedText } from './blocked-text.js';
import { formatCount, formatShare, formatTime } from './format.js';
import type { Style } from './summary-text.js';
import { table } from './table.js';

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
}

export function whyFlow(
  fabric: Fabric,
  flow: FlowResult,
  hops: SeenHops,
  { episodes }: Congestion,
): FlowWhy | null {
  const { startPs, completionPs, lastArrivalPs, name, source, destination } = flow;
  const endPs = completionPs === null ? lastArrivalPs : startPs + completionPs;
  if (endPs === null) return null;
  const traces = frameTraces(fabric, hops, endPs);
  const roots = rootsOf(episodes);
  const rootOf = (id: string): string | null => roots.get(id)?.port ?? null;
  const times = flowTime([...traces], traces.blocked, { startPs, endPs }, rootOf);
  const isComplete = completionPs !== null;
  const { cause } = flow;
  return times && { flow: flow.flow, name, source, destination, isComplete, cause, ...times };
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
  ].join('\n\n');
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
