import { type OperationLists, RECEIVE, SEND } from '../engine/contract/operations.js';
import { Dependencies } from '../engine/operations/dependencies.js';
import { Matching } from '../engine/operations/matching.js';
import { EventHeap, type Due } from './event-heap.js';
import { type JobGraph, rankOf } from './graph.js';
import { matchingOf } from './matching-of.js';

/**
 * The LogGOPS model of a network without frames (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010):
 * times in nanoseconds, as LogGOPSim 76451de computes them on ranks with one processor. There, a
 * computation delays what depends on it by its processor alone; here, by its end on any processor.
 */
export interface LogGops {
  /** Latency of a message. */
  readonly L: number;
  /** Time of a processor for a message, at either end. */
  readonly o: number;
  /** Time between two messages of a NIC. */
  readonly g: number;
  /** Time of an octet on a NIC. */
  readonly G: number;
  /** Time of a processor for an octet. */
  readonly O: number;
  /** Messages beyond this size wait for their receive. */
  readonly S: number;
}

export const LOGGOPS: LogGops = { L: 2500, o: 1500, g: 1000, G: 6, O: 0, S: 65535 };

const PS_PER_NS = 1000;

/** By rank: when its processors are free for good, in nanoseconds; null: it never ends. */
export function runLogGops(graph: JobGraph, model: LogGops = LOGGOPS): (number | null)[] {
  return new LogGopsRun(graph, model).run();
}

interface Event extends Due {
  /** In nanoseconds. */
  dueAt: number;
  readonly operation: number;
  /** The message of a send has come; otherwise an operation is ready. */
  readonly isMessage: boolean;
}

class LogGopsRun {
  private readonly dependencies: Dependencies;
  private readonly matching: Matching;
  private readonly rank: Int32Array;
  /** By operation: its number among the messages. */
  private readonly messageOf: Int32Array;
  private readonly sends: number[] = [];
  /** By rank and processor, or NIC. */
  private readonly freeNs: Float64Array;
  private readonly sendFreeNs: Float64Array;
  private readonly receiveFreeNs: Float64Array;
  /** By operation: the latest end of what it waits for. */
  private readonly notBeforeNs: Float64Array;
  /** By operation: the number of the last edge that released it; LogGOPSim starts by it. */
  private readonly releasedAs: Int32Array;
  private releases = 0;
  private readonly processors: number;
  private readonly events = new EventHeap<Event>();
  private ready: number[] = [];
  private numbered = 0;
  private done = 0;

  constructor(
    private readonly graph: JobGraph,
    private readonly model: LogGops,
  ) {
    const { count, ranks, kind, stream } = graph;
    this.dependencies = new Dependencies(graph);
    this.rank = Int32Array.from({ length: count }, (_, operation) => rankOf(graph, operation));
    this.messageOf = new Int32Array(count).fill(-1);
    for (let operation = 0; operation < count; operation++) {
      if (kind[operation] === SEND) this.messageOf[operation] = this.sends.push(operation) - 1;
    }
    const all = Int32Array.from({ length: count }, (_, operation) => operation);
    this.matching = new Matching(matchingOf(graph, all, this.sends));
    this.processors = 1 + stream.reduce((most, one) => Math.max(most, one), 0);
    this.freeNs = new Float64Array(ranks * this.processors);
    this.sendFreeNs = new Float64Array(ranks);
    this.receiveFreeNs = new Float64Array(ranks);
    this.notBeforeNs = new Float64Array(count);
    this.releasedAs = new Int32Array(count);
  }

  run(): (number | null)[] {
    const { count, ranks, firstOfRank } = this.graph;
    this.dependencies.open(0, count, 0);
    this.plan();
    for (let event = this.events.pop(); event !== null; event = this.events.pop()) {
      if (event.isMessage) this.takeMessage(event);
      else this.begin(event);
      this.plan();
    }
    if (this.done < count) return Array.from({ length: ranks }, () => null);
    return Array.from({ length: ranks }, (_, rank) => {
      const own = this.freeNs.subarray(rank * this.processors, (rank + 1) * this.processors);
      return firstOfRank[rank] === firstOfRank[rank + 1] ? 0 : Math.max(...own);
    });
  }

  /** What has become ready: sends of a rank first, then receives, then computations. */
  private plan(): void {
    const { kind } = this.graph;
    this.ready = [];
    this.dependencies.settle((operation) => this.ready.push(operation));
    const order = (operation: number): number =>
      kind[operation] === SEND ? 0 : kind[operation] === RECEIVE ? 1 : 2;
    this.ready.sort(
      (a, b) =>
        this.rank[a]! - this.rank[b]! ||
        order(a) - order(b) ||
        this.releasedAs[a]! - this.releasedAs[b]! ||
        a - b,
    );
    for (const operation of this.ready) this.post(operation, this.earliest(operation), false);
  }

  private post(operation: number, timeNs: number, isMessage: boolean): void {
    this.events.push({ dueAt: timeNs, number: this.numbered++, operation, isMessage });
  }

  private processorOf(operation: number, rank = this.rank[operation]!): number {
    return rank * this.processors + Math.max(0, this.graph.stream[operation]!);
  }

  private earliest(operation: number): number {
    const processorNs = this.freeNs[this.processorOf(operation)]!;
    const isSend = this.graph.kind[operation] === SEND;
    const nicNs = isSend ? this.sendFreeNs[this.rank[operation]!]! : 0;
    return Math.max(processorNs, nicNs, this.notBeforeNs[operation]!);
  }

  private begin(event: Event): void {
    const { operation, dueAt: timeNs } = event;
    const { kind } = this.graph;
    if (kind[operation] === RECEIVE) {
      this.receive(operation, timeNs);
      return;
    }
    const earliest = this.earliest(operation);
    if (earliest > timeNs) {
      event.dueAt = earliest;
      this.events.push(event);
      return;
    }
    this.start(operation, timeNs);
    if (kind[operation] === SEND) this.send(operation, timeNs);
    else {
      const endNs = timeNs + this.graph.amount[operation]! / PS_PER_NS;
      this.freeNs[this.processorOf(operation)] = endNs;
      this.finish(operation, endNs);
    }
  }

  private send(operation: number, timeNs: number): void {
    const { o, O, g, G, L, S } = this.model;
    const octets = this.graph.amount[operation]!;
    this.freeNs[this.processorOf(operation)] = timeNs + o + (octets - 1) * O;
    this.sendFreeNs[this.rank[operation]!] = timeNs + g + (octets - 1) * G;
    this.post(operation, timeNs + o + L, true);
    if (octets <= S) this.finish(operation, timeNs);
  }

  private receive(operation: number, timeNs: number): void {
    this.start(operation, timeNs);
    if (!this.matching.post(operation)) return;
    this.release(this.sends[this.matching.messageOf(operation)]!, timeNs);
    this.finish(operation, timeNs);
  }

  private takeMessage(event: Event): void {
    const { operation: send, dueAt: timeNs } = event;
    const { o, O, g, G } = this.model;
    const rank = this.graph.peer[send]!;
    const processor = this.processorOf(send, rank);
    const freeNs = Math.max(this.freeNs[processor]!, this.receiveFreeNs[rank]!);
    if (freeNs > timeNs) {
      event.dueAt = freeNs;
      this.events.push(event);
      return;
    }
    const octets = this.graph.amount[send]!;
    this.freeNs[processor] = timeNs + o + laterOctets(octets, O, G);
    this.receiveFreeNs[rank] = timeNs + g + (octets - 1) * G;
    const receive = this.matching.arrive(this.messageOf[send]!);
    if (receive < 0) return;
    this.release(send, timeNs);
    this.finish(receive, timeNs);
  }

  /** A message that waited for its receive: its sender goes on at the time of the match. */
  private release(send: number, timeNs: number): void {
    if (this.graph.amount[send]! <= this.model.S) return;
    const [processor, rank] = [this.processorOf(send), this.rank[send]!];
    this.freeNs[processor] = Math.max(this.freeNs[processor]!, timeNs);
    this.sendFreeNs[rank] = Math.max(this.sendFreeNs[rank]!, timeNs);
    this.finish(send, timeNs);
  }

  private start(operation: number, timeNs: number): void {
    this.delay(this.graph.afterStart, operation, timeNs);
    this.dependencies.started(operation, timeNs);
  }

  /** What waits for an operation begins no earlier than this. */
  private delay({ first, to }: OperationLists, operation: number, timeNs: number): void {
    for (let i = first[operation]!; i < first[operation + 1]!; i++) {
      this.notBeforeNs[to[i]!] = Math.max(this.notBeforeNs[to[i]!]!, timeNs);
      this.releasedAs[to[i]!] = ++this.releases;
    }
  }

  private finish(operation: number, timeNs: number): void {
    this.delay(this.graph.afterDone, operation, timeNs);
    this.dependencies.done(operation, timeNs);
    this.done++;
  }
}

/**
 * Time of all octets but the first, at the slower of processor and NIC. A message without octets
 * has less than the first: LogGOPSim computes in unsigned numbers, of which 0 is the least.
 */
function laterOctets(octets: number, O: number, G: number): number {
  if (octets > 0) return (octets - 1) * Math.max(O, G);
  return O === 0 || G === 0 ? -(O + G) : -Math.min(O, G);
}
