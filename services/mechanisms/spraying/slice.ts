import type { BalancingSlice } from '../balancing-slice.js';
import { Spraying } from './balancing.js';
import { sprayingSettings } from './settings.js';

export const spraying: BalancingSlice = {
  name: 'packet',
  reorders: true,
  settings: sprayingSettings,
  help: 'Packet spraying: each frame takes another of the equal ports.',
  alsoCalled: ['packet spraying', 'spray', 'spraying'],
  topic:
    'Packet spraying: a switch sends each frame of a flow by another of the equal routes, which ' +
    'reorders frames, so the transport must accept them (`transport: selective`, or raw). ' +
    '`switches: { ecmp: packet }`; `{ packet: { order: random } }`.',
  create: (place) => new Spraying(place),
};
