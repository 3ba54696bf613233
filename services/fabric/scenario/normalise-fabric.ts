/** `fabric` of the file -> FabricSection: links complete, alternative notations resolved. */

import type { Located } from './located.js';
import type { LinkErrors } from '../link-errors.js';
import { CODES, fecDelayPs } from '../link-errors.js';
import { PS_PER_MM } from '../link-length.js';
import { length, linkRate } from '../../settings/quantities.js';
import type { ExplicitLink, FabricSection, Generator, LinkSection } from './scenario.js';
import { bothText } from '../../settings/decided-unions.js';
import {
  BER_BEFORE_OR_AFTER,
  type FabricInput,
  LENGTH_OR_DELAY,
  type LinkInput,
  SPINES_OR_RATIO,
  LINK_DEFAULTS,
  SPINES_DEFAULT,
} from './schema-fabric.js';
import type { Path } from '../../settings/source-tree.js';

const RATE_BPS = linkRate.parse(LINK_DEFAULTS.rate);
const HOST_LINK_MM = length.parse(LINK_DEFAULTS.length);
const FABRIC_LINK_MM = length.parse(LINK_DEFAULTS.fabricLength);

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
    devices: input.devices.map(({ tier, ...device }) => ({
      ...device,
      tier: tier ?? device.kind,
    })),
    links,
  };
}

interface Layer {
  readonly link: LinkInput;
  readonly path: Path;
}

/** The first layer with a value wins; length and delay are two notations of one value. */
function linkSection(
  layers: readonly Layer[],
  defaultLengthMm: number,
  located: Located,
): LinkSection {
  for (const { link, path } of layers) {
    if (link.delay !== undefined && link.length !== undefined) {
      throw located.errorAt([...path, 'delay'], bothText(LENGTH_OR_DELAY));
    }
  }
  const links = layers.map(({ link }) => link);
  const first = <Key extends keyof LinkInput>(key: Key): LinkInput[Key] | undefined =>
    links.find((link) => link[key] !== undefined)?.[key];
  const medium = links.find((link) => link.delay !== undefined || link.length !== undefined);
  const rateBps = first('rate') ?? RATE_BPS;
  const fec = first('fec') ?? 'none';
  const errors = errorsOf(layers, fec, located);
  checkFec(layers, rateBps, located);
  return {
    rateBps,
    propagationPs: medium?.delay ?? (medium?.length ?? defaultLengthMm) * PS_PER_MM,
    interfaceDelayPs: first('interfaceDelay') ?? fecDelayPs(fec, rateBps),
    ...(errors !== null && { errors }),
  };
}

/** The rate before FEC and the one after it give one rate in two forms. */
function errorsOf(
  layers: readonly Layer[],
  fec: LinkErrors['fec'],
  located: Located,
): LinkErrors | null {
  for (const { link, path } of layers) {
    if (link.preFecBer !== undefined && link.postFecBer !== undefined) {
      throw located.errorAt([...path, 'postFecBer'], bothText(BER_BEFORE_OR_AFTER));
    }
  }
  const links = layers.map(({ link }) => link);
  const rated = links.find((link) => link.preFecBer ?? link.postFecBer);
  const ber = rated?.preFecBer ?? rated?.postFecBer;
  if (ber === undefined) return null;
  const burstBits = links.find((link) => link.errorBurst !== undefined)?.errorBurst ?? 1;
  return { fec, ber, isAfterFec: rated?.preFecBer === undefined, burstBits };
}

/** A code is defined for some rates. */
function checkFec(layers: readonly Layer[], rateBps: number, located: Located): void {
  const layer = layers.find(({ link }) => link.fec !== undefined);
  const fec = layer?.link.fec ?? 'none';
  if (fec === 'none') return;
  const { leastBps, mostBps } = CODES[fec];
  if (rateBps >= leastBps && rateBps <= mostBps) return;
  const gigabits = (bps: number): string => `${bps / 1e9}G`;
  throw located.errorAt(
    [...layer!.path, 'fec'],
    `${fec} is not defined for ${gigabits(rateBps)}, but from ${gigabits(leastBps)} to ` +
      `${gigabits(mostBps)}; choose another rate, or another fec`,
  );
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

/** A leaf has one link to each spine, so its oversubscription determines the number of spines. */
function spinesOf(input: LeafSpineInput, rateRatio: number, located: Located): number {
  const { spines, oversubscription, hostsPerLeaf } = input;
  if (oversubscription === undefined) return spines ?? SPINES_DEFAULT;
  const path = ['fabric', 'oversubscription'];
  if (spines !== undefined) {
    throw located.errorAt(path, bothText(SPINES_OR_RATIO));
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
