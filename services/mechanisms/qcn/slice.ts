import { CN_TAG_OCTETS } from '../../engine/wire/cn-tag.js';
import { CNM_FRAME_OCTETS } from '../../engine/wire/cnm.js';
import type { MechanismSlice } from '../mechanism-slice.js';
import { maskOf } from '../mechanism-slice.js';
import type { RateControlSlice } from '../rate-control-slice.js';
import { checkMinRate } from '../rate-control-slice.js';
import { qcnCards } from './card.js';
import { qcnConformance } from './conformance.js';
import { checkPriorities } from './check.js';
import { QcnDomain } from './domain.js';
import { cnmTemplate } from './message-template.js';
import { QCN_REACTION_DEFAULTS, QCN_SCALE_BPS } from './managed.js';
import { QcnMechanism } from './mechanism.js';
import { QcnPlan } from './plan.js';
import { QcnReaction } from './reaction.js';
import type { QcnTypes } from './results.js';
import { qcnResults } from './results.js';
import type { QcnSettings } from './settings.js';
import { qcnSettings } from './settings.js';
import type { QcnReactionSpec } from './spec.js';
import { qcnManagedObjects } from './yang.js';

/** Reaction points: the rate control of loads with `congestion: qcn`. */
export const qcn: RateControlSlice<QcnSettings> = {
  kind: 'qcn',
  title: 'QCN',
  settings: qcnSettings,
  help: 'QCN (802.1Q 30 to 33) on its priorities, for the loads that have congestion: qcn.',
  feedback: 'queues',
  alsoCalled: ['802.1qau'],
  topic:
    '802.1Qau: a queue is sampled every so many bytes; by its length and growth the source ' +
    'of the sampled frame receives a CNM and lowers its rate. `congestion: qcn` in a load, ' +
    '`qcn: { priorities: [3] }`, and flow control on that priority, or `none` written out.',
  flowTagOctets: CN_TAG_OCTETS,
  messages: ({ cnmPriority, quote }) => ({
    priority: cnmPriority,
    frameOctets: CNM_FRAME_OCTETS + quote,
  }),
  unwatched: ({ priorities }, priority) =>
    priorities.includes(priority)
      ? null
      : `qcn on priority ${priority}, which no queue watches; give qcn: ` +
        `{ priorities: [${priority}] }`,
  onPriorities: (section, priorities) => ({ ...section, priorities }),
  check: ({ minRate }, places) => {
    if (minRate !== 'auto') checkMinRate('qcn', minRate, places);
  },
  plan: (settings, { lineBps }) => reactionSpec(settings, lineBps),
  template: cnmTemplate,
  create: (tables, host) => new QcnReaction(tables, host),
};

/** Congestion points, and the defence of their domain, in switches; CNMs in hosts. */
export const qcnDomain: MechanismSlice<QcnTypes> = {
  name: 'qcn',
  slot: null,
  create: (tools) => new QcnMechanism(tools),
  checkPriorities,
  fixedClasses: ({ priorities }) => maskOf(priorities),
  tagging: (context) => new QcnDomain(context),
  managed: qcnManagedObjects,
  plan: (context) => new QcnPlan(context),
  advertise: (_at, { section }) => {
    const priorities = maskOf(section.priorities);
    return priorities === 0 ? {} : { congestionNotification: { priorities, ready: priorities } };
  },
  conformance: qcnConformance,
  results: qcnResults,
  cards: qcnCards,
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
