import type { MechanismSlice } from '../mechanism-slice.js';
import { pfcCards } from './card.js';
import { pfcConformance } from './conformance.js';
import { checkPause, checkPfc } from './check.js';
import { pauseFrames, pfcFrames } from './frames.js';
import { PfcMechanism } from './mechanism.js';
import { PauseMechanism } from './pause-mechanism.js';
import { PausePlan, PfcPlan } from './plan.js';
import type { PfcTypes } from './results.js';
import { pfcResults } from './results.js';

/** 802.3x: all priorities of a port. */
export const pause: MechanismSlice = {
  name: 'pause',
  blocks: 'paused',
  waits: { on: 'buffer' },
  slot: 0,
  create: (tools) => new PauseMechanism(tools),
  pausing: { ...pauseFrames, check: checkPause },
  topic:
    '802.3x (802.3 Annex 31B): a port pauses its link partner, all priorities alike, for a ' +
    'time in quanta of 512 bit times. All priorities of a port share one ingress buffer. ' +
    '`pause: true` turns it on at every port.',
  plan: (context) => new PausePlan(context),
  results: { collect: () => ({}), published: {} },
};

/** 802.1Qbb: priority by priority. */
export const pfc: MechanismSlice<PfcTypes> = {
  name: 'pfc',
  blocks: 'paused',
  waits: { on: 'buffer' },
  slot: 1,
  create: (tools) => new PfcMechanism(tools),
  flowControl: { fallback: () => 'refuse' },
  pausing: { ...pfcFrames, check: checkPfc },
  topic:
    'Priority-based flow control (802.1Q clause 36, once 802.1Qbb): a port pauses single ' +
    'priorities of its link partner for a time. It sends XOFF when the ingress buffer of the ' +
    'priority reaches its threshold, repeats it before it expires, and sends XON xonGap below ' +
    'that. From 10 Gb/s. ' +
    '`priorities: { 3: pfc }`.',
  plan: (context) => new PfcPlan(context),
  conformance: pfcConformance,
  results: pfcResults,
  cards: pfcCards,
};
