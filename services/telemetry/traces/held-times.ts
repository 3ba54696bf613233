import type { Episode } from '../congestion/congestion.js';

/** A stretch of time at a port, and the episode that filled it; null: nothing held anything. */
export interface Stretch {
  readonly startPs: number;
  readonly endPs: number;
  readonly episode: Episode | null;
}

/** When ports were held, and by what. */
export class HeldTimes {
  private readonly byPort = new Map<string, Episode[]>();

  constructor(episodes: readonly Episode[]) {
    for (const episode of episodes) {
      if (episode.kind !== 'held') continue;
      const own = this.byPort.get(episode.port);
      if (own === undefined) this.byPort.set(episode.port, [episode]);
      else own.push(episode);
    }
  }

  /** Cuts a time at a port where a priority began and ceased to be held; nothing is lost. */
  split(port: string, priority: number, startPs: number, endPs: number): Stretch[] {
    const stretches: Stretch[] = [];
    let at = startPs;
    const until = (timePs: number, episode: Episode | null): void => {
      if (timePs <= at) return;
      stretches.push({ startPs: at, endPs: timePs, episode });
      at = timePs;
    };
    for (const episode of this.byPort.get(port) ?? []) {
      if (episode.startPs >= endPs) break;
      const isOver = (episode.endPs ?? Infinity) <= at;
      if (isOver || (episode.priority !== null && episode.priority !== priority)) continue;
      until(episode.startPs, null);
      until(Math.min(episode.endPs ?? Infinity, endPs), episode);
    }
    until(endPs, null);
    return stretches;
  }
}
