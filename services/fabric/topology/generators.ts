import type { ExplicitLink, FabricSection, Generator } from '../scenario/scenario.js';
import type { Fail, Path } from './cabling.js';
import type { TopologyDevice } from './topology.js';

/** The result of a generator, in the form in which a scenario lists devices and links itself. */
interface Plan {
  readonly devices: TopologyDevice[];
  readonly links: ExplicitLink[];
}

export const GENERATOR_PATH: Path = ['fabric', 'generator'];

/**
 * Devices are numbered from 1. Ports are taken in the order of links: on a switch those to hosts
 * come first, then those to the tier below, then those to the tier above.
 */
export function generate(section: FabricSection, fail: Fail): Plan {
  const { generator } = section;
  checkNumbers(generator, fail);
  const builder = new PlanBuilder(section);
  switch (generator.kind) {
    case 'none':
      break;
    case 'pair':
      pair(builder);
      break;
    case 'star':
      builder.hosts(builder.switch('s', 'switch'), generator.hosts);
      break;
    case 'dumbbell':
      dumbbell(builder, generator.left, generator.right);
      break;
    case 'ring':
      ring(builder, generator.switches, generator.hostsPerSwitch);
      break;
    case 'leaf-spine':
      leafSpine(builder, generator);
      break;
    case 'fat-tree':
      fatTree(builder, generator.k);
      break;
    case 'clos':
      clos(builder, generator);
      break;
  }
  return builder.plan;
}

/** The least value of a number that is not 1. */
const LEAST: Readonly<Record<string, number>> = { switches: 3, hostsPerSwitch: 0, k: 2 };

function checkNumbers(generator: Generator, fail: Fail): void {
  for (const [key, value] of Object.entries(generator) as [string, unknown][]) {
    if (typeof value !== 'number') continue;
    const least = LEAST[key] ?? 1;
    if (!Number.isInteger(value) || value < least) {
      throw fail(
        [...GENERATOR_PATH, key],
        `${key} of a ${generator.kind} is ${value}; it must be a whole number of at least ${least}`,
      );
    }
  }
  if (generator.kind === 'fat-tree' && generator.k % 2 !== 0) {
    throw fail([...GENERATOR_PATH, 'k'], `k of a fat-tree is ${generator.k}; it must be even`);
  }
}

class PlanBuilder {
  readonly plan: Plan = { devices: [], links: [] };
  private readonly counts = new Map<string, number>();

  constructor(private readonly section: FabricSection) {}

  switch(prefix: string, tier: string): string {
    return this.device(prefix, 'switch', tier);
  }

  switches(prefix: string, tier: string, count: number): string[] {
    return Array.from({ length: count }, () => this.switch(prefix, tier));
  }

  host(): string {
    return this.device('h', 'host', 'host');
  }

  /** Hosts on a switch. */
  hosts(on: string, count: number): void {
    for (let i = 0; i < count; i++) this.link(this.host(), on, this.section.hostLink);
  }

  linkHost(a: string, b: string): void {
    this.link(a, b, this.section.hostLink);
  }

  linkSwitches(a: string, b: string): void {
    this.link(a, b, this.section.fabricLink);
  }

  private device(prefix: string, kind: TopologyDevice['kind'], tier: string): string {
    const number = (this.counts.get(prefix) ?? 0) + 1;
    this.counts.set(prefix, number);
    const name = `${prefix}${number}`;
    this.plan.devices.push({ name, kind, tier });
    return name;
  }

  private link(a: string, b: string, link: ExplicitLink['link']): void {
    this.plan.links.push({ ends: [a, b], link });
  }
}

function pair(builder: PlanBuilder): void {
  builder.linkHost(builder.host(), builder.host());
}

function dumbbell(builder: PlanBuilder, left: number, right: number): void {
  const [s1, s2] = builder.switches('s', 'switch', 2) as [string, string];
  builder.hosts(s1, left);
  builder.hosts(s2, right);
  builder.linkSwitches(s1, s2);
}

function ring(builder: PlanBuilder, count: number, hostsPerSwitch: number): void {
  const switches = builder.switches('s', 'switch', count);
  for (const one of switches) builder.hosts(one, hostsPerSwitch);
  switches.forEach((one, i) => {
    builder.linkSwitches(one, switches[(i + 1) % count]!);
  });
}

type Shape<Kind extends Generator['kind']> = Extract<Generator, { kind: Kind }>;

function leafSpine(builder: PlanBuilder, shape: Shape<'leaf-spine'>): void {
  const leaves = builder.switches('leaf', 'leaf', shape.leaves);
  const spines = builder.switches('spine', 'spine', shape.spines);
  for (const leaf of leaves) builder.hosts(leaf, shape.hostsPerLeaf);
  for (const leaf of leaves) for (const spine of spines) builder.linkSwitches(leaf, spine);
}

/**
 * Three tiers of switches with k ports (Al-Fares, Loukissas and Vahdat, 2008): a Clos network
 * whose pods have k/2 edge switches of k/2 hosts and as many planes of k/2 core switches.
 */
function fatTree(builder: PlanBuilder, k: number): void {
  threeTiers(builder, {
    names: { leaf: 'edge', aggregation: 'agg', top: 'core' },
    tiers: { leaf: 'edge', aggregation: 'aggregation', top: 'core' },
    pods: k,
    leavesPerPod: k / 2,
    hostsPerLeaf: k / 2,
    planes: k / 2,
    spinesPerPlane: k / 2,
  });
}

function clos(builder: PlanBuilder, shape: Shape<'clos'>): void {
  threeTiers(builder, {
    names: { leaf: 'leaf', aggregation: 'agg', top: 'spine' },
    tiers: { leaf: 'leaf', aggregation: 'aggregation', top: 'spine' },
    ...shape,
  });
}

interface TierLabels {
  readonly leaf: string;
  readonly aggregation: string;
  readonly top: string;
}

type ThreeTiers = Omit<Shape<'clos'>, 'kind'> & {
  readonly names: TierLabels;
  readonly tiers: TierLabels;
};

/** Aggregation switch i of every pod is in plane i and has links to all of that plane's spines. */
function threeTiers(builder: PlanBuilder, shape: ThreeTiers): void {
  const { names, tiers, pods, leavesPerPod, planes, spinesPerPlane } = shape;
  const leaves = builder.switches(names.leaf, tiers.leaf, pods * leavesPerPod);
  const aggregations = builder.switches(names.aggregation, tiers.aggregation, pods * planes);
  const tops = builder.switches(names.top, tiers.top, planes * spinesPerPlane);
  for (const leaf of leaves) builder.hosts(leaf, shape.hostsPerLeaf);
  leaves.forEach((leaf, i) => {
    const pod = Math.floor(i / leavesPerPod);
    for (const up of group(aggregations, pod, planes)) builder.linkSwitches(leaf, up);
  });
  aggregations.forEach((aggregation, i) => {
    const plane = i % planes;
    for (const up of group(tops, plane, spinesPerPlane)) builder.linkSwitches(aggregation, up);
  });
}

function group(names: readonly string[], index: number, size: number): string[] {
  return names.slice(index * size, (index + 1) * size);
}
