import type { EpisodesView, EpisodeView } from '../../report/page/page-flow-data.js';
import { causesOf, placeText } from './episode-words.js';

/** A port and priority, with its episodes in the order of their starts. */
export interface Track {
  readonly name: string;
  readonly port: string;
  /** Steps from the root, at the least. */
  readonly depth: number;
  readonly episodes: readonly number[];
  readonly frameTimePs: number;
}

/** Tracks that have one root, the root first, then by depth. */
export interface TrackGroup {
  readonly name: string;
  readonly reason: string;
  readonly tracks: readonly Track[];
  readonly frameTimePs: number;
}

interface TrackDraft extends Track {
  depth: number;
  readonly episodes: number[];
  frameTimePs: number;
  /** The track that caused it first. */
  readonly cause: string;
}

/** Roots that blocked most come first; below each what followed from it, nested as it spread. */
export function trackGroups(view: EpisodesView): TrackGroup[] {
  const groups = new Map<
    string,
    { reason: string; isQueue: boolean; tracks: Map<string, TrackDraft> }
  >();
  view.rows.forEach((episode, place) => {
    const chain = causesOf(view, place);
    const root = view.rows[chain.at(-1)!]!;
    const rootName = placeText(root);
    let group = groups.get(rootName);
    if (group === undefined) {
      groups.set(rootName, (group = { reason: root.reason, isQueue: false, tracks: new Map() }));
    }
    // A place that was blocked for other reasons, too, is named after its queue.
    if (root.kind === 'queue' && !group.isQueue) {
      group.reason = root.reason;
      group.isQueue = true;
    }
    addTo(group.tracks, view, episode, chain);
  });
  return [...groups]
    .map(([name, { reason, tracks }]): TrackGroup => {
      const frameTimePs = [...tracks.values()].reduce((sum, track) => sum + track.frameTimePs, 0);
      return { name, reason, tracks: nested(tracks), frameTimePs };
    })
    .sort((a, b) => b.frameTimePs - a.frameTimePs || lengthOf(b) - lengthOf(a));
}

function addTo(
  tracks: Map<string, TrackDraft>,
  view: EpisodesView,
  episode: EpisodeView,
  chain: readonly number[],
): void {
  const name = placeText(episode);
  const [place, above] = chain;
  const cause = chain
    .slice(1)
    .map((one) => placeText(view.rows[one]!))
    .find((one) => one !== name);
  let track = tracks.get(name);
  if (track === undefined) {
    const { port } = episode;
    track = {
      name,
      port,
      depth: chain.length - 1,
      episodes: [],
      frameTimePs: 0,
      cause: cause ?? '',
    };
    tracks.set(name, track);
  }
  if (above === undefined) track.depth = 0;
  track.episodes.push(place!);
  track.frameTimePs += episode.frameTimePs;
}

/** Each track right below the one that caused it; its depth is how far it is indented. */
function nested(tracks: ReadonlyMap<string, TrackDraft>): Track[] {
  const order: Track[] = [];
  const left = new Set(tracks.values());
  const causedBy = new Map<string, TrackDraft[]>();
  for (const track of left) {
    const siblings = causedBy.get(track.cause);
    if (siblings === undefined) causedBy.set(track.cause, [track]);
    else siblings.push(track);
  }
  const place = (track: TrackDraft, depth: number): void => {
    if (!left.delete(track)) return;
    order.push({ ...track, depth });
    const below = causedBy.get(track.name) ?? [];
    for (const one of below.sort((a, b) => b.frameTimePs - a.frameTimePs)) place(one, depth + 1);
  };
  for (const track of [...tracks.values()].sort((a, b) => a.depth - b.depth)) place(track, 0);
  return order;
}

function lengthOf({ tracks }: TrackGroup): number {
  return tracks.reduce((sum, { episodes }) => sum + episodes.length, 0);
}

/** The episode of a track at a time, the latest to begin; null between two. */
export function episodeAt(
  { rows }: EpisodesView,
  track: Track,
  timePs: number,
  slackPs: number,
): number | null {
  let found: number | null = null;
  for (const place of track.episodes) {
    const { startPs, endPs } = rows[place]!;
    if (startPs - slackPs > timePs) break;
    if ((endPs ?? Infinity) + slackPs >= timePs) found = place;
  }
  return found;
}
