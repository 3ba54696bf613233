import type { z } from 'zod';
import { choice, either, flag, integer, mapping, quantity, word } from '../../settings/parts.js';
import { aboveZero, size } from '../../settings/quantities.js';
import { balancingKeys } from '../balancing-slice.js';

export const adaptiveSettings = mapping({
  by: choice(['queue', 'pause', 'pause-queue'])
    .describe(
      'What is least. queue: the time in which the queue of the frame and the frame itself leave ' +
        'at the rate of the port; pause: ports where the priority is not held; pause-queue: the ' +
        'queue among those.',
    )
    .prefault('queue'),
  candidates: either([word('all'), integer(1, 255)], 'a number of ports', 'all, or a number')
    .describe('Ports that are compared for a frame: all, or so many drawn (2: power of two).')
    .prefault('all'),
  remember: flag()
    .describe('The port that the frame before took is compared as well (DRILL).')
    .prefault(false),
  band: quantity(aboveZero(size))
    .describe(
      'Queues are compared in steps of so much, as the fastest port of the switch sends them; ' +
        'ports of one step are equal. By exact lengths (1B), flows in step keep to a port.',
    )
    .prefault('32KB'),
  ...balancingKeys,
});

export type AdaptiveSettings = z.output<typeof adaptiveSettings>;
