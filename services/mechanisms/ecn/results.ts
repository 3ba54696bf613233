import type { SliceResults } from '../mechanism-slice.js';
import type { EcnPlan } from './plan.js';
import type { EcnKey } from './settings.js';

/** Types that its parts share. */
export interface EcnTypes {
  readonly settings: unknown;
  readonly key: EcnKey;
  readonly plan: EcnPlan;
  readonly results: object;
}

/** Marked frames are in the counters of ports and receivers. */
export const ecnResults: SliceResults<EcnTypes> = {
  collect: () => ({}),
  published: {},
};
