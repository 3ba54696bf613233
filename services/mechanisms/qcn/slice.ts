import { QCN_REACTION_DEFAULTS, QCN_SCALE_BPS } from '../../engine/congestion/qcn/qcn-managed.js';
import { QcnReaction } from '../../engine/congestion/qcn/qcn-mechanism.js';
import type { QcnReactionSpec } from '../../engine/contract/spec.js';
import type { RateControlSlice } from '../rate-control-slice.js';
import { checkMinRate } from '../rate-control-slice.js';
import type { QcnSettings } from './settings.js';
import { qcnSettings } from './settings.js';

/** Its congestion points are in switches (`engine/congestion/qcn`). */
export const qcn: RateControlSlice<QcnSettings> = {
  kind: 'qcn',
  title: 'QCN',
  settings: qcnSettings,
  help: 'QCN (802.1Q 30 to 33) on its priorities, for the loads that have congestion: qcn.',
  feedback: 'queues',
  topic:
    '802.1Qau: a queue is sampled every so many octets; by its length and growth the source ' +
    'of the sampled frame receives a CNM and lowers its rate. `congestion: qcn` in a load, ' +
    '`qcn: { priorities: [3] }`, and flow control on that priority, or `none` written out.',
  check: ({ minRate }, places) => {
    if (minRate !== 'auto') checkMinRate('qcn', minRate, places);
  },
  plan: (settings, { lineBps }) => reactionSpec(settings, lineBps),
  create: (tables, host) => new QcnReaction(tables, host),
};

/** Sizes and rates of the standard suit 10 Gb/s. */
function reactionSpec(settings: QcnSettings, lineBps: number): QcnReactionSpec {
  const scale = lineBps / QCN_SCALE_BPS;
  const orScaled = (value: number | 'auto', standard: number): number =>
    value === 'auto' ? standard * scale : value;
  const { byteReset, activeBps, hyperBps, minBps } = QCN_REACTION_DEFAULTS;
  return {
    kind: 'qcn',
    timeResetPs: settings.timeReset,
    threshold: settings.threshold,
    gain: settings.gain,
    minDecreaseFactor: settings.minDecrease,
    byteReset: orScaled(settings.byteReset, byteReset),
    activeBps: orScaled(settings.activeRate, activeBps),
    hyperBps: orScaled(settings.hyperRate, hyperBps),
    minBps: orScaled(settings.minRate, minBps),
  };
}
