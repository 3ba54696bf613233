import type { RateControlSlice } from '../rate-control-slice.js';
import { checkMinRate } from '../rate-control-slice.js';
import { cnpTemplate } from './message-template.js';
import { DcqcnReaction } from './mechanism.js';
import type { DcqcnSettings } from './settings.js';
import { dcqcnSettings } from './settings.js';

export const dcqcn: RateControlSlice<DcqcnSettings> = {
  kind: 'dcqcn',
  title: 'DCQCN',
  settings: dcqcnSettings,
  help: 'DCQCN of the loads that have congestion: dcqcn.',
  feedback: 'marks',
  topic:
    'The receiver of marked packets sends CNPs (at most one in 50 us) to the sender, which cuts ' +
    'the rate of the connection by half of alpha, a running share of marked time, and ' +
    'recovers by time and by bytes. `congestion: dcqcn` in a load, and `ecn` on its priority.',
  check: ({ minRate }, places) => {
    checkMinRate('dcqcn', minRate, places);
  },
  plan: (settings) => ({ kind: 'dcqcn', ...settings }),
  notifications: ({ cnpInterval, cnpPriority }) => ({
    intervalPs: cnpInterval,
    priority: cnpPriority,
  }),
  template: cnpTemplate,
  create: (tables, host) => new DcqcnReaction(tables, host),
};
