/** What hosts tag the frames with whose load says no VLAN: rules of `ports`, over their NICs. */

import type { Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import { linkEndsOf } from './link-ends.js';
import { matchesRule, PortSelector } from './select-ports.js';
import type { Settings } from './settings.js';

/** By host: VID of its C-TAGs, 0 for those with a priority only; null where it sends none. */
export function hostTags(
  { ports }: Pick<Scenario, 'ports'>,
  topology: Topology,
  settings: readonly Settings[],
  fail: Fail,
): readonly (number | null)[] {
  const usual = topology.devices.flatMap(({ kind }, device) =>
    kind === 'host' ? [settings[device]!.host.nic?.sendsPriorityTags === true ? 0 : null] : [],
  );
  const rules = ports.filter(({ tag }) => tag !== null);
  if (rules.length === 0) return usual;
  const linkEnds = linkEndsOf(topology);
  const selector = new PortSelector(topology, linkEnds);
  const hosts = linkEnds.slice(0, usual.length).map(([end]) => end!);
  return rules.reduce<readonly (number | null)[]>((tags, { where, path, tag }) => {
    const ruled = hosts.map((end) => matchesRule(selector, where, end));
    if (!ruled.includes(true)) {
      const message =
        'of hosts only, and no port of one matches; a bridged switch has native, tagged';
      throw fail([...path, 'tag'], message);
    }
    return tags.map((own, host) => (ruled[host]! ? tag!.vlan : own));
  }, usual);
}
