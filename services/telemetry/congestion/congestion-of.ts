import type { DeviceWaits } from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import {
  type Congestion,
  type Deadlock,
  type Episode,
  type RootReason,
  type Storm,
} from './congestion.js';
import { findDeadlocks } from './find-deadlocks.js';
import { EpisodeJoin } from './join-episodes.js';

/** Joins the records of all devices; `nowPs`: virtual time of the run. */
export function congestionOf(
  fabric: Fabric,
  waits: readonly DeviceWaits[],
  nowPs: number,
): Congestion {
  const deadlocks = findDeadlocks(fabric, waits, nowPs);
  const join = new EpisodeJoin(fabric, waits, nowPs);
  const episodes = join
    .episodes()
    .map((episode) =>
      isLockedUp(episode, deadlocks) ? { ...episode, reason: LOCKED_UP } : episode,
    );
  return {
    episodes,
    shares: join.shares(),
    deadlocks,
    storms: stormsOf(episodes, fabric.scenario.observe.stormPs, nowPs),
    omitted: waits.reduce((sum, { omitted }) => sum + omitted, 0),
  };
}

const LOCKED_UP: RootReason = 'deadlock';

/** Of holds for which no full buffer was found. */
const MAY_LOCK: ReadonlySet<RootReason | null> = new Set([
  ...(['below-loop', 'shaped', 'on-request', 'lent', 'under-way'] as const),
]);

/**
 * A hold without an earlier cause, as its link partner filled up after it had begun, which still
 * existed when a cycle closed that it is part of.
 */
function isLockedUp(episode: Episode, deadlocks: readonly Deadlock[]): boolean {
  const { kind, reason, port, priority, endPs } = episode;
  if (kind !== 'blocked' || !MAY_LOCK.has(reason) || endPs !== null) return false;
  return deadlocks.some(
    ({ openedPs, ring }) =>
      openedPs === null && ring.some((step) => step.egress === port && step.priority === priority),
  );
}

function stormsOf(episodes: readonly Episode[], stormPs: number, nowPs: number): Storm[] {
  return episodes
    .filter(
      ({ kind, startPs, endPs }) => kind === 'blocked' && (endPs ?? nowPs) - startPs >= stormPs,
    )
    .map(({ port, priority, startPs, endPs }) => {
      return { port, priority, startPs, noticedPs: startPs + stormPs, endPs };
    });
}
