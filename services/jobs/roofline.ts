import { ANY, COMPUTE, RECEIVE, SEND, type SendsDone } from '../engine/contract/operations.js';
import { EventHeap } from './event-heap.js';
import { type JobGraph, rankOf } from './graph.js';

/** What a message takes at least; by operation, 0 of what is no send. */
export interface MessageTimes {
  /** From its start to its arrival, on an empty network. */
  readonly crossPs: Float64Array;
  /** Of the links of its hosts; 0: it stays within a host. */
  readonly sendingPs: Float64Array;
  readonly receivingPs: Float64Array;
  /** From its start until the NIC has taken its last frame. */
  readonly handedPs: Float64Array;
}

interface JobOnNetwork {
  readonly graph: JobGraph;
  readonly hostOfRank: Int32Array;
  readonly sendsDone: SendsDone;
  readonly times: MessageTimes;
}

/**
 * The roofline of a job: no network whose hosts have these links can end it sooner, and an ideal
 * one, whatever else it does, comes close. It is the larger of its longest path, where nothing
 * waits for a turn, and of what each link of a host and each stream has to do: Jackson's schedule,
 * which is the best that one server can do for work that comes by and by and has more behind it.
 */
export function rooflineOf(job: JobOnNetwork): number {
  return new Roofline(job).least();
}

/** Work of a server: not before its head, and so much is to follow it. */
interface Work {
  readonly headPs: number;
  readonly lengthPs: number;
  readonly tailPs: number;
}

class Roofline {
  private readonly graph: JobGraph;
  /** By operation: the earliest that it starts, and that it is done. */
  private readonly startPs: Float64Array;
  private readonly donePs: Float64Array;
  /** By operation: what has to follow its start, and its end. */
  private readonly afterStartPs: Float64Array;
  private readonly afterDonePs: Float64Array;
  /** By send: the receive that takes it, and by receive its send; -1: it is not known which. */
  private readonly other: Int32Array;
  private readonly order: Int32Array;

  constructor(private readonly job: JobOnNetwork) {
    this.graph = job.graph;
    const { count } = this.graph;
    this.startPs = new Float64Array(count);
    this.donePs = new Float64Array(count);
    this.afterStartPs = new Float64Array(count);
    this.afterDonePs = new Float64Array(count);
    this.other = pairsOf(this.graph);
    this.order = this.ordered();
    for (const operation of this.order) this.goForward(operation);
    for (let i = count - 1; i >= 0; i--) this.goBackward(this.order[i]!);
  }

  least(): number {
    let least = 0;
    for (let one = 0; one < this.graph.count; one++) {
      least = Math.max(least, this.donePs[one]! + this.afterDonePs[one]!);
    }
    for (const works of this.servers()) least = Math.max(least, jacksonPs(works));
    return least;
  }

  /** Each operation behind all that it waits for. */
  private ordered(): Int32Array {
    const { count, needs, afterDone, afterStart, kind } = this.graph;
    const left = Int32Array.from(needs);
    for (let one = 0; one < count; one++) {
      if (kind[one] === RECEIVE && this.other[one]! >= 0) left[one]!++;
    }
    const order = new Int32Array(count);
    let known = 0;
    const settle = (operation: number): void => {
      if (--left[operation]! === 0) order[known++] = operation;
    };
    for (let one = 0; one < count; one++) if (left[one] === 0) order[known++] = one;
    for (let at = 0; at < known; at++) {
      const one = order[at]!;
      for (const { first, to } of [afterDone, afterStart]) {
        for (let i = first[one]!; i < first[one + 1]!; i++) settle(to[i]!);
      }
      if (kind[one] === SEND && this.other[one]! >= 0) settle(this.other[one]!);
    }
    return order.subarray(0, known);
  }

  private goForward(operation: number): void {
    const { kind, afterDone, afterStart } = this.graph;
    const { startPs, donePs, other } = this;
    const start = startPs[operation]!;
    // A receive may know of its message already.
    const end = Math.max(donePs[operation]!, start + this.durationPs(operation));
    donePs[operation] = end;
    raise(startPs, afterDone, operation, end);
    raise(startPs, afterStart, operation, start);
    if (kind[operation] !== SEND || other[operation]! < 0) return;
    const receive = other[operation]!;
    donePs[receive] = Math.max(donePs[receive]!, start + this.job.times.crossPs[operation]!);
  }

  private goBackward(operation: number): void {
    const { kind, afterDone, afterStart } = this.graph;
    const { afterStartPs, afterDonePs } = this;
    const afterDonePart = mostOf(afterStartPs, afterDone, operation);
    afterDonePs[operation] = afterDonePart;
    let most = Math.max(
      this.durationPs(operation) + afterDonePart,
      mostOf(afterStartPs, afterStart, operation),
    );
    if (kind[operation] === SEND) {
      most = Math.max(most, this.job.times.crossPs[operation]! + this.afterArrivalPs(operation));
    }
    afterStartPs[operation] = most;
  }

  /** From its start until it is done, at least. */
  private durationPs(operation: number): number {
    const { kind, amount } = this.graph;
    const { times, sendsDone } = this.job;
    if (kind[operation] === RECEIVE) return 0;
    if (kind[operation] !== SEND) return kind[operation] === COMPUTE ? amount[operation]! : 0;
    const isHanded = sendsDone === 'handed' && times.sendingPs[operation]! > 0;
    return isHanded ? times.handedPs[operation]! : times.crossPs[operation]!;
  }

  /** What has to follow the arrival of a message. */
  private afterArrivalPs(send: number): number {
    const receive = this.other[send]!;
    return receive < 0 ? 0 : this.afterDonePs[receive]!;
  }

  /** What each stream has to do, and the link of each host in either direction. */
  private servers(): Iterable<Work[]> {
    const servers = new Map<string, Work[]>();
    const give = (server: string, work: Work): void => {
      const own = servers.get(server);
      if (own === undefined) servers.set(server, [work]);
      else own.push(work);
    };
    const { kind, amount, stream, peer, ranks, firstOfRank } = this.graph;
    const { hostOfRank } = this.job;
    for (let rank = 0; rank < ranks; rank++) {
      for (let one = firstOfRank[rank]!; one < firstOfRank[rank + 1]!; one++) {
        if (kind[one] === SEND && this.job.times.sendingPs[one]! > 0) {
          give(`send ${hostOfRank[rank]!}`, this.sendingOf(one));
          give(`receive ${hostOfRank[peer[one]!]!}`, this.receivingOf(one));
        } else if (kind[one] === COMPUTE && stream[one]! >= 0 && amount[one]! > 0) {
          const headPs = this.startPs[one]!;
          const tailPs = this.afterDonePs[one]!;
          give(`stream ${rank} ${stream[one]!}`, { headPs, lengthPs: amount[one]!, tailPs });
        }
      }
    }
    return servers.values();
  }

  private sendingOf(send: number): Work {
    const { times, sendsDone } = this.job;
    const lengthPs = times.sendingPs[send]!;
    const restPs = Math.max(0, times.crossPs[send]! - lengthPs);
    const donePs = sendsDone === 'handed' ? times.handedPs[send]! - lengthPs : restPs;
    const tailPs = Math.max(restPs + this.afterArrivalPs(send), donePs + this.afterDonePs[send]!);
    return { headPs: this.startPs[send]!, lengthPs, tailPs: Math.max(0, tailPs) };
  }

  private receivingOf(send: number): Work {
    const { times, sendsDone } = this.job;
    const lengthPs = times.receivingPs[send]!;
    const slowest = Math.max(lengthPs, times.sendingPs[send]!);
    const headPs = this.startPs[send]! + Math.max(0, times.crossPs[send]! - slowest);
    const ofSend = sendsDone === 'handed' ? 0 : this.afterDonePs[send]!;
    return { headPs, lengthPs, tailPs: Math.max(this.afterArrivalPs(send), ofSend) };
  }
}

/** Makes what a list names of an operation not earlier than a time. */
function raise(
  times: Float64Array,
  { first, to }: JobGraph['afterDone'],
  operation: number,
  timePs: number,
): void {
  for (let i = first[operation]!; i < first[operation + 1]!; i++) {
    if (times[to[i]!]! < timePs) times[to[i]!] = timePs;
  }
}

function mostOf(
  values: Float64Array,
  { first, to }: JobGraph['afterDone'],
  operation: number,
): number {
  let most = 0;
  for (let i = first[operation]!; i < first[operation + 1]!; i++) {
    most = Math.max(most, values[to[i]!]!);
  }
  return most;
}

/**
 * The k-th receive of a source and a tag takes the k-th send. Which one a receive takes that has
 * several to choose from is known when they arrive, and not to a bound.
 */
function pairsOf(graph: JobGraph): Int32Array {
  const { count, kind, peer, tag } = graph;
  const other = new Int32Array(count).fill(-1);
  const waiting = new Map<string, number[]>();
  const wild = new Set<number>();
  for (let one = 0; one < count; one++) {
    if (kind[one] !== RECEIVE) continue;
    const rank = rankOf(graph, one);
    if (peer[one] === ANY || tag[one] === ANY) wild.add(rank);
    const key = `${rank} ${peer[one]!} ${tag[one]!}`;
    const own = waiting.get(key);
    if (own === undefined) waiting.set(key, [one]);
    else own.push(one);
  }
  const taken = new Map<string, number>();
  for (let one = 0; one < count; one++) {
    if (kind[one] !== SEND || wild.has(peer[one]!)) continue;
    const key = `${peer[one]!} ${rankOf(graph, one)} ${tag[one]!}`;
    const k = taken.get(key) ?? 0;
    taken.set(key, k + 1);
    const receive = waiting.get(key)?.[k];
    if (receive === undefined) continue;
    other[one] = receive;
    other[receive] = one;
  }
  return other;
}

/** When all work of a server has been followed by what has to, the longest tail first. */
function jacksonPs(works: readonly Work[]): number {
  const byHead = works.toSorted((a, b) => a.headPs - b.headPs);
  const there = new EventHeap<{ dueAt: number; number: number; leftPs: number }>();
  let [now, next, most] = [0, 0, 0];
  for (;;) {
    const own = there.pop();
    if (own === null) {
      if (next === byHead.length) return most;
      now = Math.max(now, byHead[next]!.headPs);
    } else {
      // Until it is done, or until something comes whose tail may be longer.
      const until = byHead[next]?.headPs ?? Infinity;
      const partPs = Math.min(own.leftPs, until - now);
      now += partPs;
      if (partPs < own.leftPs) there.push({ ...own, leftPs: own.leftPs - partPs });
      else most = Math.max(most, now - own.dueAt);
    }
    for (; next < byHead.length && byHead[next]!.headPs <= now; next++) {
      const { tailPs, lengthPs } = byHead[next]!;
      there.push({ dueAt: -tailPs, number: next, leftPs: lengthPs });
    }
  }
}
