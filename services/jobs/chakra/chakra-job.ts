import { COMPUTE, ENTER, LEAVE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import { show } from '../../settings/errors.js';
import { GraphBuilder, type JobGraph, type RankBuilder } from '../graph.js';
import { type JobSource, settleAll } from '../source.js';
import { COLLECTIVES, weaveMessages } from '../steps/collectives.js';
import { Weaver } from '../steps/weaver.js';
import { type ChakraNode, isKnownType, NODE, titleOfNode } from './read-trace.js';

const PS_PER_US = 1e6;

/** Resources of a rank, one operation at a time in each, as ASTRA-sim 518bd51 has them. */
const [CPU, GPU, COMMUNICATION] = [0, 1, 2];

/** By comm_type; null is not supported. */
const KINDS: readonly (string | null)[] = [
  'all-reduce',
  'reduce',
  'all-gather',
  null,
  null,
  'broadcast',
  'all-to-all',
  'reduce-scatter',
  'reduce-scatter',
  'barrier',
];
const NAMES = ['all-reduce', 'reduce', 'all-gather', 'gather', 'scatter'];

/** The trace of a rank, and where its errors are said. */
export interface RankTrace {
  readonly source: JobSource;
  readonly nodes: readonly ChakraNode[];
}

interface ChakraOptions {
  /** Dependencies that count: of data, or of control as well. */
  readonly edges: 'data' | 'data+control';
}

/** The job of some traces, one for each rank; throws their errors, all at once. */
export function chakraJob(traces: readonly RankTrace[], options: ChakraOptions): JobGraph {
  return new ChakraJob(traces, options).build();
}

/** A node's operations: what depends on it waits for the last, and it waits with the first. */
interface Placed {
  readonly first: number;
  readonly last: number;
}

/** A collective at one of its ranks. */
interface Member extends Placed {
  readonly rank: number;
  readonly node: ChakraNode;
  readonly kind: string;
  readonly octets: number;
}

class ChakraJob {
  private readonly builder: GraphBuilder;
  private readonly groups = new Map<string, readonly number[]>();
  /** By group: the collectives of each of its ranks, in ascending order of nodes. */
  private readonly members = new Map<string, Member[][]>();

  constructor(
    private readonly traces: readonly RankTrace[],
    private readonly options: ChakraOptions,
  ) {
    this.builder = new GraphBuilder(traces.length);
  }

  build(): JobGraph {
    for (const { source, nodes } of this.traces) {
      for (const node of nodes) {
        source.attempt(() => {
          this.readGroups(source, node);
        });
      }
    }
    this.traces.forEach((trace, rank) => {
      this.addRank(trace, rank);
    });
    this.settle();
    const weaver = new Weaver(this.traces.length, this.builder);
    for (const [name, members] of this.members) {
      this.traces[this.groupOf(name)[0]!]!.source.attempt(() => {
        this.weave(weaver, name, members);
      });
    }
    this.settle();
    return this.builder.build();
  }

  private settle(): void {
    settleAll(this.traces.map(({ source }) => source));
  }

  private readGroups(source: JobSource, node: ChakraNode): void {
    if (node.type !== NODE.METADATA || !node.inputs.startsWith('[')) return;
    const listed = listedGroups(node.inputs);
    if (listed === null) throw source.errorAt(0, `${titleOfNode(node)}: its groups are not JSON`);
    for (const { pg_name: name, ranks } of listed) {
      if (typeof name !== 'string' || !Array.isArray(ranks)) continue;
      const stray = (ranks as readonly unknown[]).find((rank) => !this.isRank(rank));
      if (stray !== undefined) {
        const what = `group ${name} has rank ${show(stray)}`;
        throw source.errorAt(0, `${titleOfNode(node)}: ${what} of ${this.traces.length}`);
      }
      if (ranks.length > 0) this.groups.set(name, ranks as number[]);
    }
  }

  private isRank(rank: unknown): rank is number {
    return Number.isInteger(rank) && (rank as number) >= 0 && (rank as number) < this.traces.length;
  }

  private groupOf(name: string): readonly number[] {
    return this.groups.get(name) ?? this.traces.map((_, rank) => rank);
  }

  private addRank({ source, nodes }: RankTrace, rank: number): void {
    const own = this.builder.ranks[rank]!;
    const placed = new Map<number, Placed>();
    const ids = new Set<number>();
    // Ready nodes begin in ascending order: their operations are in it.
    for (const node of nodes.toSorted((a, b) => a.id - b.id)) {
      source.attempt(() => {
        if (ids.has(node.id)) throw source.errorAt(0, `two nodes have the id ${node.id}`);
        ids.add(node.id);
        placed.set(node.id, this.addNode(source, own, node, rank));
      });
    }
    for (const node of nodes) {
      for (const id of this.neededBy(node)) {
        source.attempt(() => {
          if (id === node.id) throw source.errorAt(0, `${titleOfNode(node)} depends on itself`);
          if (!ids.has(id)) {
            const what = `depends on node ${id}, which is not there`;
            throw source.errorAt(0, `${titleOfNode(node)} ${what}`);
          }
          // One of them has an error of its own.
          const [later, earlier] = [placed.get(node.id), placed.get(id)];
          if (later && earlier) own.require(later.first, earlier.last, 'done');
        });
      }
    }
  }

  private neededBy({ dataDependencies, controlDependencies }: ChakraNode): Set<number> {
    const { edges } = this.options;
    return new Set(
      edges === 'data' ? dataDependencies : [...dataDependencies, ...controlDependencies],
    );
  }

  private addNode(source: JobSource, own: RankBuilder, node: ChakraNode, rank: number): Placed {
    const { type, name, id, attributes } = node;
    if (!isKnownType(type)) {
      throw source.errorAt(0, `${titleOfNode(node)} has type ${type}; 1 to ${NODE.COLLECTIVE}`);
    }
    const details = { name, origin: id };
    const isOnCpu = attributes['is_cpu_op'] === true || attributes['is_cpu_op'] === 1;
    if (type === NODE.METADATA) {
      const only = own.add(COMPUTE, 0, { ...details, stream: -1 });
      return { first: only, last: only };
    }
    const isCollective = type === NODE.COLLECTIVE && 'comm_type' in attributes;
    if (type !== NODE.SEND && type !== NODE.RECEIVE && !isCollective) {
      const durationPs = this.number(source, node, 'microseconds', node.microseconds) * PS_PER_US;
      const only = own.add(COMPUTE, durationPs, { ...details, stream: isOnCpu ? CPU : GPU });
      return { first: only, last: only };
    }
    if (isCollective) return this.addCollective(source, own, node, rank);
    const octets = this.number(source, node, 'comm_size', attributes['comm_size'] ?? 0);
    const key = type === NODE.SEND ? 'comm_dst' : 'comm_src';
    const peer = attributes[key];
    if (!this.isRank(peer) || peer === rank) {
      const what = `${key} is ${show(peer)}`;
      throw source.errorAt(
        0,
        `${titleOfNode(node)}: ${what}; another of ${this.traces.length} ranks`,
      );
    }
    const tag = this.number(source, node, 'comm_tag', attributes['comm_tag'] ?? 0);
    const message = { ...details, peer, tag, stream: -1 };
    if (type === NODE.RECEIVE) {
      const only = own.add(RECEIVE, octets, message);
      return { first: only, last: only };
    }
    const first = own.add(ENTER, 0, { ...details, stream: COMMUNICATION });
    const send = own.add(SEND, octets, message);
    const last = own.add(LEAVE, 0, { ...details, stream: COMMUNICATION });
    own.require(send, first, 'done');
    own.require(last, send, 'done');
    return { first, last };
  }

  private addCollective(
    source: JobSource,
    own: RankBuilder,
    node: ChakraNode,
    rank: number,
  ): Placed {
    const { attributes, name, id } = node;
    const type = Number(attributes['comm_type']);
    const kind = KINDS[type] ?? null;
    if (kind === null) {
      const what = `comm_type ${show(attributes['comm_type'])} (${NAMES[type] ?? 'unknown'})`;
      throw source.errorAt(0, `${titleOfNode(node)}: ${what} is not supported`);
    }
    const group = String(attributes['pg_name'] ?? '');
    if (group !== '' && group !== '0' && !this.groups.has(group)) {
      throw source.errorAt(0, `${titleOfNode(node)}: there is no group ${show(group)}`);
    }
    const ranks = this.groupOf(group);
    const place = ranks.indexOf(rank);
    if (place < 0) {
      throw source.errorAt(0, `${titleOfNode(node)}: rank ${rank} is not in its group ${group}`);
    }
    const size = this.number(source, node, 'comm_size', attributes['comm_size'] ?? 0);
    // Of an all-gather it is what each rank contributes.
    const octets = kind === 'all-gather' ? size * ranks.length : size;
    const details = { name, origin: id, stream: COMMUNICATION };
    const first = own.add(ENTER, 0, details);
    const last = own.add(LEAVE, 0, details);
    const members = this.members.get(group) ?? ranks.map(() => []);
    this.members.set(group, members);
    members[place]!.push({ rank, node, kind, octets, first, last });
    return { first, last };
  }

  /** The k-th collective of a group is one at all of its ranks. */
  private weave(weaver: Weaver, name: string, members: readonly Member[][]): void {
    const group = this.groupOf(name);
    const most = Math.max(...members.map(({ length }) => length));
    for (let k = 0; k < most; k++) {
      const short = members.findIndex(({ length }) => length <= k);
      const [example] = members.flatMap((own) => own[k] ?? []);
      const { source } = this.traces[example!.rank]!;
      const title = `${titleOfNode(example!.node)} of rank ${example!.rank}`;
      if (short >= 0) {
        const what = `rank ${group[short]!} has ${members[short]!.length} collectives of its group`;
        throw source.errorAt(0, `${title} waits for ever: ${what}, others ${most}`);
      }
      const all = members.map((own) => own[k]!);
      const other = all.find(
        ({ kind, octets }) => kind !== all[0]!.kind || octets !== all[0]!.octets,
      );
      if (other !== undefined) {
        const what = `${all[0]!.kind} of ${all[0]!.octets} octets`;
        const { node, rank } = other;
        const its = `${titleOfNode(node)} of rank ${rank} is ${other.kind} of ${other.octets}`;
        throw source.errorAt(0, `${title} is ${what}, and ${its}: they are one collective`);
      }
      const { kind, octets } = all[0]!;
      const step = { kind, group, octets };
      const startOf = new Map(all.map(({ rank, first }) => [rank, first]));
      weaver.weave(
        step,
        (rank) => startOf.get(rank)!,
        () => {
          const [algorithm] = Object.keys(COLLECTIVES[kind]!.algorithms);
          weaveMessages(weaver, step, { algorithm: algorithm!, chunks: 1 });
        },
      );
      for (const { rank, first, last } of all) {
        const own = this.builder.ranks[rank]!;
        for (const operation of [first, ...weaver.joined[rank]!])
          own.require(last, operation, 'done');
      }
    }
  }

  private number(source: JobSource, node: ChakraNode, key: string, value: unknown): number {
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    throw source.errorAt(
      0,
      `${titleOfNode(node)}: ${key} is ${show(value)}; a whole number from 0`,
    );
  }
}

interface ListedGroup {
  readonly pg_name?: unknown;
  readonly ranks?: unknown;
}

/** A list of groups, as it is or as the only string of a list, whose quotes are not escaped. */
function listedGroups(inputs: string): readonly ListedGroup[] | null {
  const text = /^\["([^]*)"\]$/.exec(inputs)?.[1] ?? inputs;
  try {
    const listed: unknown = JSON.parse(text);
    const isList = Array.isArray(listed) && listed.every((one) => typeof one === 'object' && one);
    return isList ? (listed as readonly ListedGroup[]) : null;
  } catch {
    return null;
  }
}
