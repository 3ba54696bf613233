import type { BalancingSlice } from '../balancing-slice.js';
import { Flowlet } from './balancing.js';
import { flowletSettings } from './settings.js';

export const flowlet: BalancingSlice = {
  name: 'flowlet',
  reorders: false,
  settings: flowletSettings,
  help: 'Flowlet switching: a flow may change its port after a gap.',
  alsoCalled: ['letflow', 'flowlet switching', 'dynamic load balancing', 'dlb', 'ars'],
  topic:
    'Flowlet switching: a flow that has paused for longer than a gap may take another of the ' +
    'equal routes, by chance (LetFlow) or by queue; its frames keep their order if the gap is ' +
    'longer than the routes differ. `switches: { ecmp: { flowlet: { gap: 50us } } }`.',
  create: (place) => new Flowlet(place),
};
