import type { NicSpec } from '../../engine/contract/spec.js';
import { NIC } from '../../mechanisms/registry.js';
import type { FabricPlans } from './fabric-plans.js';
import { arrivalsAt } from './host-arrivals.js';
import { nicHost } from './nic-host.js';
import type { ResolvedFabric } from './resolved-fabric.js';

/** The NIC of a host; null for a host whose NIC has no model. */
export function nicSpec(
  fabric: ResolvedFabric,
  { hostEnds, backing }: FabricPlans,
  index: number,
): NicSpec | null {
  const { scenario, topology, settings, flows, fail, warn } = fabric;
  const section = settings[index]!.host.nic;
  const [end] = fabric.linkEnds[index]!;
  if (NIC === null || section === null || end === undefined) return null;
  NIC.checkVms(section, flows, index, fail);
  const peer = fabric.ports[end.peerDevice]![end.peerPort]!;
  const responseDelayPs = peer.priorities.map(
    ({ pausing }) => (peer.pause?.pausing ?? pausing).responseDelay,
  );
  const linkBps = end.link.rateBps;
  const frames = fabric.linkFrames[index]![end.port]!;
  const lengths = { linkBps, longestFrameOctets: frames.longestOctets };
  const own = fabric.ports[index]![end.port]!;
  const host = nicHost(topology.devices[index]!.name, own, scenario, lengths);
  const ends = hostEnds[index]!;
  const traffic = {
    methods: fabric.methods[index]![0]!,
    sent: ends.sends.map(({ flow }) => flows[flow]!),
    arrivals: arrivalsAt(scenario, ends, flows),
    longestFrameOctets: frames.longest,
    responseDelayPs,
    grantedOctets: backing.at(end, 1),
  };
  const part = NIC.partOf(section, linkBps, topology, (other) => settings[other]!.host.nic);
  return NIC.spec({ host, section, link: end, part, traffic }, fail, warn);
}
