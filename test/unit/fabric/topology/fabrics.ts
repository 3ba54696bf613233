import type {
  ExplicitLink,
  FabricSection,
  Generator,
} from '../../../../services/fabric/scenario/scenario.js';
import { buildTopology } from '../../../../services/fabric/topology/build-topology.js';
import type { Path } from '../../../../services/fabric/topology/cabling.js';
import type { Topology } from '../../../../services/fabric/topology/topology.js';

export const HOST_LINK = { rateBps: 100e9, propagationPs: 25_000, interfaceDelayPs: 0 };
export const FABRIC_LINK = { rateBps: 400e9, propagationPs: 500_000, interfaceDelayPs: 0 };

/** An error with its place in front: `fabric.links.0: port s1:p1 is used twice`. */
export function fail(path: Path, message: string): Error {
  return new Error(`${path.join('.')}: ${message}`);
}

export function section(
  generator: Generator,
  added: Partial<Pick<FabricSection, 'devices' | 'links'>> = {},
): FabricSection {
  return {
    generator,
    hostLink: HOST_LINK,
    fabricLink: FABRIC_LINK,
    devices: [],
    links: [],
    ...added,
  };
}

export function build(generator: Generator): Topology {
  return buildTopology(section(generator), fail);
}

/** A fabric written out: names that start with `h` are hosts; links are `h1 s1:p2`. */
export function buildExplicit(names: string, links: readonly string[]): Topology {
  const devices = names.split(' ').map((name) => {
    const kind = name.startsWith('h') ? ('host' as const) : ('switch' as const);
    return { name, kind, tier: kind };
  });
  return buildTopology(section({ kind: 'none' }, { devices, links: links.map(linkOf) }), fail);
}

export function linkOf(text: string): ExplicitLink {
  return { ends: text.split(' ') as [string, string], link: HOST_LINK };
}

/** One of every generator, small. */
export const SMALL: readonly Generator[] = [
  { kind: 'pair' },
  { kind: 'star', hosts: 5 },
  { kind: 'dumbbell', left: 2, right: 3 },
  { kind: 'ring', switches: 5, hostsPerSwitch: 2 },
  { kind: 'leaf-spine', leaves: 4, spines: 2, hostsPerLeaf: 3 },
  { kind: 'fat-tree', k: 4 },
  { kind: 'clos', pods: 2, leavesPerPod: 3, hostsPerLeaf: 2, planes: 2, spinesPerPlane: 3 },
];
