import type { SlottedSlice } from '../slotted-slice.js';
import { mvtx2802Conformance } from './conformance.js';
import { pausingAt } from './flow-control.js';
import { Mvtx2802Plan, type Mvtx2802Types } from './plan.js';
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
export const mvtx2802: SlottedSlice<Mvtx2802Types> = {
  name: NAME,
  called: 'a four-port MVTX2802',
  conformance: mvtx2802Conformance,
  switchKeys,
  deviceKeys,
  portKeys,
  section: slotsSection,
  change: slotsChange,
  changed: changedSlots,
  portSection,
  pausingAt,
  plan: (fabric) => new Mvtx2802Plan(fabric),
  topics: TOPICS,
};
