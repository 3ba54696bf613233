import type { Episode } from '../congestion/congestion.js';
import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';

/**
 * One trace per tree: its root, and below each episode those that it caused. What a stop causes
 * clears after it, so a span reaches to the end of all below it; when the episode itself cleared
 * rides as an attribute.
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
    return {
      trace: traceIdOf(digest, roots.get(id)!.id),
      id: spanIdOf(digest, id),
      parent: parent === null ? null : spanIdOf(digest, parent),
      name: kind,
      startPs,
      endPs: ends.get(id)!,
      attributes: {
        'selvage.episode': id,
        'selvage.device': device,
        'selvage.port': port,
        ...(priority === null ? {} : { 'selvage.priority': priority }),
        ...(mechanism === '' ? {} : { 'selvage.mechanism': mechanism }),
        ...(reason === null ? {} : { 'selvage.reason': reason }),
        'selvage.frame_time_ps': episode.frameTimePs,
        'selvage.start_ps': startPs,
        'selvage.cleared_ps': episode.endPs ?? -1,
      },
      links: [],
    };
  });
}

/** Causes come before what they cause, so one walk from the latest back reaches all. */
function coveringEnds(episodes: readonly Episode[], nowPs: number): Map<string, number> {
  const ends = new Map(episodes.map(({ id, endPs }) => [id, endPs ?? nowPs]));
  for (const { id, parent } of [...episodes].reverse()) {
    if (parent === null) continue;
    ends.set(parent, Math.max(ends.get(parent) ?? 0, ends.get(id)!));
  }
  return ends;
}
