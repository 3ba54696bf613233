import type { PortSpec } from '../../engine/contract/spec.js';
import { stopSpecOf } from '../../engine/contract/stop-spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { FRAME_OCTETS_MIN, PREAMBLE_OCTETS } from '../../engine/units/ethernet.js';
import type { LinkEnd } from './link-ends.js';

/** The least lookahead of all links. */
export function lookaheadOf(
  specs: readonly DeviceSpec[],
  linkEnds: readonly (readonly LinkEnd[])[],
): number {
  return linkEnds
    .flat()
    .reduce((least, end) => Math.min(least, linkLookaheadPs(specs, end)), Infinity);
}

/**
 * Least virtual time between anything a device does and its earliest effect on the neighbour at
 * this end's other side. A frame is handed over when it starts; it acts when 64 octets of it have
 * come and passed the receiver's pipeline, a control frame when its last octet has come and the
 * response delay is over.
 */
export function linkLookaheadPs(specs: readonly DeviceSpec[], end: LinkEnd): number {
  const receiver = specs[end.peerDevice]!;
  const ingressPs = receiver.kind === 'switch' ? receiver.pipelinePs : 0;
  const responsePs = responseDelayOf(receiver.ports[end.peerPort]!);
  const shortestPs = (PREAMBLE_OCTETS + FRAME_OCTETS_MIN) * end.octetPs + end.latencyPs;
  return shortestPs + Math.min(ingressPs, responsePs);
}

/** Infinity where control frames pass the pipeline, as at ports that receive no pauses. */
function responseDelayOf(port: PortSpec): number {
  return stopSpecOf(port)?.responseDelayPs ?? Infinity;
}
