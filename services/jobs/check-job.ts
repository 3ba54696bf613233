import { ANY, ENTER, LEAVE, RECEIVE, SEND } from '../engine/contract/operations.js';
import { Dependencies } from '../engine/operations/dependencies.js';
import { Matching } from '../engine/operations/matching.js';
import { type JobGraph, rankOf } from './graph.js';
import { matchingOf } from './matching-of.js';

/** Operations that a message names. */
const SHOWN = 8;

/** Something that keeps a job from ending, at the place in the file of a rank. */
interface JobDefect {
  readonly rank: number;
  readonly origin: number;
  readonly message: string;
}

/**
 * Executes a job's graph without time or network, as far as it goes. What is left over then waits
 * for ever: for itself, for a message that nobody sends, or for a receive that nobody posts.
 */
export function defectsOf(graph: JobGraph): JobDefect[] {
  return new Rehearsal(graph).defects();
}

class Rehearsal {
  private readonly dependencies: Dependencies;
  private readonly matching: Matching;
  private readonly sends: number[] = [];
  private readonly messageOf: Int32Array;
  private readonly isStarted: Uint8Array;
  private readonly isDone: Uint8Array;
  private readonly takenBy: Int32Array;
  private doneCount = 0;
  private pending: number[][] | null = null;

  constructor(private readonly graph: JobGraph) {
    const { count, kind } = graph;
    this.dependencies = new Dependencies(graph);
    this.messageOf = new Int32Array(count).fill(-1);
    for (let operation = 0; operation < count; operation++) {
      if (kind[operation] === SEND) this.messageOf[operation] = this.sends.push(operation) - 1;
    }
    const all = Int32Array.from({ length: count }, (_, operation) => operation);
    this.matching = new Matching(matchingOf(graph, all, this.sends));
    this.isStarted = new Uint8Array(count);
    this.isDone = new Uint8Array(count);
    this.takenBy = new Int32Array(this.sends.length).fill(-1);
  }

  defects(): JobDefect[] {
    this.dependencies.open(0, this.graph.count, 0);
    this.dependencies.settle((operation) => {
      this.perform(operation);
    });
    if (this.doneCount < this.graph.count) return this.whatIsLeft();
    return this.sends.flatMap((send, message) => this.ofMessage(send, this.takenBy[message]!));
  }

  private perform(operation: number): void {
    const { kind } = this.graph;
    this.isStarted[operation] = 1;
    this.dependencies.started(operation, 0);
    if (kind[operation] === RECEIVE) {
      if (this.matching.post(operation)) this.take(operation);
      return;
    }
    this.finish(operation);
    if (kind[operation] !== SEND) return;
    const receive = this.matching.arrive(this.messageOf[operation]!);
    if (receive >= 0) this.take(receive);
  }

  private take(receive: number): void {
    this.takenBy[this.matching.messageOf(receive)] = receive;
    this.finish(receive);
  }

  private finish(operation: number): void {
    this.isDone[operation] = 1;
    this.doneCount++;
    this.dependencies.done(operation, 0);
  }

  private ofMessage(send: number, receive: number): JobDefect[] {
    const { amount, origin } = this.graph;
    if (receive < 0) return [this.unmatched(send)];
    if (amount[send]! <= amount[receive]!) return [];
    const most = amount[receive]!;
    const sizes = `${amount[send]!} octets, and the receive that takes them has ${most}`;
    const where = `${this.titleOf(receive)} (${this.placeOf(receive)})`;
    return [
      {
        rank: rankOf(this.graph, send),
        origin: origin[send]!,
        message: `${this.titleOf(send)} sends ${sizes}: ${where}`,
      },
    ];
  }

  /** Cycles, and operations that wait for what never comes; what waits for those is not named. */
  private whatIsLeft(): JobDefect[] {
    const { count, kind } = this.graph;
    const found: JobDefect[] = [];
    const cycle = this.cycle();
    if (cycle !== null) found.push(cycle);
    for (let operation = 0; operation < count; operation++) {
      const isReceive = kind[operation] === RECEIVE && this.isStarted[operation] === 1;
      if (isReceive && this.isDone[operation] === 0 && this.sendFor(operation) === null) {
        found.push(this.unmatched(operation));
      }
    }
    return found;
  }

  private unmatched(operation: number): JobDefect {
    const { kind, origin } = this.graph;
    const isSend = kind[operation] === SEND;
    const near = this.nearest(operation);
    const hint =
      near === null ? '' : `; ${this.titleOf(near)} (${this.placeOf(near)}) nearly fits it`;
    const what = isSend ? 'is received by nobody' : 'waits for a message that nobody sends';
    const rank = rankOf(this.graph, operation);
    return {
      rank,
      origin: origin[operation]!,
      message: `${this.titleOf(operation)} ${what}${hint}`,
    };
  }

  /** An operation of the same two ranks, without a partner either, that has another tag. */
  private nearest(operation: number): number | null {
    const { kind, peer, firstOfRank } = this.graph;
    const isSend = kind[operation] === SEND;
    const [own, other] = [rankOf(this.graph, operation), peer[operation]!];
    if (other === ANY) return null;
    for (let i = firstOfRank[other]!; i < firstOfRank[other + 1]!; i++) {
      const isPartner = kind[i] === (isSend ? RECEIVE : SEND) && peer[i] === own;
      const isLeft = isSend ? this.isDone[i] === 0 : this.takenBy[this.messageOf[i]!] === -1;
      if (isPartner && isLeft) return i;
    }
    return null;
  }

  /** A send that has not started and that the receive would take; null: there is none. */
  private sendFor(receive: number): number | null {
    const { peer, tag } = this.graph;
    const own = rankOf(this.graph, receive);
    for (const send of this.pendingTo(own)) {
      const isSource = peer[receive] === ANY || peer[receive] === rankOf(this.graph, send);
      if (isSource && (tag[receive] === ANY || tag[receive] === tag[send])) return send;
    }
    return null;
  }

  /** Sends to a rank that have not started: nothing changes any more when this is asked. */
  private pendingTo(rank: number): readonly number[] {
    if (this.pending === null) {
      this.pending = Array.from({ length: this.graph.ranks }, () => []);
      for (const send of this.sends) {
        if (this.isStarted[send] === 0) this.pending[this.graph.peer[send]!]!.push(send);
      }
    }
    return this.pending[rank]!;
  }

  /** Follows what is left to what it waits for until it meets itself. */
  private cycle(): JobDefect | null {
    const { count, origin } = this.graph;
    const before = this.unmetOf();
    const seen = new Int32Array(count);
    for (let start = 0; start < count; start++) {
      if (this.isDone[start] === 1 || seen[start] !== 0) continue;
      const path: number[] = [];
      let at: number | null = start;
      while (at !== null && seen[at] === 0) {
        seen[at] = start + 1;
        path.push(at);
        at = this.isStarted[at] === 1 ? this.sendFor(at) : before[at]!;
        if (at !== null && at < 0) at = null;
      }
      if (at === null || seen[at] !== start + 1) continue;
      const ring = path.slice(path.indexOf(at));
      // What a node of a file came to has one name.
      const titles = [...new Set(ring.map((one) => this.titleOf(one)))];
      const shown = titles.slice(0, SHOWN);
      const more = titles.length > SHOWN ? `, … (${titles.length} in all)` : '';
      const message = `a cycle, in which each waits for the next: ${shown.join(', ')}${more}`;
      return { rank: rankOf(this.graph, ring[0]!), origin: origin[ring[0]!]!, message };
    }
    return null;
  }

  /** By operation: one that it still waits for; -1: none. */
  private unmetOf(): Int32Array {
    const { count, afterDone, afterStart } = this.graph;
    const unmet = new Int32Array(count).fill(-1);
    for (let operation = 0; operation < count; operation++) {
      const lists = [
        ...(this.isDone[operation] === 0 ? [afterDone] : []),
        ...(this.isStarted[operation] === 0 ? [afterStart] : []),
      ];
      for (const { first, to } of lists) {
        for (let i = first[operation]!; i < first[operation + 1]!; i++) unmet[to[i]!] = operation;
      }
    }
    return unmet;
  }

  private titleOf(operation: number): string {
    return titleOf(this.graph, operation);
  }

  private placeOf(operation: number): string {
    return `line ${this.graph.origin[operation]!}`;
  }
}

/** `rank 0 s1 (send to 1, tag 7)`. */
function titleOf(graph: JobGraph, operation: number): string {
  const { kind, peer, tag } = graph;
  const name = graph.nameOf(operation);
  const rank = `rank ${rankOf(graph, operation)}${name === '' ? '' : ` ${name}`}`;
  const isSend = kind[operation] === SEND;
  const isStream = kind[operation] === ENTER || kind[operation] === LEAVE;
  if (!isSend && kind[operation] !== RECEIVE)
    return `${rank} (${isStream ? 'communication' : 'compute'})`;
  const other = peer[operation] === ANY ? 'any' : String(peer[operation]!);
  const what = tag[operation] === ANY ? 'any' : String(tag[operation]! >>> 0);
  return `${rank} (${isSend ? 'send to' : 'receive from'} ${other}, tag ${what})`;
}
