/** Worlds with several causes, which of them is named first, and the run without that one. */

import type { RandomStream } from '../../services/engine/kernel/random.js';
import { whyOf } from '../../services/report/why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import type { CongestionTree } from '../../services/telemetry/congestion/congestion-trees.js';
import { fabricOf } from '../kit/emulate.js';
import { METHODS } from './worlds.js';

/** So much of the time that frames wait is left at most without what is named. */
const LEFT_MOST = 0.8;

/** A part of a world, and all that it is known by. */
interface Part {
  readonly name: string;
  readonly fault?: string;
  readonly load?: string;
}

const METHODS_MIXED = ['pfc', 'credit', 'cbfc', 'dcqcn', 'lossy'] as const;

function load(name: string, from: string, to: string, more: string): Part {
  const incast = `incast: { from: [${from}], to: ${to} }`;
  return { name, load: `  - { name: ${name}, ${incast}, priority: 3, ${more} }` };
}

function fault(name: string, words: string): Part {
  return { name, fault: `  - { name: ${name}, ${words} }` };
}

/**
 * Two loads that fill different ports, and two faults, of different ports: of two that hold one
 * port at one time neither is refuted, as each is enough.
 */
function partsOf(random: RandomStream): Part[] {
  const at = (): string => `at: ${10 + random.below(60)}us, for: ${20 + random.below(60)}us`;
  const bytes = `bytes: ${1 + random.below(2)}MB`;
  const isOfTrunk = random.below(2) === 0;
  return [
    load('fan', 'h1, h5', 'h4', bytes),
    load('cross', 'h2, h3', 'h6', bytes),
    isOfTrunk
      ? fault('slow', `kind: slow-link, where: { link: s1 s2 }, rate: 40G, ${at()}`)
      : fault('frozen', `kind: freeze, where: { port: "s2:p1" }, ${at()}`),
    isOfTrunk || random.below(2) === 0
      ? fault('edge', `kind: slow-link, where: { link: s2 h6 }, rate: 25G, ${at()}`)
      : fault('down', `kind: link-down, where: { link: s1 s2 }, ${at()}`),
  ];
}

export interface Mix {
  readonly method: string;
  readonly parts: readonly Part[];
  readonly seed: number;
}

export function mixOf(random: RandomStream): Mix {
  const method = METHODS_MIXED[random.below(METHODS_MIXED.length)]!;
  return { method, parts: partsOf(random), seed: random.below(1e6) };
}

/** Without some of its parts. */
export function textOf({ method, parts, seed }: Mix, without: ReadonlySet<string>): string {
  const { sections, transport } = METHODS[method]!;
  const kept = parts.filter(({ name }) => !without.has(name));
  const loads = kept.flatMap((part) => part.load ?? []);
  const faults = kept.flatMap((part) => part.fault ?? []);
  return `
name: mixed
duration: 250us
fabric:
  generator: dumbbell
  left: 3
  right: 3
  hostLink: { rate: 100G, length: 10m }
  fabricLink: { rate: 400G, length: 50m }
switches: { buffer: { size: 8MB } }
seed: ${seed}
${sections}
${faults.length === 0 ? '' : `faults:\n${faults.join('\n')}`}
load:
${loads.map((text) => text.replace(/ }$/, `, ${transport.join(', ')} }`)).join('\n')}
  - { name: idle, stream: { from: h5, to: h1 }, rate: 1G, frame: 1000, priority: 0 }
`;
}

function treesOf(text: string): readonly CongestionTree[] {
  const fabric = fabricOf(text);
  const { results, congestion } = repeatRun(fabric, null, null);
  return whyOf(fabric, results, congestion).trees;
}

/** What is named first, and how much waits for it still where that is not; null: nothing waits. */
export function refutedBy(mix: Mix): string | null {
  const [worst] = treesOf(textOf(mix, new Set()));
  if (worst === undefined) return null;
  const { root, culprits, frameTimePs } = worst;
  const named =
    root.fault !== null && root.reason === 'fault'
      ? [root.fault]
      : [...new Set(culprits.map(({ flow }) => flow.split('/')[0]!))];
  const left = treesOf(textOf(mix, new Set(named)))
    .filter((tree) => tree.root.port === root.port)
    .reduce((sum, tree) => sum + tree.frameTimePs, 0);
  if (left <= LEFT_MOST * frameTimePs) return null;
  const share = Math.round((100 * left) / frameTimePs);
  return `${root.port} ${root.reason ?? ''} ${named.join()}: ${share} % is left without`;
}
