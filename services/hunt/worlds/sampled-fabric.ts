import { CODES, FEC_KINDS } from '../../fabric/link-errors.js';
import type { Sampler } from './sampler.js';

type Fabric = Record<string, unknown>;

/** Rates of links, and how likely each is: slow ones have PAUSE only. */
const SPEEDS = ['10G', '25G', '40G', '50G', '100G', '100G', '100G', '200G', '400G', '800G', '1.6T'];
const SLOW = ['10M', '100M', '1G', '1G'];
const LENGTHS = ['1m', '5m', '5m', '30m', '50m', '100m', '300m', '2km'];
const BITS: Readonly<Record<string, number>> = { M: 1e6, G: 1e9, T: 1e12 };

const MOST_DEVICES_OF_A_SLOTTED_SWITCH = 4;

interface SampledFabric {
  readonly fabric: Fabric;
  /** Of the slowest link. */
  readonly bps: number;
}

/** A topology of a few devices: those of generators, and random graphs. */
export function sampleFabric(sampler: Sampler, isSlow: boolean, isSlotted: boolean): SampledFabric {
  const rates = sampler.some(isSlow ? SLOW : SPEEDS, 1, sampler.chance(0.3) ? 2 : 1);
  const link = (): Record<string, unknown> => linkOf(sampler, rates);
  const shape = isSlotted ? slotted(sampler) : shapeOf(sampler, rates.length === 1);
  const fabric: Fabric = { ...shape };
  const isGraph = shape['generator'] === undefined || shape['generator'] === 'none';
  if (isGraph) drawGraph(fabric, sampler, link);
  else if (sampler.chance(0.6)) fabric['link'] = { rate: rates[0], ...link() };
  else {
    fabric['hostLink'] = { rate: rates[0], ...link() };
    fabric['fabricLink'] = { rate: rates[rates.length - 1], ...link() };
    fabric['link'] = link();
  }
  if (!isGraph && !isSlotted && sampler.chance(0.1)) addHost(fabric, shape, link);
  return { fabric, bps: Math.min(...rates.map(bitsOf)) };
}

function bitsOf(text: string): number {
  return Number(text.slice(0, -1)) * BITS[text.slice(-1)]!;
}

function linkOf(sampler: Sampler, rates: readonly string[]): Record<string, unknown> {
  const isByDelay = sampler.chance(0.15);
  return {
    rate: sampler.pick(rates),
    ...(isByDelay ? { delay: `${sampler.spread(1, 2000)}ns` } : { length: sampler.pick(LENGTHS) }),
    ...(sampler.chance(0.2) && { interfaceDelay: sampler.pick(['0ns', '100ns', '700ns']) }),
    ...(sampler.chance(0.15) && errorsOf(sampler, rates)),
  };
}

/** With a code that is defined for all these rates. */
function errorsOf(sampler: Sampler, rates: readonly string[]): Record<string, unknown> {
  const bps = rates.map(bitsOf);
  const fecs = FEC_KINDS.filter(
    (fec) =>
      fec === 'none' ||
      bps.every((rate) => rate >= CODES[fec].leastBps && rate <= CODES[fec].mostBps),
  );
  const ber = sampler.chance(0.5)
    ? { preFecBer: sampler.pick([1e-8, 1e-6, 1e-4]) }
    : { postFecBer: sampler.pick([1e-8, 1e-6]) };
  return {
    ...ber,
    fec: sampler.pick(fecs),
    ...(sampler.chance(0.5) && { errorBurst: sampler.pick([2, 12]) }),
  };
}

function shapeOf(sampler: Sampler, hasOneRate: boolean): Fabric {
  const small = (): number => sampler.between(1, 2);
  switch (sampler.below(13)) {
    case 0:
      return { generator: 'pair' };
    case 1:
    case 2:
      return { generator: 'star', hosts: sampler.between(2, 5) };
    case 3:
    case 4:
      return { generator: 'dumbbell', left: sampler.between(1, 3), right: sampler.between(1, 3) };
    case 5:
    case 6:
    case 12:
      return { generator: 'ring', switches: sampler.between(3, 6), hostsPerSwitch: small() };
    case 7:
    case 8:
      return leafSpine(sampler, hasOneRate);
    case 9:
      return sampler.chance(0.9)
        ? {
            generator: 'clos',
            pods: small(),
            leavesPerPod: small(),
            hostsPerLeaf: 1,
            planes: small(),
            spinesPerPlane: small(),
          }
        : { generator: 'fat-tree', k: sampler.chance(0.8) ? 2 : 4 };
    default:
      return sampler.chance(0.5) ? { generator: 'none' } : {};
  }
}

/** Links of different rates hardly come to a whole number of spines. */
function leafSpine(sampler: Sampler, hasOneRate: boolean): Fabric {
  const hostsPerLeaf = sampler.between(1, 3);
  const isByRatio = sampler.chance(0.2) && hasOneRate;
  return {
    generator: 'leaf-spine',
    leaves: sampler.between(2, 3),
    hostsPerLeaf,
    ...(isByRatio ? { oversubscription: hostsPerLeaf } : { spines: sampler.between(1, 2) }),
  };
}

/** No switch has more than four ports. */
function slotted(sampler: Sampler): Fabric {
  return sampler.pick<Fabric>([
    { generator: 'star', hosts: sampler.between(2, MOST_DEVICES_OF_A_SLOTTED_SWITCH) },
    { generator: 'dumbbell', left: sampler.between(1, 3), right: sampler.between(1, 3) },
    { generator: 'leaf-spine', leaves: 2, spines: sampler.between(1, 2), hostsPerLeaf: 2 },
  ]);
}

/** A tree of switches with a few links more, and hosts at any of them. */
function drawGraph(fabric: Fabric, sampler: Sampler, link: () => Fabric): void {
  const switches = Array.from({ length: sampler.between(1, 4) }, (_, i) => `s${i + 1}`);
  const hosts = Array.from({ length: sampler.between(2, 5) }, (_, i) => `h${i + 1}`);
  const devices = [
    ...hosts.map((name) => ({ name, kind: 'host', ...(sampler.chance(0.2) && { tier: 'host' }) })),
    ...switches.map((name) => ({
      name,
      kind: 'switch',
      ...(sampler.chance(0.3) && { tier: 'leaf' }),
    })),
  ];
  const links: Fabric[] = switches.slice(1).map((name, i) => ({
    between: [name, switches[sampler.below(i + 1)]],
    ...link(),
  }));
  for (let extra = sampler.below(3); extra > 0 && switches.length > 1; extra--) {
    links.push({ between: sampler.some(switches, 2, 2), ...link() });
  }
  for (const host of hosts) links.push({ between: [host, sampler.pick(switches)], ...link() });
  Object.assign(fabric, { devices, links });
}

/** One more host than the generator makes, with an explicit link. */
function addHost(fabric: Fabric, { generator }: Fabric, link: () => Fabric): void {
  const at: Readonly<Record<string, string>> = {
    star: 's1',
    dumbbell: 's1',
    ring: 's1',
    'leaf-spine': 'leaf1',
    clos: 'leaf1',
  };
  const to = at[generator as string];
  if (to === undefined) return;
  fabric['devices'] = [{ name: 'extra', kind: 'host' }];
  fabric['links'] = [{ between: ['extra', to], ...link() }];
}
