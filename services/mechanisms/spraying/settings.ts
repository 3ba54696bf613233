import type { z } from 'zod';
import { choice, mapping } from '../../settings/parts.js';
import { balancingKeys } from '../balancing-slice.js';

export const sprayingSettings = mapping({
  order: choice(['rounds', 'random', 'fixed'])
    .describe(
      'rounds: each port once, in an order that is drawn anew for each round; random: each frame ' +
        'takes any port; fixed: always the same round, so flows that send in step keep to a port.',
    )
    .prefault('rounds'),
  ...balancingKeys,
});

export type SprayingSettings = z.output<typeof sprayingSettings>;
