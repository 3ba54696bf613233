import type { Episode } from '../congestion/congestion.js';

/** A stretch of time at a port, and the episode that filled it; null: nothing held anything. */
export interface Stretch {
  readonly startPs: number;
  readonly endPs: number;
  readonly episode: Episode | null;
}

/** The holds of a port by their starts, and by place the latest end of those up to there. */
interface PortHolds {
  readonly episodes: Episode[];
  readonly latestEnds: number[];
}

/** When ports were held, and by what. */
export class HeldTimes {
  private readonly byPort = new Map<string, PortHolds>();

  constructor(episodes: readonly Episode[]) {
    for (const episode of episodes) {
      if (episode.kind !== 'held') continue;
      let own = this.byPort.get(episode.port);
      if (own === undefined) {
        own = { episodes: [], latestEnds: [] };
        this.byPort.set(episode.port, own);
      }
      const latest = own.latestEnds[own.episodes.length - 1] ?? -Infinity;
      own.latestEnds.push(Math.max(latest, endOf(episode)));
      own.episodes.push(episode);
    }
  }

  /** Cuts a time at a port where a priority began and ceased to be held; nothing is lost. */
  split(port: string, priority: number, startPs: number, endPs: number): Stretch[] {
    const stretches: Stretch[] = [];
    this.cut(port, priority, startPs, endPs, (from, to, episode) => {
      stretches.push({ startPs: from, endPs: to, episode });
    });
    return stretches;
  }

  /** The same, told one by one. */
  cut(port: string, priority: number, startPs: number, endPs: number, tell: Teller): void {
    const { episodes, latestEnds } = this.byPort.get(port) ?? NEVER;
    let at = startPs;
    for (let i = firstAbove(latestEnds, startPs); i < episodes.length; i++) {
      const episode = episodes[i]!;
      if (episode.startPs >= endPs) break;
      if (episode.priority !== null && episode.priority !== priority) continue;
      const until = Math.min(endOf(episode), endPs);
      if (until <= at) continue;
      if (episode.startPs > at) tell(at, episode.startPs, null);
      tell(Math.max(at, episode.startPs), until, episode);
      at = until;
    }
    if (endPs > at) tell(at, endPs, null);
  }
}

type Teller = (startPs: number, endPs: number, episode: Episode | null) => void;

const NEVER: PortHolds = { episodes: [], latestEnds: [] };

function endOf({ endPs }: Episode): number {
  return endPs ?? Infinity;
}

/** Of numbers in order, the place of the first that is greater. */
function firstAbove(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
