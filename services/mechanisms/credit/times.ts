/** Times after which messages of an account have been repeated. */

import { accountRows } from '../../engine/contract/grants-spec.js';
import type { CreditPortSpec } from './spec.js';

/** How long the shaper of a receiver may grant nothing to an account while it serves others. */
export function shaperGapPs(spec: CreditPortSpec | null): number {
  const shaper = spec?.granting.shaper ?? null;
  return shaper === null ? 0 : accountRows(spec) * shaper.bucketOctets * shaper.octetPs;
}

/** After so long an end has sent again all that it sends unprompted. */
export function repeatsPs(spec: CreditPortSpec | null): number {
  if (spec === null) return 0;
  const { granting, asking, keepAlivePs } = spec;
  return keepAlivePs + granting.refreshPs + asking.reportPs + asking.pollPs + granting.resyncPs;
}

/** So long an end tries to begin an epoch, and waits for a shaped link partner. */
export function retriesPs(spec: CreditPortSpec | null): number {
  return spec === null ? 0 : spec.asking.syncTries * spec.asking.syncPs + shaperGapPs(spec);
}

/** So long may credit that was granted be unknown to its sender. */
export function unknownPs(spec: CreditPortSpec | null): number {
  if (spec === null) return 0;
  return spec.granting.refreshPs + spec.asking.pollPs + shaperGapPs(spec);
}

/** Repetitions at the short interval, until an account repeats its totals once in `keepAlive`. */
const EAGER_PERIODS = 4;

/** Within so long an account recovers, where so many keep-alives in a row may be lost. */
export function recoveryPs(spec: CreditPortSpec | null, alives: number): number {
  if (spec === null) return 0;
  const { granting, asking, keepAlivePs } = spec;
  const repeats = EAGER_PERIODS * (granting.refreshPs + asking.reportPs);
  const resync = 2 * asking.syncTries * asking.syncPs;
  return repeats + resync + alives * keepAlivePs;
}
