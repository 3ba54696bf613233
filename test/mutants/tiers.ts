import type { PartitionOptions } from '../../services/runtime/embedded/whole-partition.js';

type SessionOptions = Pick<PartitionOptions, 'check' | 'deep'>;

/** How a user runs a scenario, from what looks for the fewest defects to what looks for the most. */
export interface RunTier {
  readonly name: string;
  /** Option of `selvage run`; null: none. A tier whose option is refused is left out. */
  readonly option: string | null;
  /** Of a session. */
  readonly options: SessionOptions;
  /** With what `selvage run` records unless it is told otherwise. */
  readonly observes: boolean;
}

/** In their order: the first that notices a defect is where it counts. */
export const RUN_TIERS: readonly RunTier[] = [
  { name: 'plain', option: null, options: { check: false }, observes: true },
  { name: '--check', option: '--check', options: { check: true }, observes: false },
  {
    name: '--check=deep',
    option: '--check=deep',
    options: { check: true, deep: true },
    observes: false,
  },
];

/** Of the runs with `--check`: what they left has another fingerprint than before. */
export const GOLDEN_TIER = 'golden';
export const TEST_TIER = 'tests';

export const TIER_NAMES = [...RUN_TIERS.map(({ name }) => name), GOLDEN_TIER, TEST_TIER] as const;
