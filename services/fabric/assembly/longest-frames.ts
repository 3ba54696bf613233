import { FRAME_OCTETS_MIN } from '../../engine/units/octets.js';
import { VLAN_TAG_OCTETS } from '../../engine/wire/ethernet.js';
import type { Flow } from '../load/flow.js';
import { ACK_OCTETS, framingOf, tagOctets } from './framing.js';

const PRIORITIES = 8;

/**
 * By priority: the longest frame that the flows put on any wire, tags included. Bridges with tagged
 * ports put a tag on what came without.
 */
export function longestFrames(flows: readonly Flow[], bridgesTag: boolean): number[] {
  const longest = new Array<number>(PRIORITIES).fill(FRAME_OCTETS_MIN);
  for (const flow of flows) {
    const { priority, transport, vlan } = flow;
    const tags = tagOctets(vlan) + (bridgesTag && vlan.inner === null ? VLAN_TAG_OCTETS : 0);
    longest[priority] = Math.max(longest[priority]!, framingOf(flow).fullFrameOctets + tags);
    if (transport.kind === 'raw') continue;
    const { ackPriority } = transport;
    longest[ackPriority] = Math.max(longest[ackPriority]!, ACK_OCTETS + tags);
  }
  return longest;
}
