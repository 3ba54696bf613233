import type { BalancingSlice } from '../balancing-slice.js';
import { Adaptive } from './balancing.js';
import { adaptiveSettings } from './settings.js';

export const adaptive: BalancingSlice = {
  name: 'adaptive',
  reorders: true,
  variant: 'ar',
  settings: adaptiveSettings,
  help: 'Adaptive routing: each frame takes the equal port with the least before it.',
  alsoCalled: [
    'adaptive routing',
    'drill',
    'power of two',
    'power of two choices',
    'per packet quality',
  ],
  topic:
    'Adaptive routing: a switch sends each frame by the equal route whose queue empties first, ' +
    'or that is not paused; it reorders frames. `switches: { ecmp: adaptive }`; `{ adaptive: { ' +
    'candidates: 2 } }` compares two that are drawn (power of two choices), with `remember: ' +
    'true` as DRILL does.',
  create: (place) => new Adaptive(place),
};
