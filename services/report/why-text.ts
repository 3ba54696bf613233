import { EXCHANGE } from '../mechanisms/registry.js';
import type { Deadlock, Episode, RootReason, Storm } from '../telemetry/congestion/congestion.js';
import type { Branch, CongestionTree } from '../telemetry/congestion/congestion-trees.js';
import { blockedText } from './blocked-text.js';
import { faultNames, faultsText } from './fault-text.js';
import { formatCount, formatShare, formatTime } from './format.js';
import type { Style } from './style.js';
import type { Reclaim } from '../mechanisms/mechanism-slice.js';
import type { BlockedLink } from '../runtime/results/path-methods.js';
import type { WhySummary } from './why.js';

const TREES_SHOWN = 5;
const BRANCHES_SHOWN = 6;
const VICTIMS_SHOWN = 6;
const CULPRITS_SHOWN = 6;
const OTHERS_SHOWN = 8;

const ROOT_REASONS: Readonly<Record<RootReason, string>> = {
  contended: 'several ports send more to it than its link carries',
  'slower-wire': 'the link that feeds it is faster than its own',
  'left-over': 'it has been blocked before, and frames arrive as fast as it sends',
  'other-classes': 'other traffic classes of its port take the rest of its link',
  'slow-receiver': 'its host reads slower than frames arrive',
  'memory-taken': 'other queues fill its buffer',
  fault: 'a fault',
  'no-grant-yet': `its link partner has not granted ${EXCHANGE} yet`,
  'below-loop': `its link partner grants less ${EXCHANGE} than a round trip of the link takes`,
  shaped: `its link partner grants ${EXCHANGE} at the rate of a shaper`,
  'on-request': `${EXCHANGE} is granted on request, and its requests come late`,
  lent: `its ${EXCHANGE} is lent to other channels`,
  'under-way': `its ${EXCHANGE} is on the link: frames and grants are under way`,
  'no-agreement': 'its link partner has not agreed over LLDP to the flow control of the priority',
  retry: 'its link partner has to acknowledge earlier frames (link-level retry)',
  order: 'it keeps the order of frames of a flow that was in another queue',
  deadlock:
    `it is part of a deadlock: it waits for ${EXCHANGE} that only its own frames ` + 'would free',
  mechanism: 'paused while no ingress buffer of its link partner was at XOFF',
};

/** Why a root has no cause behind it; a fault is named. */
export function rootText(
  { reason, fault }: Pick<Episode, 'reason' | 'fault'>,
  faults: ReadonlyMap<string, string>,
): string {
  const text = ROOT_REASONS[reason ?? 'mechanism'];
  if (fault === null) return text;
  const name = faults.get(fault) ?? fault;
  return reason === 'fault' ? `fault ${name}` : `${text}; fault ${name} took part`;
}

/** The congestion trees of a run as text, worst first. */
export function whyText(why: WhySummary, style: Style, all: boolean): string {
  const names = faultNames(why.faults);
  const groups = alikeOf(why.trees, names);
  const shown = all ? groups : groups.slice(0, TREES_SHOWN);
  const rest = groups.slice(shown.length).reduce((sum, { length }) => sum + length, 0);
  const parts = [
    headline(why, style),
    ...why.deadlocks.map((deadlock) => deadlockText(deadlock, style)),
    stormText(why.storms),
    reclaimText(why.reclaims),
    blockedLinksText(why.blocked),
    faultsText(why.faults),
    ...shown.map((alike, i) => treeText(alike, i + 1, { style, names, virtualPs: why.virtualPs })),
    rest === 0 ? '' : `${formatCount(rest)} smaller trees: --all shows them`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function headline(
  { scenario, trees, episodes, omitted, virtualPs }: WhySummary,
  style: Style,
): string {
  const name = style.strong(scenario);
  if (trees.length === 0) return `${name}  no congestion`;
  const more = omitted === 0 ? '' : `, and ${formatCount(omitted)} that were not kept`;
  const found = `${counted(trees.length, 'congestion tree')} of ${counted(episodes, 'episode')}`;
  return `${name}  ${found}${more}, in ${formatTime(virtualPs)}`;
}

function deadlockText({ ring, closedPs, openedPs }: Deadlock, style: Style): string {
  const until = openedPs === null ? 'it never opened' : `opened at ${formatCount(openedPs)} ps`;
  const head = `cyclic buffer dependency closed at ${formatCount(closedPs)} ps; ${until}`;
  const steps = ring.map(
    ({ ingress, egress, priority }) =>
      `   ${ingress} cannot empty before ${egress} sends (priority ${priority})`,
  );
  return [openedPs === null ? style.bad(`DEADLOCK: ${head}`) : head, ...steps].join('\n');
}

function stormText(storms: readonly Storm[]): string {
  const lines = storms.map(({ port, priority, startPs, noticedPs, endPs }) => {
    const until = endPs === null ? 'to the end' : `to ${formatTime(endPs)}`;
    const what = priority === null ? port : `${port} priority ${priority}`;
    return `   ${what} from ${formatTime(startPs)} ${until}, noticed at ${formatTime(noticedPs)}`;
  });
  return lines.length === 0 ? '' : ['paused longer than observe.storm:', ...lines].join('\n');
}

function reclaimText(reclaims: readonly Reclaim[]): string {
  const lines = reclaims.map(({ port, priority, channel, times }) => {
    const often = `${formatCount(times)}x`;
    return `   channel ${channel} had it at ${port}, priority ${priority}: taken back ${often}`;
  });
  return lines.length === 0
    ? ''
    : [`idle ${EXCHANGE} that other channels lacked:`, ...lines].join('\n');
}

function blockedLinksText(blocked: readonly BlockedLink[]): string {
  const lines = blocked.map(
    ({ link, priority, why }) => `   ${link}, priority ${priority}: ${why}`,
  );
  return lines.length === 0 ? '' : ['no agreement over LLDP:', ...lines].join('\n');
}

/** Ports that wait for the same and make nothing else wait are one entry. */
function alikeOf(
  trees: readonly CongestionTree[],
  names: ReadonlyMap<string, string>,
): CongestionTree[][] {
  const groups = new Map<string, CongestionTree[]>();
  trees.forEach((tree, i) => {
    const { root, branches } = tree;
    const isAlone = root.kind === 'blocked' && branches.length === 0;
    const key = isAlone ? `${rootText(root, names)} ${root.priority ?? ''}` : `${i}`;
    groups.set(key, [...(groups.get(key) ?? []), tree]);
  });
  return [...groups.values()];
}

function treeText(
  alike: readonly CongestionTree[],
  rank: number,
  {
    style,
    names,
    virtualPs,
  }: {
    readonly style: Style;
    readonly names: ReadonlyMap<string, string>;
    readonly virtualPs: number;
  },
): string {
  const [tree, ...others] = alike as [CongestionTree, ...CongestionTree[]];
  const { root, times, totalPs, clearedPs, frameTimePs, ports, devices, depth } = tree;
  const until = clearedPs === null ? 'not cleared' : `cleared at ${formatTime(clearedPs)}`;
  const often = times === 1 ? '' : `${formatCount(times)}x, `;
  const share = formatShare(virtualPs === 0 ? 0 : totalPs / virtualPs);
  const lasted = `${often}${formatTime(totalPs)} in all, ${share} of the run`;
  const reach = `${counted(ports, 'port')} of ${counted(devices, 'device')}`;
  const deep = depth === 0 ? 'nothing is blocked' : `${counted(depth, 'link')} deep`;
  return [
    `${rank}. ${style.strong(placeOf(root))}: ${rootText(root, names)}`,
    `   from ${formatTime(root.startPs)}, ${until}: ${lasted}`,
    `   ${reach}, ${deep}; frames waited ${formatTime(frameTimePs)}, summed over all of them`,
    ...culpritLines(tree),
    `   ${victimText(tree.victims)}`,
    ...otherLines(others),
    ...branchLines(tree.branches, 1),
  ].join('\n');
}

function otherLines(others: readonly CongestionTree[]): string[] {
  if (others.length === 0) return [];
  const names = others.slice(0, OTHERS_SHOWN).map(({ root }) => root.port);
  const rest = others.length - names.length;
  const more = rest === 0 ? '' : ` and ${formatCount(rest)} more`;
  return [`   and so ${names.join(', ')}${more}, for less time`];
}

/** Shares of queues are of frames that were sampled. */
function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** Flows that fill its root, or are sent before it. */
function culpritLines({ root, culprits, othersShare }: CongestionTree): string[] {
  if (culprits.length === 0) return [];
  const shown = culprits
    .slice(0, CULPRITS_SHOWN)
    .map(({ flow, share }) => `${flow} ${percent(share)}`);
  const rest = culprits.slice(CULPRITS_SHOWN);
  const more = rest.reduce((sum, { share }) => sum + share, othersShare);
  const isCounted = othersShare === 0;
  const count = isCounted ? `${formatCount(rest.length)} more` : 'others';
  const others = rest.length === 0 && isCounted ? '' : `, and ${count} ${percent(more)}`;
  const flows = isCounted ? counted(culprits.length, 'flow') : 'many flows';
  const how = root.reason === 'other-classes' ? 'outrun by' : 'filled by';
  return [`   ${how} ${flows}: ${shown.join(', ')}${others}`];
}

function victimText(victims: readonly string[]): string {
  if (victims.length === 0) return 'no victim flows';
  const shown = victims.slice(0, VICTIMS_SHOWN).join(', ');
  const rest = victims.length > VICTIMS_SHOWN ? ', …' : '';
  return `${counted(victims.length, 'victim flow')} (${shown}${rest})`;
}

function branchLines(branches: readonly Branch[], level: number): string[] {
  const indent = '   '.repeat(level);
  const shown = branches.slice(0, BRANCHES_SHOWN);
  const rest = branches.length - shown.length;
  const lines = shown.flatMap((branch) => [
    `${indent}└ ${branchText(branch)}`,
    ...branchLines(branch.branches, level + 1),
  ]);
  return rest === 0 ? lines : [...lines, `${indent}└ and ${rest} more`];
}

function branchText(branch: Branch): string {
  const { kind, mechanism, times, totalPs, frameTimePs } = branch;
  const did = kind === 'blocked' ? blockedText(mechanism) : fullText(kind, mechanism);
  const lost = kind === 'blocked' ? `, ${formatTime(frameTimePs)} summed over its frames` : '';
  return `${placeOf(branch)} ${did}, ${formatCount(times)}x, ${formatTime(totalPs)} in all${lost}`;
}

/** A buffer that keeps its link partner from sending, or a queue. */
function fullText(kind: Episode['kind'], mechanism: string): string {
  if (kind === 'queue') return 'queue';
  return mechanism === EXCHANGE ? `${EXCHANGE} is out as frames in its buffer` : 'buffer full';
}

function placeOf({ port, priority }: Pick<Episode, 'port' | 'priority'>): string {
  return priority === null ? port : `${port} priority ${priority}`;
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
