import type { FabricSection } from '../scenario/scenario.js';

/** How large a fabric is, before it is built. */
export interface FabricCount {
  readonly hosts: number;
  readonly switches: number;
  readonly links: number;
}

/** Devices and links of the generator, and those that the scenario adds. */
export function fabricCount({ generator, devices, links }: FabricSection): FabricCount {
  const own = generatedCount(generator);
  const hosts = devices.filter(({ kind }) => kind === 'host').length;
  return {
    hosts: own.hosts + hosts,
    switches: own.switches + devices.length - hosts,
    links: own.links + links.length,
  };
}

function generatedCount(shape: FabricSection['generator']): FabricCount {
  switch (shape.kind) {
    case 'none':
      return countOf(0, 0, 0);
    case 'pair':
      return { hosts: 2, switches: 0, links: 1 };
    case 'star':
      return countOf(shape.hosts, 1, 0);
    case 'dumbbell':
      return countOf(shape.left + shape.right, 2, 1);
    case 'ring':
      return countOf(shape.switches * shape.hostsPerSwitch, shape.switches, shape.switches);
    case 'leaf-spine': {
      const { leaves, spines, hostsPerLeaf } = shape;
      return countOf(leaves * hostsPerLeaf, leaves + spines, leaves * spines);
    }
    case 'fat-tree': {
      // k pods of k/2 edge and k/2 aggregation switches, and (k/2)^2 cores (Al-Fares et al. 2008).
      const half = shape.k / 2;
      const hosts = shape.k * half * half;
      return countOf(hosts, shape.k * shape.k + half * half, 2 * hosts);
    }
    case 'clos': {
      const { pods, leavesPerPod, hostsPerLeaf, planes, spinesPerPlane } = shape;
      const leaves = pods * leavesPerPod;
      const above = pods * planes + planes * spinesPerPlane;
      const links = leaves * planes + pods * planes * spinesPerPlane;
      return countOf(leaves * hostsPerLeaf, leaves + above, links);
    }
  }
}

/** Each host has one link. */
function countOf(hosts: number, switches: number, between: number): FabricCount {
  return { hosts, switches, links: hosts + between };
}
