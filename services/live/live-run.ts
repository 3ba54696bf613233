import type { TreesView } from '../report/page/page-data.js';
import type { LiveAnswer, LiveOrder, LiveRequest } from '../report/page/live-data.js';

/** A run in progress, as its viewers can control it. */
export interface LiveRun {
  order(order: LiveOrder): Promise<LiveAnswer>;
  request(request: LiveRequest): Promise<LiveAnswer>;
  /** Its congestion trees so far; null where they are not recorded. */
  trees(): Promise<TreesView | null>;
  /** A viewer has connected, or the last one has left: then nothing is sampled for it. */
  watched(isWatched: boolean): void;
}
