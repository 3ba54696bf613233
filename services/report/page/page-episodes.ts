import type { Episode } from '../../telemetry/congestion/congestion.js';
import { rootText } from '../why-text.js';
import type { EpisodesView, EpisodeView } from './page-flow-data.js';

/** Episodes of a page: those that frames name, then the longest. */
const EPISODES_SHOWN = 6000;

interface PlacedEpisodes {
  readonly view: EpisodesView;
  /** By id; what is not shown has no place. */
  readonly placeOf: ReadonlyMap<string, number>;
}

/** Every episode that is shown comes with all that caused it. */
export function episodesView(
  episodes: readonly Episode[],
  named: ReadonlySet<string>,
  { nowPs, faults }: { readonly nowPs: number; readonly faults: ReadonlyMap<string, string> },
): PlacedEpisodes {
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const shown = new Set<Episode>();
  const show = (episode: Episode | undefined): void => {
    for (let one = episode; one !== undefined && !shown.has(one); one = causeOf(one, byId)) {
      shown.add(one);
    }
  };
  const length = ({ startPs, endPs }: Episode): number => (endPs ?? nowPs) - startPs;
  for (const id of named) show(byId.get(id));
  for (const episode of [...episodes].sort((a, b) => length(b) - length(a))) {
    if (shown.size >= EPISODES_SHOWN) break;
    show(episode);
  }
  const order = episodes.filter((episode) => shown.has(episode));
  const placeOf = new Map(order.map(({ id }, place) => [id, place]));
  const rows = order.map((episode): EpisodeView => {
    const { kind, port, priority, mechanism, startPs, endPs, parent } = episode;
    return {
      ...{ kind, port, priority, mechanism, startPs, endPs },
      parent: parent === null ? null : (placeOf.get(parent) ?? null),
      reason: parent === null ? rootText(episode, faults) : '',
      frameTimePs: episode.frameTimePs,
    };
  });
  return { view: { total: episodes.length, rows }, placeOf };
}

function causeOf({ parent }: Episode, byId: ReadonlyMap<string, Episode>): Episode | undefined {
  return parent === null ? undefined : byId.get(parent);
}
