import type { TransportSpec } from '../../engine/contract/spec.js';

export const GO_BACK_N = 'go-back-n';

export interface GoBackNSpec extends TransportSpec {
  /** One acknowledgement for so many packets. */
  readonly ackEvery: number;
}
