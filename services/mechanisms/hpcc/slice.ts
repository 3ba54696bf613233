import type { RateControlSlice } from '../rate-control-slice.js';
import { checkMinRate } from '../rate-control-slice.js';
import { Hpcc } from './mechanism.js';
import type { HpccSettings } from './settings.js';
import { hpccSettings } from './settings.js';

export const hpcc: RateControlSlice<HpccSettings> = {
  kind: 'hpcc',
  title: 'HPCC',
  settings: hpccSettings,
  help: 'HPCC of the loads that have congestion: hpcc.',
  feedback: 'telemetry',
  alsoCalled: ['int', 'in band telemetry'],
  topic:
    'Switches write into every packet what its link carries; the receiver sends that back, and ' +
    'the sender keeps the busiest link at 95 %. `congestion: hpcc` in a load with reliable ' +
    'transport.',
  check: ({ minRate }, places) => {
    checkMinRate('hpcc', minRate, places);
  },
  plan: (settings, { packetOctets }) => ({ kind: 'hpcc', ...settings, packetOctets }),
  create: (tables, host) => new Hpcc(tables, host),
};
