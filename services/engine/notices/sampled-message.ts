import type { Priority } from '../units/indices.js';

/** As a target: the link partner. */
export const LINK_PARTNER = -1;

/** The frame around a congestion message, as its device sends it. */
export interface SampledMessage {
  readonly priority: Priority;
  /** Position of its destination station, or LINK_PARTNER. */
  readonly target: number;
  readonly hash: number;
  readonly vlan: number;
  /** When the congestion was detected. */
  readonly bornPs: number;
}
