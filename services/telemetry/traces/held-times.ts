import type { Episode } from '../congestion/congestion.js';
import type { PartKind, TracePart } from './frame-trace.js';

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

  /**
   * Cuts a time at a port where a priority began and ceased to be held, and adds it to `parts`;
   * nothing is lost. `free`: what is done while nothing holds.
   */
  cut(
    parts: TracePart[],
    free: PartKind,
    port: string,
    priority: number,
    startPs: number,
    endPs: number,
  ): void {
    if (endPs <= startPs) return;
    const { episodes, latestEnds } = this.byPort.get(port) ?? NEVER;
    let at = startPs;
    for (let i = firstAbove(latestEnds, startPs); i < episodes.length; i++) {
      const episode = episodes[i]!;
      const beganPs = episode.startPs;
      if (beganPs >= endPs) break;
      if (episode.priority !== null && episode.priority !== priority) continue;
      const until = Math.min(endOf(episode), endPs);
      if (until <= at) continue;
      if (beganPs > at) {
        parts.push({ kind: free, startPs: at, endPs: beganPs, episode: null });
        at = beganPs;
      }
      parts.push({ kind: 'held', startPs: at, endPs: until, episode });
      at = until;
    }
    if (endPs > at) parts.push({ kind: free, startPs: at, endPs, episode: null });
  }
}

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
