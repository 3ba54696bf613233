/** 82599s with two ports: two hosts, each with a port, whose frames share one PCIe link. */

import type { Nic82599Section } from '../scenario/nic-section.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';

/** What the first port of a part says of its PCIe link. */
export interface NicPart {
  readonly section: Nic82599Section;
  readonly linkBps: number;
}

/** The part that a port of an 82599 belongs to. */
export function partOf(
  section: Nic82599Section,
  end: LinkEnd,
  topology: Topology,
  settings: readonly Settings[],
  linkEnds: readonly (readonly LinkEnd[])[],
): NicPart {
  if (section.secondPortOf === null) return { section, linkBps: end.link.rateBps };
  const first = topology.devices.findIndex(({ name }) => name === section.secondPortOf);
  const [firstEnd] = linkEnds[first]!;
  return { section: settings[first]!.host.nic!, linkBps: firstEnd!.link.rateBps };
}

/** Hosts whose ports are on one part: the first and the second port. */
export function portPairs(
  topology: Topology,
  settings: readonly Settings[],
  fail: Fail,
): (readonly [number, number])[] {
  const seconds = new Map<number, number>();
  settings.forEach(({ host: { nic } }, second) => {
    if (typeof nic?.secondPortOf !== 'string') return;
    if (topology.devices[second]!.kind !== 'host') return;
    const first = topology.devices.findIndex(({ name }) => name === nic.secondPortOf);
    const problem = problemOf(nic, first, second, topology, settings);
    const other = seconds.get(first);
    const taken =
      other === undefined
        ? null
        : `${nic.secondPortOf} has a second port already: ${topology.devices[other]!.name}`;
    const message = problem ?? taken;
    if (message !== null) throw fail([...nic.path, 'secondPortOf'], message);
    seconds.set(first, second);
  });
  return Array.from(seconds);
}

function problemOf(
  { secondPortOf, pcie }: Nic82599Section,
  first: number,
  second: number,
  { devices, links }: Topology,
  settings: readonly Settings[],
): string | null {
  const name = secondPortOf!;
  if (devices[first]?.kind !== 'host') return `no host is called ${name}`;
  if (first === second) return `${name} is this port itself; write the host with the first port`;
  const { nic } = settings[first]!.host;
  if (nic === null) return `${name} has a plain NIC; give it model: 82599`;
  if (nic.secondPortOf !== null) return `${name} is a second port itself; a part has two`;
  const isLinked = links.some(({ a, b }) => a.device === first || b.device === first);
  if (!isLinked) return `${name} has no link`;
  const { rateBps, latencyPs, reads } = nic.pcie;
  const isSame =
    (pcie.rateBps ?? rateBps) === rateBps &&
    (pcie.latencyPs ?? latencyPs) === latencyPs &&
    (pcie.reads ?? reads) === reads;
  return isSame ? null : `both ports have the PCIe link of ${name}; leave pcie out here`;
}
