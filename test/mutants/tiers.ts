import type { PartitionOptions } from '../../services/runtime/embedded/whole-partition.js';

type SessionOptions = Pick<PartitionOptions, 'check' | 'deep'>;

/** How a user runs a scenario, from what looks for the fewest defects to what looks for the most. */
export interface RunTier {
  readonly name: string;
  /** Of a session. */
  readonly options: SessionOptions;
  /** With what `selvage run` records unless it is told otherwise. */
  readonly observes: boolean;
  /** Times a plain run that a run takes. */
  readonly cost: number;
}

/** Its runs record all that has a fingerprint. */
export const RECORDED_TIER: RunTier = {
  name: '--check',
  options: { check: true },
  observes: false,
  cost: 3,
};

/** In their order: the first that notices a defect is where it counts. */
export const RUN_TIERS: readonly RunTier[] = [
  { name: 'plain', options: { check: false }, observes: true, cost: 1 },
  RECORDED_TIER,
  {
    name: '--check=deep',
    options: { check: true, deep: true },
    observes: false,
    cost: 6,
  },
];

/** Of the runs with `--check`: what they left has another fingerprint than before, or resumed. */
export const GOLDEN_TIER = 'golden';
export const TEST_TIER = 'tests';

export const TIER_NAMES = [...RUN_TIERS.map(({ name }) => name), GOLDEN_TIER, TEST_TIER] as const;
