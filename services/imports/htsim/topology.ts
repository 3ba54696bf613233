import { show } from '../../settings/errors.js';
import { type ImportNote, wholeNumber, type WordFile, type WordLine } from '../imported.js';

// A .topo of htsim (uet-htsim 40ccb05): a head of Nodes, Tiers and Podsize, and for each tier the
// links below its switches and the switches themselves. Names are without regard to case.

export interface Tier {
  readonly line: number;
  /** Of each link down. */
  readonly gbps: number;
  readonly down: number;
  /** Links up; 0: of the highest tier. */
  readonly up: number;
  readonly linkNs: number;
  readonly switchNs: number;
  /** Capacity down over that up. */
  readonly oversubscribed: number;
  /** Links down that go to the same switch. */
  readonly bundle: number;
}

export interface TreeTopology {
  readonly nodes: number;
  readonly podSize: number;
  /** From below. */
  readonly tiers: readonly Tier[];
  readonly notes: readonly ImportNote[];
}

const NODES_MOST = 1 << 20;
const HEAD = ['nodes', 'tiers', 'podsize'];
const MUST = ['downlink_speed_gbps', 'radix_down', 'downlink_latency_ns'];
const MAY = ['radix_up', 'switch_latency_ns', 'oversubscribed', 'bundle'];
const QUEUES = ['queue_up', 'queue_down'];

export function isTree({ lines }: WordFile): boolean {
  const keys = lines.map(({ words }) => words[0]!.toLowerCase());
  return keys.includes('tiers') && keys.includes('podsize');
}

/** Throws all errors of the file. */
export function readTree(file: WordFile): TreeTopology {
  const head = new Map<string, number>();
  const tiers: { line: number; values: Map<string, number> }[] = [];
  for (const line of file.lines) {
    file.attempt(() => {
      const [key, value] = pairOf(file, line);
      if (key === 'tier') {
        if (value !== tiers.length) throw file.errorAt(line.line, `tier ${tiers.length} comes now`);
        tiers.push({ line: line.line, values: new Map() });
        return;
      }
      const own = HEAD.includes(key) ? head : tiers.at(-1)?.values;
      const known = HEAD.includes(key) ? HEAD : [...MUST, ...MAY, ...QUEUES];
      if (own === undefined || !known.includes(key)) {
        throw file.errorAt(line.line, `${show(line.words[0])} is not known here`);
      }
      if (own.has(key)) throw file.errorAt(line.line, `${line.words[0]!} is there twice`);
      own.set(key, value);
    });
  }
  file.settle();
  const read = tiers.flatMap(
    ({ line, values }, i) =>
      file.attempt(() => tierOf(file, line, values, i === tiers.length - 1)) ?? [],
  );
  file.settle();
  const topology = { ...headOf(file, head), tiers: read, notes: notesOf(tiers) };
  checkTree(file, topology);
  return topology;
}

function pairOf(file: WordFile, { line, words }: WordLine): [key: string, value: number] {
  const value = words.length === 2 ? wholeNumber(words[1]!) : null;
  if (value === null) throw file.errorAt(line, `${show(words.join(' '))}: a name and a number`);
  return [words[0]!.toLowerCase(), value];
}

function headOf(
  file: WordFile,
  head: ReadonlyMap<string, number>,
): Pick<TreeTopology, 'nodes' | 'podSize'> {
  const [nodes = 0, tiers] = [head.get('nodes'), head.get('tiers')];
  if (nodes < 1 || nodes > NODES_MOST) {
    throw file.errorAt(1, `Nodes is ${nodes}; 1 to ${NODES_MOST}`);
  }
  if (tiers !== 2 && tiers !== 3) throw file.errorAt(1, `Tiers is ${tiers ?? 'missing'}; 2 or 3`);
  return { nodes, podSize: head.get('podsize') ?? nodes };
}

function tierOf(
  file: WordFile,
  line: number,
  values: ReadonlyMap<string, number>,
  isTop: boolean,
): Tier {
  const missing = [...MUST, ...(isTop ? [] : ['radix_up'])].filter((key) => !values.has(key));
  if (missing.length > 0) throw file.errorAt(line, `the tier has no ${missing.join(', ')}`);
  const value = (key: string, usual: number): number => values.get(key) ?? usual;
  return {
    ...{ line, gbps: value('downlink_speed_gbps', 0), down: value('radix_down', 0) },
    up: isTop ? 0 : value('radix_up', 0),
    linkNs: value('downlink_latency_ns', 0),
    switchNs: value('switch_latency_ns', 0),
    oversubscribed: value('oversubscribed', 1),
    bundle: value('bundle', 1),
  };
}

function notesOf(tiers: readonly { readonly values: ReadonlyMap<string, number> }[]): ImportNote[] {
  const hasQueues = tiers.some(({ values }) => QUEUES.some((key) => values.has(key)));
  const how = 'htsim_uec takes sizes of its own unless -q; switches have their buffer here';
  return hasQueues ? [{ fate: 'ignored', what: 'Queue_Up, Queue_Down', how }] : [];
}

/** What goes up from a tier arrives in the next, in whole switches. */
function checkTree(file: WordFile, topology: TreeTopology): void {
  const { tiers, nodes, podSize } = topology;
  const fail = (line: number, message: string): void => {
    file.attempt(() => {
      throw file.errorAt(line, message);
    });
  };
  if (nodes % podSize !== 0) fail(1, `${nodes} nodes are no whole pods of ${podSize}`);
  for (const { line, down, bundle } of tiers) {
    if (down < 1 || bundle < 1 || down % bundle !== 0) {
      fail(line, `${down} links down in bundles of ${bundle}: both from 1, and whole bundles`);
    }
  }
  tiers.slice(0, -1).forEach((tier, i) => {
    const { gbps, bundle } = tiers[i + 1]!;
    const [below, above] = [tier.down * tier.gbps, tier.up * gbps * tier.oversubscribed];
    if (below !== above) {
      const what = `${tier.down} x ${tier.gbps} Gb/s down, and ${tier.up} x ${gbps} Gb/s up`;
      fail(tier.line, `${what} are not oversubscribed by ${tier.oversubscribed}`);
    }
    if (tier.up < 1 || tier.up % bundle !== 0) {
      fail(tier.line, `${tier.up} links up are no whole bundles of ${bundle}`);
    }
  });
  file.settle();
  switchCounts(topology).forEach((count, i) => {
    if (!Number.isInteger(count)) {
      fail(tiers[i]!.line, `the tier would have ${count.toFixed(2)} switches`);
    }
  });
  file.settle();
}

/** By tier: as many as the links from below fill. */
export function switchCounts({ nodes, tiers }: TreeTopology): number[] {
  const counts: number[] = [];
  let links = nodes;
  for (const { down, up } of tiers) {
    counts.push(links / down);
    links = (links / down) * up;
  }
  return counts;
}
