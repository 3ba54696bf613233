import type { StoredRun } from '../../report/run-directory.js';
import { skippingWhyText } from '../../report/skipping-text.js';
import type { ObserverPlan } from '../../runtime/observers.js';
import { observersOf } from '../../runtime/observers.js';
import { Session } from '../../runtime/session.js';
import { exclusionOf } from '../../runtime/skipping/exclusion.js';
import type { SkipPace } from '../../runtime/skipping/skipper.js';
import { EXIT } from '../exit.js';
import { sameScenario } from './resume.js';

/** Wall-clock time of a slice. */
const SLICE_MS = 1000;
/** So few frame-hops can be looked at whatever that costs. */
const SHORT_RUN = 1e6;
const UNRECORDED: ObserverPlan = {
  episodes: false,
  traces: null,
  captures: null,
  events: false,
  wire: false,
};

/**
 * Repeats a run and looks for states that come back from its beginning; where a record excludes
 * skipping, without records.
 */
export function whySkipping(run: string, stored: StoredRun, isJson: boolean): number {
  const { fabric } = sameScenario(run, stored);
  const own = observersOf(fabric);
  const excluded = exclusionOf(own, false, fabric);
  const plan = excluded === null ? own : UNRECORDED;
  const repeat = (skips: SkipPace): Session => {
    const session = new Session(fabric, { check: false, skips }, plan);
    const { state } = stored;
    if (state !== null) session.runTo(state.boundPs);
    else while (session.advance(SLICE_MS) === 'running');
    return session;
  };
  let session = repeat('soon');
  const found = session.skipping()!;
  const { frameHops, virtualPs } = session.progress();
  const isBare = found.jumps === 0 && found.nearest === null;
  if (isBare && frameHops < SHORT_RUN) session = repeat('eagerly');
  const skipping = session.skipping()!;
  const told = { ...skipping, excluded: excluded ?? skipping.excluded };
  const text = isJson
    ? JSON.stringify({ ...told, share: told.skippedPs / virtualPs }, null, 2)
    : skippingWhyText(told, virtualPs);
  process.stdout.write(`${text}\n`);
  return EXIT.COMPLETE;
}
