/** What happened in a run, where and why, in a sentence: the summary and the page begin with it. */

import { partsOfFlows } from '../telemetry/congestion/flow-roles.js';
import type { RunResults } from '../runtime/results/results.js';
import type { CongestionTree } from '../telemetry/congestion/congestion-trees.js';
import { faultNames } from './fault-text.js';
import { formatCount, formatRatio, formatShare, formatTime } from './format.js';
import { isStandstill } from './verdict.js';
import { rootText } from './why-text.js';
import type { WhySummary } from './why.js';

/** Flows that a sentence names. */
const NAMED_MOST = 2;
/** Ports of a cyclic buffer dependency that it names. */
const PORTS_NAMED = 3;

type Seen = Pick<WhySummary, 'trees' | 'faults'>;

/** `why` is null where episodes were not recorded. */
export function storyOf(results: RunResults, why: Seen | null): string {
  if (results.status === 'failed') return '';
  const parts = [
    standstillStory(results),
    why && congestionStory(results, why),
    dropStory(results),
  ];
  const told = parts.filter((part) => part !== null && part !== '');
  if (told.length > 0) return `${capital(told.join('; '))}.`;
  if (why === null) return '';
  const slowest = slowestText(results);
  return `No congestion${slowest === '' ? '' : `: ${slowest}`}.`;
}

function standstillStory(results: RunResults): string | null {
  if (!isStandstill(results)) return null;
  const stopped = `${counted(results.stalls.length, 'flow')} stopped`;
  const [ring] = results.standingDeadlocks;
  if (ring === undefined) return stopped;
  const ports = ring.ring.map(({ egress }) => egress);
  const shown = ports.slice(0, PORTS_NAMED).join(', ');
  const more = ports.length > PORTS_NAMED ? ', …' : '';
  return `${stopped}: ${shown}${more} wait for each other (cyclic buffer dependency)`;
}

/** Of the heaviest tree: where it is rooted and why, what fills it, and what waits. */
function congestionStory({ virtualPs, flows }: RunResults, { trees, faults }: Seen): string | null {
  const [tree] = trees;
  if (tree === undefined || virtualPs === 0) return null;
  const { root, totalPs, culprits } = tree;
  const place = root.priority === null ? root.port : `${root.port} priority ${root.priority}`;
  const share = Math.min(1, totalPs / virtualPs);
  const what = root.kind === 'blocked' ? 'could not send' : 'was congested';
  const loadOf = new Map(flows.map(({ name, load }) => [name, load]));
  const filled =
    culprits.length === 0
      ? ''
      : `, filled by ${flowsText(
          culprits.map(({ flow }) => flow),
          loadOf,
        )}`;
  const when = `for ${formatShare(share)} of the run`;
  const why = rootText(root, faultNames(faults));
  return `${place} ${what} ${when}, as ${why}${filled}${victimText(trees, loadOf)}`;
}

function victimText(trees: readonly CongestionTree[], loadOf: ReadonlyMap<string, string>): string {
  const victims = [...partsOfFlows(trees)].flatMap(([name, { role }]) =>
    role === 'victim' ? [name] : [],
  );
  if (victims.length === 0) return '';
  const noun = victims.length === 1 ? 'a victim' : 'victims';
  return `; ${noun}: ${flowsText(victims, loadOf)}`;
}

/** `victim/h1->h24`, or how many flows of which loads. */
function flowsText(names: readonly string[], loadOf: ReadonlyMap<string, string>): string {
  if (names.length <= NAMED_MOST) return names.join(' and ');
  const loads = [...new Set(names.map((name) => loadOf.get(name) ?? ''))];
  const named = loads.filter((load) => load !== '').slice(0, NAMED_MOST);
  const more = loads.length > named.length && named.length > 0 ? ' and others' : '';
  const of = named.length === 0 ? '' : ` of ${named.join(', ')}${more}`;
  return `${formatCount(names.length)} flows${of}`;
}

function dropStory({ priorities }: RunResults): string | null {
  const reasons = new Map<string, number>();
  for (const [reason, frames] of priorities.flatMap(({ drops }) => Object.entries(drops))) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + frames);
  }
  const [worst] = [...reasons].sort(([, a], [, b]) => b - a);
  if (worst === undefined) return null;
  const [reason, frames] = worst;
  return `${counted(frames, 'frame')} dropped (${reason}${reasons.size > 1 ? ', and others' : ''})`;
}

function slowestText({ flows, finished }: RunResults): string {
  const slowest = flows.reduce((most, { slowdown }) => Math.max(most, slowdown ?? 0), 0);
  if (slowest === 0 || finished.done < finished.total) return '';
  const time = flows.reduce((most, { completionPs }) => Math.max(most, completionPs ?? 0), 0);
  const all = finished.total === 1 ? 'its flow is' : `all ${formatCount(finished.total)} flows are`;
  const most = formatRatio(slowest);
  return `${all} complete after ${formatTime(time)}, the slowest at ${most} of its time alone`;
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Names of ports and mechanisms stay as they are. */
function capital(text: string): string {
  return /^[a-z]+ /.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text;
}
