/** What commands print of switches as they are configured. */

import { formatCount } from '../report/format.js';
import { table } from '../report/table.js';
import type { GroupVerdict, SwitchVerdict } from './check.js';
import type { Difference, PortProbe } from './probe-ports.js';
import type { Remark } from './scenario.js';

export function verdictText(verdict: SwitchVerdict): string {
  const { switch: name, groups, problems, warnings } = verdict;
  const { deadlock } = verdict;
  const lines = [`${name}: ${summary(verdict)}${deadlock === null ? '' : ', but may deadlock'}`];
  if (deadlock !== null) lines.push(`  ${deadlock}`);
  for (const problem of problems) lines.push(`  ${problem}`);
  const rows = [...byLook(groups).values()].map(rowOf);
  if (rows.length > 0) {
    const head = ['ports', 'speed', 'cable', 'groups', 'XOFF', 'headroom', 'needs', 'margin'];
    lines.push(table([...head, 'at once', ''], rows));
  } else lines.push('  no port with a link has a lossless group');
  const said = new Set<string>();
  for (const { port, group, problems: own } of groups) {
    for (const problem of own) {
      if (said.has(problem)) continue;
      said.add(problem);
      lines.push(`  ${port} group ${group}: ${problem}`);
    }
  }
  for (const warning of warnings) lines.push(`  warning: ${warning}`);
  return lines.join('\n');
}

function summary({ verdict, groups }: SwitchVerdict): string {
  if (verdict !== 'oversubscribed') return verdict;
  const least = Math.min(...groups.map(({ groupsAtOnce }) => groupsAtOnce ?? Infinity));
  const of = groups.length;
  return `lossless while at most ${least} of its ${of} groups, of one slice, pause at once`;
}

/** Groups that differ in their port alone share a line. */
function byLook(groups: readonly GroupVerdict[]): Map<string, GroupVerdict[]> {
  const looks = new Map<string, GroupVerdict[]>();
  for (const group of groups) {
    const { port: _port, group: _group, ...rest } = group;
    const key = JSON.stringify(rest);
    looks.set(key, [...(looks.get(key) ?? []), group]);
  }
  return looks;
}

function rowOf(alike: readonly GroupVerdict[]): string[] {
  const [first] = alike as [GroupVerdict];
  const ports = [...new Set(alike.map(({ port }) => port))];
  const groups = [...new Set(alike.map(({ group }) => group))];
  const more = ports.length === 1 ? '' : ` and ${ports.length - 1} more`;
  return [
    `${ports[0]!}${more}`,
    `${first.speedMbps / 1000}G`,
    first.cable ?? '–',
    groups.join(','),
    ...[first.xoffOctets, first.headroomOctets, first.neededOctets].map(formatCount),
    `${formatCount(first.marginMetres)} m`,
    first.groupsAtOnce === null ? 'all' : formatCount(first.groupsAtOnce),
    first.isLossless ? 'lossless' : 'not lossless',
  ];
}

export function probeText(
  probes: readonly PortProbe[],
  differences: readonly Difference[],
): string {
  const orNone = (value: number | null): string => (value === null ? '–' : formatCount(value));
  const rows = probes.map(({ port, group, result }) => {
    const { pfc, drop, xon, headroom, lossyEgress } = result;
    const shared = headroomText(headroom);
    return [
      `${port}|${group}`,
      orNone(pfc),
      orNone(drop),
      orNone(xon),
      shared,
      orNone(lossyEgress),
    ];
  });
  const head = ['frames of 64 bytes', 'PFC', 'drop', 'XON', 'headroom pool', 'lossy egress'];
  const lines = [table(head, rows)];
  for (const { port, group, what, found, expected, within } of differences) {
    lines.push(
      `  ${port}|${group}: ${what} is ${orNone(found)}, and ${expected} ± ${within} expected`,
    );
  }
  return lines.join('\n');
}

/** Groups whose headroom was filled one after another, until there was no more. */
function headroomText(found: readonly number[]): string {
  // The last one found none left.
  const headroom = found.filter((frames) => frames > 0);
  const [first = 0] = headroom;
  const full = headroom.filter((frames) => frames === first).length;
  if (full === found.length) return '–';
  const rest = headroom.slice(full);
  if (rest.length === 1) return `${full} x ${first} + ${rest[0]!}`;
  return `${formatCount(headroom.reduce((sum, frames) => sum + frames))} in ${headroom.length}`;
}

export function remarksText(remarks: readonly Remark[]): string {
  return [...new Set(remarks.map(({ kind, what }) => `  ${kind}: ${what}`))].join('\n');
}
