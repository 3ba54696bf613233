/** Switches with a memory of their own in place of a shared buffer. */

import type { ArbiterSpec } from '../../engine/contract/arbiter.js';
import type { PausingSpec } from '../../engine/contract/spec.js';
import type { LinkEnd } from './link-ends.js';

/** Of a flow-controlled port: its slots behind Xoff, and the need by the delays. */
export interface SlotMargin {
  readonly device: number;
  readonly port: number;
  readonly xoffSlots: number;
  readonly headroomSlots: number;
  readonly neededSlots: number;
}

/** What their plan says of ports. */
export interface OwnMemoryPlan {
  isChip(device: number): boolean;
  /** Of a port; null where it has the arbiter of its device. */
  arbiter(end: LinkEnd): ArbiterSpec | null;
  /** 802.3x at either end of a link where a port of such a switch alone has it; null elsewhere. */
  pausing(end: LinkEnd): PausingSpec | null;
}
