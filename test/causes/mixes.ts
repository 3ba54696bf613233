/** Worlds with several causes, which of them is named first, and the run without that one. */

import type { RandomStream } from '../../services/engine/kernel/random.js';
import { whyOf } from '../../services/report/why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import type { CongestionTree } from '../../services/telemetry/congestion/congestion-trees.js';
import { fabricOf } from '../kit/emulate.js';
import { type Method, METHODS } from './worlds.js';

/** Of the time that a frame waits for what is named so much is left at most without it. */
const LEFT_MOST = 0.8;

/** A part of a world, and all that it is known by. */
interface Part {
  readonly name: string;
  readonly fault?: string;
  readonly load?: string;
}

/** All that have links of 100 Gb/s. */
const METHODS_MIXED = Object.keys(METHODS).filter((name) => METHODS[name]!.rateG === undefined);

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
function partsOf(random: RandomStream, not: Method['not']): Part[] {
  const at = (): string => `at: ${10 + random.below(60)}us, for: ${20 + random.below(60)}us`;
  const bytes = `bytes: ${1 + random.below(2)}MB`;
  const isOfTrunk = random.below(2) === 0;
  const edges = [
    'kind: slow-link, where: { link: s2 h6 }, rate: 25G',
    ...(not['slow-receiver'] ? [] : ['kind: slow-receiver, where: { device: h6 }, rate: 25G']),
    ...(not.storm ? [] : ['kind: storm, where: { device: h6 }, priority: 3']),
  ];
  return [
    load('fan', 'h1, h5', 'h4', bytes),
    load('cross', 'h2, h3', 'h6', bytes),
    isOfTrunk
      ? fault('slow', `kind: slow-link, where: { link: s1 s2 }, rate: 40G, ${at()}`)
      : fault('frozen', `kind: freeze, where: { port: "s2:p1" }, ${at()}`),
    isOfTrunk || random.below(2) === 0
      ? fault('edge', `${edges[random.below(edges.length)]!}, ${at()}`)
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
  return { method, parts: partsOf(random, METHODS[method]!.not), seed: random.below(1e6) };
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

interface Waits {
  readonly trees: readonly CongestionTree[];
  /** How long frames wait for what is rooted at a port, for each frame that it sends. */
  perFramePs(port: string): number;
}

function waitsIn(text: string): Waits {
  const fabric = fabricOf(text);
  const { results, congestion } = repeatRun(fabric, null, null);
  const { trees } = whyOf(fabric, results, congestion);
  return {
    trees,
    perFramePs: (port) => {
      const own = results.ports.find((one) => one.port === port)!;
      const frames = own.priorities.reduce((sum, { txFrames }) => sum + txFrames, 0);
      const waited = trees
        .filter(({ root }) => root.port === port)
        .reduce((sum, { frameTimePs }) => sum + frameTimePs, 0);
      return waited / Math.max(1, frames);
    },
  };
}

/**
 * What is named first, and how much waits for it still where that is not; null: nothing waits. A
 * port may have other roots, too, before and after. A source whose rate was cut sends less: so it
 * counts what each frame waits. `wrongly`: it takes away a part that was not named.
 */
export function refutedBy(mix: Mix, wrongly = false): string | null {
  const before = waitsIn(textOf(mix, new Set()));
  const [worst] = before.trees;
  if (worst === undefined) return null;
  const { root, culprits, frameTimePs } = worst;
  const right =
    root.fault !== null && root.reason === 'fault'
      ? [root.fault]
      : [...new Set(culprits.map(({ flow }) => flow.split('/')[0]!))];
  const others = mix.parts.map(({ name }) => name).filter((name) => !right.includes(name));
  const named = wrongly ? others.slice(-1) : right;
  const all = before.trees
    .filter((tree) => tree.root.port === root.port)
    .reduce((sum, tree) => sum + tree.frameTimePs, 0);
  const own = (before.perFramePs(root.port) * frameTimePs) / all;
  const saved =
    before.perFramePs(root.port) - waitsIn(textOf(mix, new Set(named))).perFramePs(root.port);
  if (saved >= (1 - LEFT_MOST) * own) return null;
  const share = Math.round(100 * (1 - saved / own));
  return `${root.port} ${root.reason ?? ''} ${named.join()}: ${share} % is left without`;
}
