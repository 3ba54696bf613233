import { FRAME_OCTETS_MIN, PRIORITIES, VLAN_TAG_OCTETS } from '../../engine/units/ethernet.js';
import { CN_TAG_OCTETS, CNM_FRAME_OCTETS } from '../../engine/wire/cnm.js';
import type { Flow } from '../load/flow.js';
import type { Scenario } from '../scenario/scenario.js';
import { CNP_FRAME_OCTETS, notificationsOf } from './congestion-plan.js';
import { ACK_OCTETS, framingOf, tagOctets, telemetryOctets } from './framing.js';

/**
 * By priority: the lengths of full frames that the flows put on any wire, tags included, and of
 * their acknowledgements. Bridges with tagged ports put a tag on what came without.
 */
export function frameLengths(
  scenario: Scenario,
  flows: readonly Flow[],
  bridgesTag: boolean,
): number[][] {
  const { qcn } = scenario.rateControls;
  const lengths = Array.from({ length: PRIORITIES }, () => new Set<number>());
  for (const flow of flows) {
    const { priority, transport, vlan } = flow;
    const tags = tagOctets(vlan) + (bridgesTag && vlan.inner === null ? VLAN_TAG_OCTETS : 0);
    const cnTag = flow.congestion === 'qcn' ? CN_TAG_OCTETS : 0;
    const more = tags + cnTag + telemetryOctets(flow);
    lengths[priority]!.add(framingOf(flow).fullFrameOctets + more);
    const notifications = notificationsOf(flow.congestion, scenario);
    if (notifications !== null) lengths[notifications.priority]!.add(CNP_FRAME_OCTETS + tags);
    if (flow.congestion === 'qcn') {
      const message = CNM_FRAME_OCTETS + qcn.quote + tags;
      lengths[qcn.cnmPriority]!.add(Math.max(FRAME_OCTETS_MIN, message));
    }
    if (transport.kind === 'reliable') {
      lengths[transport.ackPriority]!.add(
        Math.max(FRAME_OCTETS_MIN, ACK_OCTETS + tags + telemetryOctets(flow)),
      );
    }
  }
  return lengths.map((set) => (set.size === 0 ? [FRAME_OCTETS_MIN] : [...set]));
}
