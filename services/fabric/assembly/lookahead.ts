import type { PortSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { FRAME_OCTETS_MIN, PREAMBLE_OCTETS } from '../../engine/units/octets.js';
import type { LinkEnd } from './link-ends.js';

/**
 * Least virtual time between anything a device does and its earliest effect on a neighbour. A frame
 * is handed over when it starts; it acts when 64 octets of it have come and passed the receiver's
 * pipeline, a control frame when its last octet has come and the response delay is over.
 */
export function lookaheadOf(
  specs: readonly DeviceSpec[],
  linkEnds: readonly (readonly LinkEnd[])[],
): number {
  let leastPs = Infinity;
  for (const end of linkEnds.flat()) {
    const receiver = specs[end.peerDevice]!;
    const ingressPs = receiver.kind === 'switch' ? receiver.pipelinePs : 0;
    const responsePs = responseDelayOf(receiver.ports[end.peerPort]!);
    const shortestPs = (PREAMBLE_OCTETS + FRAME_OCTETS_MIN) * end.octetPs + end.latencyPs;
    leastPs = Math.min(leastPs, shortestPs + Math.min(ingressPs, responsePs));
  }
  return leastPs;
}

/** Infinity where no control frames come. */
function responseDelayOf({ pfc, pause }: PortSpec): number {
  return (pfc ?? pause)?.responseDelayPs ?? Infinity;
}
