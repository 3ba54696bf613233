import type { Congestion, Episode, RingStep } from '../congestion/congestion.js';
import { portTrack } from './port-track.js';
import type { Slice, Timeline, Track } from './timeline.js';

/** Adds episodes, deadlocks and storms, with arrows from causes; returns the slices by episode. */
export function addEpisodes(
  timeline: Timeline,
  { episodes, deadlocks, storms }: Congestion,
  nowPs: number,
): ReadonlyMap<string, Slice> {
  const { root } = timeline;
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const slices = new Map<string, Slice>();
  for (const first of episodes) {
    // A cause may begin at the time of its effect, and is added before it all the same.
    const missing: Episode[] = [];
    for (let at: Episode | undefined = first; at && !slices.has(at.id); at = causeOf(at, byId)) {
      missing.push(at);
    }
    for (const episode of missing.reverse()) {
      slices.set(episode.id, addEpisode(timeline, episode, nowPs));
      const cause = slices.get(episode.parent ?? '');
      if (cause !== undefined) timeline.arrow(cause, slices.get(episode.id)!);
    }
  }
  for (const { closedPs, openedPs, ring } of deadlocks) {
    timeline.slice(root.child('deadlocks'), {
      name: 'deadlock',
      category: 'deadlock',
      startPs: closedPs,
      endPs: openedPs ?? nowPs,
      details: { ring: ring.map(stepText).join(', '), start_ps: closedPs },
    });
  }
  for (const { port, priority, startPs, noticedPs, endPs } of storms) {
    timeline.slice(root.child('storms'), {
      name: `${port}${priorityText(priority)}`,
      category: 'storm',
      startPs: noticedPs,
      endPs: endPs ?? nowPs,
      details: { paused_since_ps: startPs },
    });
  }
  return slices;
}

function causeOf({ parent }: Episode, byId: ReadonlyMap<string, Episode>): Episode | undefined {
  return byId.get(parent ?? '');
}

function addEpisode(timeline: Timeline, episode: Episode, nowPs: number): Slice {
  const { id, kind, priority, mechanism, reason, startPs, endPs, frameTimePs } = episode;
  return timeline.slice(episodeTrack(timeline.root, episode), {
    name: kind === 'queue' ? 'congestion root' : `${kind} by ${mechanism}`,
    category: kind,
    startPs,
    endPs: endPs ?? nowPs,
    details: {
      episode: id,
      start_ps: startPs,
      cleared_ps: endPs ?? -1,
      ...(priority === null ? {} : { priority }),
      ...(reason === null ? {} : { reason }),
      ...(frameTimePs === 0 ? {} : { blocked_time_ps: frameTimePs }),
    },
  });
}

/** By kind, as in episodes.csv. */
const TRACKS: Readonly<Record<Episode['kind'], string>> = {
  queue: 'congested queue',
  full: 'full ingress buffer',
  blocked: 'paused or blocked',
};

function episodeTrack(root: Track, { kind, port, priority }: Episode): Track {
  const name = TRACKS[kind];
  return portTrack(root, port).child(priority === null ? name : `p${priority} ${name}`);
}

function stepText({ device, ingress, egress, priority }: RingStep): string {
  return `${device} (${ingress} waits for ${egress} p${priority})`;
}

function priorityText(priority: number | null): string {
  return priority === null ? '' : ` p${priority}`;
}
