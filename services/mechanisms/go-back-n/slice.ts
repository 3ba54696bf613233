import type { TransportSlice } from '../transport-slice.js';
import type { ConnectionSettings } from '../transport-settings.js';
import { GoBackN } from './mechanism.js';
import { goBackNSettings } from './settings.js';
import { GO_BACK_N, type GoBackNSpec } from './spec.js';

export const goBackN: TransportSlice<ConnectionSettings> = {
  kind: GO_BACK_N,
  name: 'reliable',
  title: 'go-back-N',
  isUsual: true,
  order: 'ordered',
  settings: goBackNSettings,
  complete: (written) => written,
  help: 'RoCE-like transport with settings.',
  topic:
    'RoCE-like transport (RoCEv2): messages are cut into packets, numbered, ' +
    'acknowledged; the receiver answers a gap with a NAK, and the sender retransmits ' +
    'everything from there on (go-back-N); without an answer it retransmits after a ' +
    'timeout. `transport: reliable`.',
  autoWindow: () => Infinity,
  plan: ({ ackEvery }): GoBackNSpec => ({ kind: GO_BACK_N, ackEvery }),
  create: (tables, ends) => new GoBackN(tables, ends),
};
