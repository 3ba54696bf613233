import {
  FCS_OCTETS,
  FRAME_OCTETS_MIN,
  PRIORITIES,
  VLAN_TAG_OCTETS,
} from '../../engine/units/ethernet.js';
import { ETHERNET_HEADER_OCTETS } from '../../engine/wire/ethernet.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { Flow } from '../load/flow.js';
import type { Scenario } from '../scenario/scenario.js';
import { CNP_FRAME_OCTETS, notificationsOf } from './congestion-plan.js';
import { mostAckOctets, framingOf, tagOctets, telemetryOctets } from './framing.js';

const FRAME_OVERHEAD_OCTETS = ETHERNET_HEADER_OCTETS + FCS_OCTETS;

/**
 * By priority: the lengths of full frames of the flows on any link, tags included, and of their
 * acknowledgements. Bridges with tagged ports tag untagged frames.
 */
export function frameLengths(
  scenario: Scenario,
  flows: readonly Flow[],
  bridgesTag: boolean,
): number[][] {
  const lengths = Array.from({ length: PRIORITIES }, () => new Set<number>());
  for (const flow of flows) {
    const { priority, transport, vlan } = flow;
    const tags = tagOctets(vlan) + (bridgesTag && vlan.inner === null ? VLAN_TAG_OCTETS : 0);
    const control = rateControlOf(flow.congestion, scenario.plugins);
    const more = tags + (control?.flowTagOctets ?? 0) + telemetryOctets(flow);
    lengths[priority]!.add(framingOf(flow).fullFrameOctets + more);
    const notifications = notificationsOf(flow.congestion, scenario);
    if (notifications !== null) lengths[notifications.priority]!.add(CNP_FRAME_OCTETS + tags);
    const messages = control?.messages?.(scenario.rateControls[flow.congestion]);
    if (messages !== undefined) {
      lengths[messages.priority]!.add(
        Math.max(FRAME_OCTETS_MIN, messages.frameOctets + Math.max(tags, VLAN_TAG_OCTETS)),
      );
    }
    if (transport.kind === 'reliable') {
      const answers = flow.answerVlan === undefined ? tags : tagOctets(flow.answerVlan);
      lengths[transport.ackPriority]!.add(
        Math.max(FRAME_OCTETS_MIN, mostAckOctets(transport) + answers + telemetryOctets(flow)),
      );
    }
  }
  // A tag beside addresses, EtherType and FCS: hosts choose priorities themselves.
  for (const { mtuOctets } of scenario.live?.hosts ?? []) {
    for (const own of lengths) own.add(mtuOctets + FRAME_OVERHEAD_OCTETS + VLAN_TAG_OCTETS);
  }
  return lengths.map((set) => (set.size === 0 ? [FRAME_OCTETS_MIN] : [...set]));
}
