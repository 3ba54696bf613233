import type { SlottedFabric } from './context.js';
import { Mvtx2802Plan } from './plan.js';
import {
  changedSlots,
  deviceKeys,
  NAME,
  portKeys,
  portSection,
  slotsChange,
  slotsSection,
  switchKeys,
  TOPICS,
} from './settings.js';

/** A switch with slots in place of a shared buffer: from its keys to what its actor is given. */
export const mvtx2802 = {
  /** A value of `model`, and the key of its registers. */
  name: NAME,
  /** As help calls one. */
  called: 'a four-port MVTX2802',
  switchKeys,
  deviceKeys,
  portKeys,
  section: slotsSection,
  change: slotsChange,
  changed: changedSlots,
  portSection,
  plan: (fabric: SlottedFabric) => new Mvtx2802Plan(fabric),
  topics: TOPICS,
};
