import type { PortSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { FRAME_OCTETS_MIN, PREAMBLE_OCTETS } from '../../engine/units/ethernet.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';
import type { Hop } from './clusters.js';
import type { LinkEnd } from './link-ends.js';

/** Links by their ends: one for each direction. */
export function hopsOf(specs: readonly DeviceSpec[], ends: readonly LinkEnd[]): Hop[] {
  return ends.map((end) => {
    const { device: from, peerDevice: to } = end;
    return { from, to, lookaheadPs: linkLookaheadPs(specs, end) };
  });
}

/** The least lookahead of all links. */
export function lookaheadOf(hops: readonly Hop[]): number {
  return hops.reduce((least, { lookaheadPs }) => Math.min(least, lookaheadPs), Infinity);
}

/**
 * Least virtual time between an event of a device and its earliest effect on the link partner at
 * this end. A frame is handed over when it starts; it takes effect when 64 octets of it have
 * arrived and passed the receiver's pipeline, a control frame when its last octet has arrived and
 * the response delay is over, an ordered set when its last octet has arrived.
 */
export function linkLookaheadPs(specs: readonly DeviceSpec[], end: LinkEnd): number {
  const receiver = specs[end.peerDevice]!;
  const ingressPs = receiver.kind === 'switch' ? receiver.pipelinePs : 0;
  const responsePs = responseDelayOf(receiver.ports[end.peerPort]!);
  const shortestPs = (PREAMBLE_OCTETS + FRAME_OCTETS_MIN) * end.octetPs + end.latencyPs;
  const ofFramesPs = shortestPs + Math.min(ingressPs, responsePs);
  if (receiver.ports[end.peerPort]!.orderedSets !== true) return ofFramesPs;
  const ofSetsPs = ORDERED_SET_OCTETS * end.octetPs + end.latencyPs;
  return Math.min(ofFramesPs, ofSetsPs);
}

/** Infinity where control frames pass the pipeline, as at ports that receive no pauses. */
function responseDelayOf(port: PortSpec): number {
  return port.pausing?.responseDelayPs ?? Infinity;
}
