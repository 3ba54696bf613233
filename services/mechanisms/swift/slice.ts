import type { RateControlSlice } from '../rate-control-slice.js';
import { Swift } from './mechanism.js';
import type { SwiftSettings } from './settings.js';
import { swiftSettings } from './settings.js';

export const swift: RateControlSlice<SwiftSettings> = {
  kind: 'swift',
  title: 'Swift',
  settings: swiftSettings,
  help: 'Swift of the loads that have congestion: swift.',
  feedback: 'acknowledgements',
  topic:
    'A sender keeps its round trips at a target, by a window that may be less than a packet. ' +
    '`congestion: swift` in a load with reliable transport.',
  check: (settings, places) => {
    for (const [least, most] of [
      ['flowLeast', 'flowMost'],
      ['least', 'most'],
    ] as const) {
      if (settings[least] < settings[most]) continue;
      const at = places.has(['swift', most]) ? most : least;
      throw places.errorAt(['swift', at], `${most} is not above ${least}`);
    }
  },
  plan: (settings, { packetOctets, hops }) => ({ kind: 'swift', ...settings, packetOctets, hops }),
  create: (tables, host) => new Swift(tables, host),
};
