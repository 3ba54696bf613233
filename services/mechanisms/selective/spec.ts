import type { TransportSpec } from '../../engine/contract/spec.js';

export const SELECTIVE = 'selective';

export interface SelectiveSpec extends TransportSpec {
  /** One acknowledgement for so many packets in order; one out of order has its own. */
  readonly ackEvery: number;
  /** A packet is lost when one so many numbers above the next has arrived before it. */
  readonly reorderPackets: number;
}
