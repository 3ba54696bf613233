import type { TreesView } from '../report/page/page-data.js';
import type { LiveAnswer, LiveOrder, LiveRequest } from '../report/page/live-data.js';

/** A run that goes on, as far as somebody who looks at it can do something to it. */
export interface LiveRun {
  order(order: LiveOrder): Promise<LiveAnswer>;
  request(request: LiveRequest): Promise<LiveAnswer>;
  /** What holds it back by now; null where nobody writes that down. */
  trees(): Promise<TreesView | null>;
  /** Somebody began to look, or nobody looks any more: then nothing is measured for it. */
  watched(isWatched: boolean): void;
}
