/** Capabilities of mechanisms, of which a device advertises those that it has. */

import type { CongestionIsolation, SourceFlowControl } from './capability-tlvs.js';
import { encodeCongestionIsolation, encodeSourceFlowControl } from './capability-tlvs.js';

/** Null: the device does not advertise it. */
export interface MechanismTlvs {
  readonly sourceFlowControl: SourceFlowControl | null;
  readonly congestionIsolation: CongestionIsolation | null;
}

export const NO_MECHANISM_TLVS: MechanismTlvs = {
  sourceFlowControl: null,
  congestionIsolation: null,
};

/** What writes each of them at a place, and returns its end. */
export function mechanismTlvEncoders({
  sourceFlowControl,
  congestionIsolation,
}: MechanismTlvs): ((octets: Uint8Array, at: number) => number)[] {
  return [
    ...(sourceFlowControl === null
      ? []
      : [
          (octets: Uint8Array, at: number) =>
            encodeSourceFlowControl(octets, at, sourceFlowControl),
        ]),
    ...(congestionIsolation === null
      ? []
      : [
          (octets: Uint8Array, at: number) =>
            encodeCongestionIsolation(octets, at, congestionIsolation),
        ]),
  ];
}
