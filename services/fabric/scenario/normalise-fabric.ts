/** `fabric` of the file -> FabricSection: links complete, alternatives of spelling resolved. */

import type { Located } from './located.js';
import { linkRate } from '../../settings/quantities.js';
import type { ExplicitLink, FabricSection, Generator, LinkSection } from './scenario.js';
import type { FabricInput, LinkInput } from './schema-fabric.js';
import type { Path } from '../../settings/source-tree.js';

/** 5 ns/m, the usual figure for fibre (802.3 44.3 and others take about as much). */
const PS_PER_MM = 5;
const DEFAULT_RATE_BPS = linkRate.parse('100G');
const HOST_LINK_MM = 5_000;
const FABRIC_LINK_MM = 50_000;

type LeafSpineInput = Extract<FabricInput, { generator: 'leaf-spine' }>;

export function fabricSection(input: FabricInput, located: Located): FabricSection {
  const layersOf = (key: 'hostLink' | 'fabricLink'): readonly Layer[] => [
    { link: input[key] ?? {}, path: ['fabric', key] },
    { link: input.link ?? {}, path: ['fabric', 'link'] },
  ];
  const hostLink = linkSection(layersOf('hostLink'), HOST_LINK_MM, located);
  const fabricLink = linkSection(layersOf('fabricLink'), FABRIC_LINK_MM, located);
  const links = input.links.map((link, index): ExplicitLink => {
    const layers = [
      { link, path: ['fabric', 'links', index] },
      { link: input.link ?? {}, path: ['fabric', 'link'] },
    ];
    return { ends: link.between, link: linkSection(layers, HOST_LINK_MM, located) };
  });
  return {
    generator: generatorOf(input, hostLink.rateBps / fabricLink.rateBps, located),
    hostLink,
    fabricLink,
    devices: input.devices.map(({ name, kind, tier = kind }) => ({ name, kind, tier })),
    links,
  };
}

interface Layer {
  readonly link: LinkInput;
  readonly path: Path;
}

/** The first layer that says something wins; length and delay are one thing said in two ways. */
function linkSection(
  layers: readonly Layer[],
  defaultLengthMm: number,
  located: Located,
): LinkSection {
  for (const { link, path } of layers) {
    if (link.delay !== undefined && link.length !== undefined) {
      throw located.errorAt([...path, 'delay'], 'both length and delay: give one of them');
    }
  }
  const links = layers.map(({ link }) => link);
  const first = <Key extends keyof LinkInput>(key: Key): LinkInput[Key] | undefined =>
    links.find((link) => link[key] !== undefined)?.[key];
  const medium = links.find((link) => link.delay !== undefined || link.length !== undefined);
  return {
    rateBps: first('rate') ?? DEFAULT_RATE_BPS,
    propagationPs: medium?.delay ?? (medium?.length ?? defaultLengthMm) * PS_PER_MM,
    interfaceDelayPs: first('interfaceDelay') ?? 0,
  };
}

function generatorOf(input: FabricInput, rateRatio: number, located: Located): Generator {
  if (input.generator === undefined) return { kind: 'none' };
  switch (input.generator) {
    case 'none':
    case 'pair':
      return { kind: input.generator };
    case 'star':
      return { kind: 'star', hosts: input.hosts };
    case 'dumbbell':
      return { kind: 'dumbbell', left: input.left, right: input.right };
    case 'ring': {
      const { switches, hostsPerSwitch } = input;
      return { kind: 'ring', switches, hostsPerSwitch };
    }
    case 'leaf-spine': {
      const { leaves, hostsPerLeaf } = input;
      return {
        kind: 'leaf-spine',
        leaves,
        spines: spinesOf(input, rateRatio, located),
        hostsPerLeaf,
      };
    }
    case 'fat-tree':
      return { kind: 'fat-tree', k: input.k };
    case 'clos': {
      const { pods, leavesPerPod, hostsPerLeaf, planes, spinesPerPlane } = input;
      return { kind: 'clos', pods, leavesPerPod, hostsPerLeaf, planes, spinesPerPlane };
    }
  }
}

const DEFAULT_SPINES = 2;

/** A leaf has one link to each spine, so its oversubscription tells how many spines there are. */
function spinesOf(input: LeafSpineInput, rateRatio: number, located: Located): number {
  const { spines, oversubscription, hostsPerLeaf } = input;
  if (oversubscription === undefined) return spines ?? DEFAULT_SPINES;
  const path = ['fabric', 'oversubscription'];
  if (spines !== undefined) {
    throw located.errorAt(path, 'both spines and oversubscription: give one of them');
  }
  const exact = (hostsPerLeaf * rateRatio) / oversubscription;
  const whole = Math.round(exact);
  if (whole >= 1 && Math.abs(exact - whole) < 1e-9) return whole;
  const near = Math.max(1, whole);
  throw located.errorAt(
    path,
    `oversubscription ${oversubscription} needs ${exact.toFixed(2)} spines, not a whole number; ` +
      `${near} spines give ${Number(((hostsPerLeaf * rateRatio) / near).toFixed(4))}`,
  );
}
