import type { Fabric } from '../fabric/assembly/fabric.js';
import { observersOf } from '../runtime/observers.js';
import { exclusionOf } from '../runtime/skipping/exclusion.js';
import type { SkipPace } from '../runtime/skipping/skipper.js';
import type { SkippingResult } from '../runtime/skipping/skipping.js';
import { nothingSkipped } from '../runtime/skipping/skipping.js';
import { InputError } from './exit.js';

/** What else a run was asked for that may exclude skipping. */
interface Asked {
  readonly fabric: Fabric;
  readonly isChecked: boolean;
  /** In threads, or in services. */
  readonly isDivided: boolean;
}

/** Whether what repeats is skipped. */
interface Skips {
  /** Null: every event is executed. */
  readonly pace: SkipPace | null;
  /** What its user is told of a run of so many frame-hops; null: nothing. */
  told(skipped: SkippingResult | null, frameHops: number): SkippingResult | null;
}

/** Shorter runs end in seconds: that one might have ended sooner is nothing to tell. */
const LONG_RUN = 20e6;
const OFF: Skips = { pace: null, told: () => null };
const DIVIDED = 'it works in one process, without --threads and --processes';

export function skipsOf(skip: string | undefined, asked: Asked): Skips {
  if (skip === 'off') return OFF;
  const excluded = asked.isDivided
    ? DIVIDED
    : exclusionOf(observersOf(asked.fabric), asked.isChecked, asked.fabric);
  if (skip !== undefined) refuse(skip, excluded, asked.isDivided);
  const pace = skip === undefined ? 'sparingly' : 'soon';
  return {
    pace: excluded === null ? pace : null,
    told: (skipped, frameHops) => {
      const result = skipped ?? nothingSkipped(excluded);
      const isTold = skip !== undefined || result.jumps > 0 || frameHops >= LONG_RUN;
      return isTold ? result : null;
    },
  };
}

function refuse(skip: string, excluded: string | null, isDivided: boolean): void {
  if (skip.startsWith('about')) {
    throw new InputError(`--skip ${skip}: estimates are not offered; write exact or off`);
  }
  if (skip !== 'exact') {
    throw new InputError(`--skip ${skip}: not a way to skip; write exact or off`);
  }
  if (excluded === null) return;
  if (isDivided) {
    throw new InputError('--skip exact works in one process: leave out --threads and --processes');
  }
  throw new InputError(`--skip exact is excluded, as ${excluded}: leave out one of the two`);
}
