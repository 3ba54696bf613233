/** Capabilities of mechanisms, of which a device advertises those that it has. */

import type { CongestionIsolation, SourceFlowControl } from './capability-tlvs.js';
import type { ChannelCredits, LinkLayer } from './link-layer-tlvs.js';
import { encodeChannelCredits, encodeLinkLayer } from './link-layer-tlvs.js';
import { encodeCongestionIsolation, encodeSourceFlowControl } from './capability-tlvs.js';

/** Null: the device does not advertise it. */
export interface MechanismTlvs {
  readonly sourceFlowControl: SourceFlowControl | null;
  readonly congestionIsolation: CongestionIsolation | null;
  readonly linkLayer: LinkLayer | null;
  readonly channelCredits: ChannelCredits | null;
}

export const NO_MECHANISM_TLVS: MechanismTlvs = {
  sourceFlowControl: null,
  congestionIsolation: null,
  linkLayer: null,
  channelCredits: null,
};

/** Functions that write each of them at an offset, and return its end. */
export function mechanismTlvEncoders({
  sourceFlowControl,
  congestionIsolation,
  linkLayer,
  channelCredits,
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
    ...(linkLayer === null
      ? []
      : [(octets: Uint8Array, at: number) => encodeLinkLayer(octets, at, linkLayer)]),
    ...(channelCredits === null
      ? []
      : [(octets: Uint8Array, at: number) => encodeChannelCredits(octets, at, channelCredits)]),
  ];
}
