import type { DeviceWaits } from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Congestion, Episode, Storm } from './congestion.js';
import { findDeadlocks } from './find-deadlocks.js';
import { EpisodeJoin } from './join-episodes.js';

/** What the records of all devices say together; `nowPs`: how far the run has come. */
export function congestionOf(
  fabric: Fabric,
  waits: readonly DeviceWaits[],
  nowPs: number,
): Congestion {
  const episodes = new EpisodeJoin(fabric, waits).episodes();
  return {
    episodes,
    deadlocks: findDeadlocks(fabric, waits),
    storms: stormsOf(episodes, fabric.scenario.observe.stormPs, nowPs),
    omitted: waits.reduce((sum, { omitted }) => sum + omitted, 0),
  };
}

function stormsOf(episodes: readonly Episode[], stormPs: number, nowPs: number): Storm[] {
  return episodes
    .filter(({ kind, startPs, endPs }) => kind === 'held' && (endPs ?? nowPs) - startPs >= stormPs)
    .map(({ port, priority, startPs, endPs }) => {
      return { port, priority, startPs, noticedPs: startPs + stormPs, endPs };
    });
}
