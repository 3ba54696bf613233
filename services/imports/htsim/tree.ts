import type { WordFile } from '../imported.js';
import { switchCounts, type Tier, type TreeTopology } from './topology.js';

interface Link {
  readonly between: readonly [below: string, above: string];
  readonly rate: string;
  readonly delay: string;
}

/** Switches of the tiers, from below. */
const NAMES: Readonly<Record<number, readonly string[]>> = {
  2: ['leaf', 'spine'],
  3: ['tor', 'agg', 'core'],
};

/**
 * The parts of a scenario that a tree is: devices, links, and what its switches take. Throws where
 * its switches cannot be linked alike.
 */
export function fabricOfTree(file: WordFile, topology: TreeTopology): object {
  const { nodes, tiers } = topology;
  const counts = switchCounts(topology);
  const names = counts.map((count, tier) =>
    Array.from({ length: count }, (_, i) => `${NAMES[tiers.length]![tier]!}${i}`),
  );
  const hosts = Array.from({ length: nodes }, (_, node) => `h${node}`);
  const links = tiers.flatMap((tier, t) => {
    const below = t === 0 ? hosts : names[t - 1]!;
    const own = below.flatMap((name, i) =>
      parentsOf(topology, counts, t, i).flatMap((way) => bundleOf(tier, name, names[t]![way]!)),
    );
    for (const name of names[t]!) {
      const down = own.filter(({ between: [, above] }) => above === name).length;
      if (down === tier.down) continue;
      const what = `${name} would have ${down} links down, and Radix_Down is ${tier.down}`;
      throw file.errorAt(tier.line, `${what}: pods and radixes do not fit each other`);
    }
    return own;
  });
  const [{ switchNs }] = tiers as [Tier];
  const others = tiers.flatMap((tier, t) =>
    tier.switchNs === switchNs
      ? []
      : [[`${NAMES[tiers.length]![t]!}*`, { pipeline: `${tier.switchNs}ns` }] as const],
  );
  return {
    fabric: {
      generator: 'none',
      devices: [
        ...hosts.map((name) => ({ name, kind: 'host' })),
        ...names.flat().map((name) => ({ name, kind: 'switch' })),
      ],
      links,
    },
    switches: { pipeline: `${switchNs}ns` },
    ...(others.length > 0 && { devices: Object.fromEntries(others) }),
  };
}

/** Switches of a tier that something of the tier below is linked to. */
function parentsOf(
  { nodes, podSize, tiers }: TreeTopology,
  counts: readonly number[],
  tier: number,
  child: number,
): number[] {
  if (tier === 0) return [Math.floor(child / tiers[0]!.down)];
  const ways = tiers[tier - 1]!.up / tiers[tier]!.bundle;
  const some = Array.from({ length: ways }, (_, way) => way);
  if (tier < tiers.length - 1) {
    // Within a pod, a switch is linked to each of those above.
    const pods = nodes / podSize;
    const pod = Math.floor(child / (counts[tier - 1]! / pods));
    const inPod = counts[tier]! / pods;
    return some.map((way) => pod * inPod + (way % inPod));
  }
  // The switches of one place in their pods share a part of those at the top.
  const pods = tiers.length === 2 ? counts[0]! : nodes / podSize;
  const place = child % (counts[tier - 1]! / pods);
  return some.map((way) => (place * ways + way) % counts[tier]!);
}

function bundleOf({ gbps, linkNs, bundle }: Tier, below: string, above: string): Link[] {
  const link: Link = { between: [below, above], rate: `${gbps}G`, delay: `${linkNs}ns` };
  return Array.from({ length: bundle }, () => link);
}
