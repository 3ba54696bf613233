/**
 * Whether maps of ports agree: with each other, and with those of the next hop. PFC of a priority
 * is sent by a group at one end of a link, and stops a queue at the other; what is charged to the
 * group has to be in that queue.
 */

import type { SonicPort } from './configuration.js';

/** Of a lossless group at a port. */
export function mapProblems(port: SonicPort, group: number): string[] {
  const { groupOfClass, queueOfClass, queueOfPfc } = port;
  const classes = numbersWith(groupOfClass, group);
  const sent = sentBy(port, group);
  const problems: string[] = [];
  if (port.pfc.includes(group) && !classes.includes(group)) {
    problems.push(`traffic class ${group} is charged to group ${groupOfClass[group]!}`);
  }
  if (sent.length === 0) problems.push('no priority of PFC is of this group (pfc_to_pg_map)');
  for (const priority of sent) {
    const paused = queueOfPfc[priority]!;
    for (const tc of classes) {
      const queue = queueOfClass[tc]!;
      if (queue === paused) continue;
      const of = tc === priority ? 'its frames' : `frames of class ${tc}`;
      problems.push(
        `PFC of priority ${priority} pauses queue ${paused}, and ${of} are in ${queue}`,
      );
    }
  }
  return problems;
}

/** What `far` sends to `port` by a link: both are ends of it. */
export function linkProblems(
  port: SonicPort,
  far: { readonly port: SonicPort; readonly name: string },
): string[] {
  const [here, there] = [port.classOfDscp, far.port.classOfDscp];
  if (here === null || there === null) return [];
  const lossy: number[] = [];
  const unstopped = new Map<string, number[]>();
  here.forEach((tc, dscp) => {
    const group = port.groupOfClass[tc]!;
    const farTc = there[dscp]!;
    const isHere = isLossless(port, group);
    if (isHere !== isLossless(far.port, far.port.groupOfClass[farTc]!)) {
      if (!isHere) lossy.push(dscp);
      return;
    }
    if (!isHere) return;
    const queue = far.port.queueOfClass[farTc]!;
    for (const priority of sentBy(port, group)) {
      const paused = far.port.queueOfPfc[priority]!;
      if (paused === queue) continue;
      const key =
        `group ${group} sends PFC of priority ${priority}, which pauses queue ${paused} of ` +
        `${far.name}, and its frames are in ${queue}`;
      unstopped.set(key, [...(unstopped.get(key) ?? []), dscp]);
    }
  });
  const says = (dscps: readonly number[]): string => `${port.name}: DSCP ${dscps.join(', ')}`;
  return [
    ...(lossy.length > 0 ? [`${says(lossy)}: lossless at ${far.name}, and lossy here`] : []),
    ...[...unstopped].map(([key, dscps]) => `${says(dscps)}: ${key}`),
  ];
}

/** It pauses its link partner, and has a profile for what still comes. */
function isLossless(port: SonicPort, group: number): boolean {
  return sentBy(port, group).length > 0 && port.groups.has(group) && port.cable !== '0m';
}

/** Priorities of PFC that a group sends. */
function sentBy({ pfc, groupOfPfc }: SonicPort, group: number): number[] {
  return pfc.filter((priority) => groupOfPfc[priority] === group);
}

function numbersWith(map: readonly number[], value: number): number[] {
  return map.flatMap((own, i) => (own === value ? [i] : []));
}
