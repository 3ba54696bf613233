import type { Deadlock, Episode } from '../congestion/congestion.js';
import { faultLink } from './plan-faults.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';

/**
 * One trace per tree: its root, and below each episode those that it caused. What a pause causes
 * clears after it, so a span extends to the end of all below it; when the episode itself cleared is
 * an attribute.
 */
export function planEpisodes(
  digest: string,
  episodes: readonly Episode[],
  roots: ReadonlyMap<string, Episode>,
  nowPs: number,
): PlannedSpan[] {
  const ends = coveringEnds(episodes, nowPs);
  return episodes.map((episode) => {
    const { id, kind, parent, device, port, priority, mechanism, reason, startPs } = episode;
    const { fault } = episode;
    return {
      trace: traceIdOf(digest, roots.get(id)!.id),
      id: spanIdOf(digest, id),
      parent: parent === null ? null : spanIdOf(digest, parent),
      device,
      name: kind,
      role: 'internal',
      error: reason === 'deadlock' ? reason : null,
      startPs,
      endPs: ends.get(id)!,
      attributes: {
        'selvage.episode': id,
        'selvage.device': device,
        'selvage.port': port,
        'network.interface.name': port,
        ...(priority === null ? {} : { 'selvage.priority': priority }),
        ...(mechanism === '' ? {} : { 'selvage.mechanism': mechanism }),
        ...(reason === null ? {} : { 'selvage.reason': reason }),
        ...(fault === null ? {} : { 'selvage.fault': fault }),
        'selvage.frame_time_ps': episode.frameTimePs,
        'selvage.start_ps': startPs,
        'selvage.cleared_ps': episode.endPs ?? -1,
      },
      links: fault === null ? [] : [faultLink(digest, fault)],
    };
  });
}

/**
 * One trace per deadlock: the cycle, and below it each egress that waits in it, with a link to the
 * episode that holds it.
 */
export function planDeadlocks(
  digest: string,
  deadlocks: readonly Deadlock[],
  { episodes, roots, nowPs }: Blamed,
): PlannedSpan[] {
  return deadlocks.flatMap(({ closedPs, openedPs, ring }) => {
    const [first] = ring;
    if (first === undefined) return [];
    const name = `${first.egress}@${closedPs} deadlock`;
    const [trace, id] = [traceIdOf(digest, name), spanIdOf(digest, name)];
    const endPs = openedPs ?? nowPs;
    const time = { startPs: closedPs, endPs };
    const exact = { 'selvage.start_ps': closedPs, 'selvage.opened_ps': openedPs ?? -1 };
    const common = {
      trace,
      name: 'deadlock',
      role: 'internal',
      error: 'deadlock',
      ...time,
    } as const;
    const whole: PlannedSpan = {
      ...common,
      ...{ id, parent: null, device: first.device, links: [] },
      attributes: { 'selvage.ring': ring.map(({ egress }) => egress).join(' '), ...exact },
    };
    const steps = ring.map(({ device, ingress, egress, priority }): PlannedSpan => {
      const holds = episodes.filter(
        (episode) =>
          episode.kind === 'blocked' &&
          episode.port === egress &&
          (episode.priority ?? priority) === priority &&
          episode.startPs <= closedPs &&
          (episode.endPs ?? Infinity) > closedPs,
      );
      return {
        ...common,
        ...{ id: spanIdOf(digest, `${name} ${egress}`), parent: id, device, name: 'waits' },
        attributes: {
          'selvage.ingress': ingress,
          'selvage.egress': egress,
          'selvage.priority': priority,
          'network.interface.name': egress,
          ...exact,
        },
        links: holds.map((hold) => {
          return {
            trace: traceIdOf(digest, roots.get(hold.id)!.id),
            id: spanIdOf(digest, hold.id),
          };
        }),
      };
    });
    return [whole, ...steps];
  });
}

/** Episodes that a deadlock is made of, each with its root, up to a time. */
interface Blamed {
  readonly episodes: readonly Episode[];
  readonly roots: ReadonlyMap<string, Episode>;
  readonly nowPs: number;
}

/** Causes come before their effects, so one pass from the latest back reaches all. */
function coveringEnds(episodes: readonly Episode[], nowPs: number): Map<string, number> {
  const ends = new Map(episodes.map(({ id, endPs }) => [id, endPs ?? nowPs]));
  for (const { id, parent } of [...episodes].reverse()) {
    if (parent === null) continue;
    ends.set(parent, Math.max(ends.get(parent) ?? 0, ends.get(id)!));
  }
  return ends;
}
