import type {
  MatchingSpec,
  OperationLists,
  OperationsSpec,
  RankSpec,
} from '../../engine/contract/operations.js';
import { RECEIVE, SEND } from '../../engine/contract/operations.js';
import { rankOf } from '../../jobs/graph.js';
import { matchingOf } from '../../jobs/matching-of.js';
import type { Job, JobPlace } from '../load/job.js';
import type { FlowEnds } from './assembly.js';

export interface OperationsPlan {
  readonly jobs: readonly JobPlace[];
  /** Null: no rank is at the host. */
  ofHost(host: number, receives: number): OperationsSpec | null;
}

/** Distributes the operations of jobs to the hosts of their ranks. */
export function planOperations(
  jobs: readonly Job[],
  flowEnds: readonly FlowEnds[],
): OperationsPlan {
  const counts = new Map<number, number>();
  const messages = new Map<number, number>();
  const byHost = new Map<number, [place: JobPlace, rank: number][]>();
  const places = jobs.map((job) => {
    const { graph, hostOfRank } = job;
    const firstAtHost = new Int32Array(graph.ranks);
    const sendsTo = sendsByHost(job);
    const firstMessage = new Map<number, number>();
    for (const [host, sends] of sendsTo) {
      const first = messages.get(host) ?? 0;
      firstMessage.set(host, first);
      messages.set(host, first + sends.length);
    }
    const place: JobPlace = { job, firstAtHost, sendsTo, firstMessage };
    hostOfRank.forEach((host, rank) => {
      const first = counts.get(host) ?? 0;
      firstAtHost[rank] = first;
      counts.set(host, first + graph.firstOfRank[rank + 1]! - graph.firstOfRank[rank]!);
      const own = byHost.get(host);
      if (own === undefined) byHost.set(host, [[place, rank]]);
      else own.push([place, rank]);
    });
    return place;
  });
  return {
    jobs: places,
    ofHost: (host, receives) => {
      const ranks = byHost.get(host);
      if (ranks === undefined) return null;
      return new HostPlan(host, counts.get(host)!, receives, flowEnds).plan(ranks);
    },
  };
}

function sendsByHost({ graph, hostOfRank }: Job): Map<number, number[]> {
  const sends = new Map<number, number[]>();
  for (let operation = 0; operation < graph.count; operation++) {
    if (graph.kind[operation] !== SEND) continue;
    const host = hostOfRank[graph.peer[operation]!]!;
    const own = sends.get(host);
    if (own === undefined) sends.set(host, [operation]);
    else own.push(operation);
  }
  return sends;
}

class HostPlan {
  private readonly needs: Int32Array;
  private readonly kind: Uint8Array;
  private readonly durationPs: Float64Array;
  private readonly stream: Int32Array;
  private readonly connection: Int32Array;
  private readonly localMessage: Int32Array;
  private readonly messageOf: Int32Array;
  private readonly ranks: RankSpec[] = [];
  private readonly parts: MatchingSpec[] = [];
  private streams = 0;

  constructor(
    private readonly host: number,
    private readonly count: number,
    receives: number,
    private readonly flowEnds: readonly FlowEnds[],
  ) {
    this.needs = new Int32Array(count);
    this.kind = new Uint8Array(count);
    this.durationPs = new Float64Array(count);
    this.stream = new Int32Array(count).fill(-1);
    this.connection = new Int32Array(count).fill(-1);
    this.localMessage = new Int32Array(count).fill(-1);
    this.messageOf = new Int32Array(receives).fill(-1);
  }

  plan(places: readonly (readonly [place: JobPlace, rank: number])[]): OperationsSpec {
    const lists = { done: new ListsOfRanks(this.count), started: new ListsOfRanks(this.count) };
    for (const [{ job, firstAtHost }, rank] of places) {
      const { firstOfRank, afterDone, afterStart } = job.graph;
      const [from, to] = [firstOfRank[rank]!, firstOfRank[rank + 1]!];
      const first = firstAtHost[rank]!;
      this.addRank(job, from, to, first);
      lists.done.add(afterDone, from, to, first);
      lists.started.add(afterStart, from, to, first);
    }
    for (const place of new Set(places.map(([one]) => one))) {
      const own = places.flatMap(([one, rank]) => (one === place ? [rank] : []));
      this.addMessages(place, own);
    }
    const { count, needs, kind, durationPs, stream, streams } = this;
    const { connection, localMessage, messageOf, ranks } = this;
    return {
      ...{ count, needs, kind, durationPs, stream, streams, connection, localMessage },
      ...{ messageOf, ranks, matching: joined(this.parts) },
      afterDone: lists.done.lists(),
      afterStart: lists.started.lists(),
    };
  }

  private addRank(job: Job, from: number, to: number, first: number): void {
    const { graph, startPs, sendsDone, flowOf } = job;
    this.ranks.push({ first, count: to - from, startPs, sendsDone });
    let streams = 0;
    for (let operation = from; operation < to; operation++) {
      const at = first + operation - from;
      const own = graph.stream[operation]!;
      this.needs[at] = graph.needs[operation]!;
      this.kind[at] = graph.kind[operation]!;
      if (graph.kind[operation] === SEND || graph.kind[operation] === RECEIVE) continue;
      this.durationPs[at] = graph.amount[operation]!;
      if (own < 0) continue;
      this.stream[at] = this.streams + own;
      streams = Math.max(streams, own + 1);
    }
    // Behind its processors: what a rank sends within the host, one message after the other.
    const box = this.streams + streams;
    for (let operation = from; operation < to; operation++) {
      if (graph.kind[operation] !== SEND) continue;
      const at = first + operation - from;
      const flow = flowOf[operation]!;
      if (flow >= 0) this.connection[at] = this.flowEnds[flow]!.send.connection;
      else {
        this.stream[at] = box;
        this.durationPs[at] = job.boxPs + Math.round(graph.amount[operation]! * job.boxOctetPs);
      }
    }
    this.streams = box + 1;
  }

  /** Messages to the ranks of a job that are at this host. */
  private addMessages(
    { job: { graph, flowOf }, firstAtHost, sendsTo, firstMessage }: JobPlace,
    ranks: readonly number[],
  ): void {
    const operations: number[] = [];
    const sends = sendsTo.get(this.host) ?? [];
    const own = new Int32Array(this.count).fill(-1);
    for (const rank of ranks) {
      const [from, to] = [graph.firstOfRank[rank]!, graph.firstOfRank[rank + 1]!];
      for (let operation = from; operation < to; operation++) {
        own[firstAtHost[rank]! + operation - from] = operation;
        operations.push(operation);
      }
    }
    sends.forEach((send, i) => {
      const flow = flowOf[send]!;
      const message = (firstMessage.get(this.host) ?? 0) + i;
      if (flow >= 0) this.messageOf[this.flowEnds[flow]!.receives[0]!.connection] = message;
      else {
        const rank = rankOf(graph, send);
        this.localMessage[firstAtHost[rank]! + send - graph.firstOfRank[rank]!] = message;
      }
    });
    const matching = matchingOf(graph, operations, sends);
    // Its operations are spread over those of the host.
    const patternOf = new Int32Array(this.count).fill(-1);
    let next = 0;
    own.forEach((operation, at) => {
      if (operation >= 0) patternOf[at] = matching.patternOf[next++]!;
    });
    this.parts.push({ ...matching, patternOf });
  }
}

/** Lists of several ranks, in the numbers of their host. */
class ListsOfRanks {
  private readonly first: Int32Array;
  private readonly to: number[] = [];

  constructor(private readonly count: number) {
    this.first = new Int32Array(count + 1);
  }

  /** Ranks come in the order of their operations at the host. */
  add({ first, to }: OperationLists, from: number, end: number, at: number): void {
    for (let operation = from; operation < end; operation++) {
      this.first[at + operation - from] = this.to.length;
      for (let i = first[operation]!; i < first[operation + 1]!; i++) {
        this.to.push(to[i]! - from + at);
      }
    }
  }

  lists(): OperationLists {
    this.first[this.count] = this.to.length;
    return { first: this.first, to: Int32Array.from(this.to) };
  }
}

/** The matching of several jobs, none of which takes messages of another. */
function joined(parts: readonly MatchingSpec[]): MatchingSpec {
  const [only] = parts;
  if (parts.length === 1) return only!;
  const patternOf = new Int32Array(only!.patternOf.length).fill(-1);
  const channelOf: number[] = [];
  const [ofChannels, ofPatterns] = [new JoinedLists(), new JoinedLists()];
  let [patterns, channels] = [0, 0];
  for (const part of parts) {
    part.patternOf.forEach((pattern, at) => {
      if (pattern >= 0) patternOf[at] = patterns + pattern;
    });
    for (const channel of part.channelOf) channelOf.push(channels + channel);
    ofChannels.add(part.patternsOfChannel, patterns);
    ofPatterns.add(part.channelsOfPattern, channels);
    patterns += part.patterns;
    channels += part.patternsOfChannel.first.length - 1;
  }
  return {
    patterns,
    patternOf,
    channelOf: Int32Array.from(channelOf),
    patternsOfChannel: ofChannels.lists(),
    channelsOfPattern: ofPatterns.lists(),
  };
}

class JoinedLists {
  private readonly first: number[] = [];
  private readonly to: number[] = [];

  add({ first, to }: OperationLists, offset: number): void {
    const base = this.to.length;
    for (const one of to) this.to.push(offset + one);
    for (let i = 0; i + 1 < first.length; i++) this.first.push(base + first[i]!);
  }

  lists(): OperationLists {
    return {
      first: Int32Array.from([...this.first, this.to.length]),
      to: Int32Array.from(this.to),
    };
  }
}
