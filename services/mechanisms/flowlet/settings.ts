import type { z } from 'zod';
import { choice, integer, mapping, quantity } from '../../settings/parts.js';
import { time } from '../../settings/quantities.js';
import { balancingKeys } from '../balancing-slice.js';

export const flowletSettings = mapping({
  gap: quantity(time)
    .describe('A flow that has sent nothing for longer begins a flowlet: it may change its port.')
    .prefault('100us'),
  choose: choice(['random', 'queue'])
    .describe('random: any port (LetFlow); queue: the one whose queue empties first.')
    .prefault('random'),
  flows: integer(1, 1 << 20)
    .describe('Entries of the table of flows of a switch; flows of one entry go together.')
    .prefault(512),
  ...balancingKeys,
});

export type FlowletSettings = z.output<typeof flowletSettings>;
