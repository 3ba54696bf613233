import type { RateControlSlice } from '../rate-control-slice.js';
import { checkMinRate } from '../rate-control-slice.js';
import { Timely } from './mechanism.js';
import type { TimelySettings } from './settings.js';
import { timelySettings } from './settings.js';

export const timely: RateControlSlice<TimelySettings> = {
  kind: 'timely',
  title: 'TIMELY',
  settings: timelySettings,
  help: 'TIMELY of the loads that have congestion: timely.',
  feedback: 'acknowledgements',
  topic:
    'A sender times its packets: growing round trips mean a growing queue, and it cuts its ' +
    'rate in proportion. `congestion: timely` in a load with reliable transport.',
  check: ({ low, high, minRate }, places) => {
    checkMinRate('timely', minRate, places);
    if (low < high) return;
    const at = places.has(['timely', 'high']) ? 'high' : 'low';
    throw places.errorAt(['timely', at], 'high is not above low');
  },
  plan: (settings) => ({ kind: 'timely', ...settings }),
  create: (tables, host) => new Timely(tables, host),
};
