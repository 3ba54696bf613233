import { EXCHANGE } from '../mechanisms/registry.js';
import type { Deadlock, Episode, RootReason, Storm } from '../telemetry/congestion/congestion.js';
import type { Branch, CongestionTree } from '../telemetry/congestion/congestion-trees.js';
import { blockedText } from './blocked-text.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './summary-text.js';
import type { Reclaim } from '../mechanisms/mechanism-slice.js';
import { GRANT_LOOP } from '../telemetry/congestion/congestion.js';
import type { BlockedLink } from '../runtime/results/path-methods.js';
import type { WhySummary } from './why.js';

const TREES_SHOWN = 5;
const BRANCHES_SHOWN = 6;
const VICTIMS_SHOWN = 6;

export const ROOT_REASONS: Readonly<Record<RootReason, string>> = {
  contended: 'several ports send more to it than its link carries',
  'slower-wire': 'the link that feeds it is faster than its own',
  'slow-receiver': 'its host reads slower than frames arrive',
  'memory-taken': 'other queues fill its buffer',
  [GRANT_LOOP]:
    `no ${EXCHANGE} while its link partner has buffer: ` +
    'less than one RTT granted, or some lost',
  'no-agreement': 'its link partner has not agreed over LLDP to the flow control of the priority',
  deadlock:
    `it is part of a deadlock: it waits for ${EXCHANGE} that only its own frames ` + 'would free',
  mechanism: 'paused while no ingress buffer of its link partner was at XOFF',
};

/** The congestion trees of a run as text, worst first. */
export function whyText(why: WhySummary, style: Style, all: boolean): string {
  const { trees } = why;
  const shown = all ? trees : trees.slice(0, TREES_SHOWN);
  const rest = trees.length - shown.length;
  const parts = [
    headline(why, style),
    ...why.deadlocks.map((deadlock) => deadlockText(deadlock, style)),
    stormText(why.storms),
    reclaimText(why.reclaims),
    blockedLinksText(why.blocked),
    ...shown.map((tree, i) => treeText(tree, i + 1, style)),
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

function treeText(tree: CongestionTree, rank: number, style: Style): string {
  const { root, clearedPs, frameTimePs, ports, devices, depth, victims, branches } = tree;
  const until = clearedPs === null ? 'not cleared' : `cleared at ${formatTime(clearedPs)}`;
  const reach = `${counted(ports, 'port')} of ${counted(devices, 'device')}`;
  const deep = `${counted(depth, 'link')} deep`;
  const lost = `${formatTime(frameTimePs)} of aggregate blocked time (summed over frames)`;
  return [
    `${rank}. ${style.strong(placeOf(root))}: ${ROOT_REASONS[root.reason ?? 'mechanism']}`,
    `   from ${formatTime(root.startPs)}, ${until}; ${reach}, ${deep}; ${lost}`,
    `   ${victimText(victims)}`,
    ...branchLines(branches, 1),
  ].join('\n');
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
  const did = kind === 'blocked' ? blockedText(mechanism) : 'buffer full';
  const lost = kind === 'blocked' ? `, ${formatTime(frameTimePs)} summed over its frames` : '';
  return `${placeOf(branch)} ${did}, ${formatCount(times)}x, ${formatTime(totalPs)} in all${lost}`;
}

function placeOf({ port, priority }: Pick<Episode, 'port' | 'priority'>): string {
  return priority === null ? port : `${port} priority ${priority}`;
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
