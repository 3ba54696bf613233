import type { RunPage } from '../report/page/page-data.js';
import { isPause } from '../report/blocked-text.js';

/** What keeps ports of these runs from sending: that they are paused, or what is no pause. */
export function blockedWord(runs: readonly Pick<RunPage, 'priorities'>[]): string {
  const mechanisms = runs.flatMap(({ priorities }) =>
    priorities.map(({ flowControl }) => flowControl).filter((name) => name !== NO_FLOW_CONTROL),
  );
  if (mechanisms.every(isPause)) return 'paused';
  return mechanisms.some(isPause) ? 'paused or blocked' : 'blocked';
}

const NO_FLOW_CONTROL = 'none';
