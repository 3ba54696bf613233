import { ANY, COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import { GraphBuilder, type JobGraph } from '../graph.js';
import type { JobSource } from '../source.js';
import type { Connection, Matrix, Trigger } from './read-matrix.js';

/** Delays, and what joins others, take no stream. */
const NO_STREAM = -1;
/** A call of a trigger at another node is a message: nothing is known there without one. */
const CALL_OCTETS = 1;

/** The job of a connection matrix: a rank for each node. Throws all errors. */
export function matrixJob(source: JobSource, matrix: Matrix, sends: SendsOfJob): JobGraph {
  return new MatrixJob(source, matrix, sends).build();
}

interface SendsOfJob {
  readonly areAcknowledged: boolean;
}

/** An operation that calls a trigger when it is done. */
interface Caller {
  readonly rank: number;
  readonly operation: number;
}

class MatrixJob {
  private readonly builder: GraphBuilder;
  private readonly callers = new Map<number, Caller[]>();
  /** By trigger: the connections that it starts, in the order of the file. */
  private readonly started = new Map<number, Connection[]>();
  private readonly sendOf = new Map<Connection, number>();
  private tags = 0;

  constructor(
    private readonly source: JobSource,
    private readonly matrix: Matrix,
    private readonly sends: SendsOfJob,
  ) {
    this.builder = new GraphBuilder(matrix.nodes);
  }

  build(): JobGraph {
    for (const connection of this.matrix.connections) {
      this.source.attempt(() => {
        this.add(connection);
      });
    }
    this.orderMessages();
    for (const [id, trigger] of this.matrix.triggers) {
      this.source.attempt(() => {
        this.connect(id, trigger);
      });
    }
    this.source.settle();
    return this.builder.build();
  }

  private add(connection: Connection): void {
    const { from, to, line, octets, startPs, trigger } = connection;
    const { callsWhenSent, callsWhenReceived } = connection;
    for (const id of [trigger, callsWhenSent, callsWhenReceived]) {
      if (id === null || this.matrix.triggers.has(id)) continue;
      throw this.source.errorAt(line, `there is no trigger ${id}`);
    }
    if (callsWhenSent !== null && !this.sends.areAcknowledged) {
      const what = `trigger ${callsWhenSent} is called when this is acknowledged`;
      throw this.source.errorAt(line, `${what}: the job needs sends: acknowledged`);
    }
    const [sender, receiver] = [this.builder.ranks[from]!, this.builder.ranks[to]!];
    const details = { origin: line, stream: NO_STREAM, tag: this.tags++ };
    const send = sender.add(SEND, octets, { ...details, peer: to, name: this.nameOf(connection) });
    const receive = receiver.add(RECEIVE, octets, { ...details, peer: from });
    this.sendOf.set(connection, send);
    if (startPs !== null && startPs > 0) {
      const delay = sender.add(COMPUTE, startPs, { origin: line, stream: NO_STREAM });
      sender.require(send, delay, 'done');
    }
    const call = (id: number | null, rank: number, operation: number): void => {
      if (id !== null) listIn(this.callers, id).push({ rank, operation });
    };
    call(callsWhenSent, from, send);
    call(callsWhenReceived, to, receive);
    if (trigger !== null) listIn(this.started, trigger).push(connection);
  }

  private nameOf({ id, message }: Connection): string {
    if (id === null) return '';
    return message === null ? `connection ${id}` : `connection ${id} message ${message}`;
  }

  /** Messages of a connection are sent one after the other. */
  private orderMessages(): void {
    const messages = new Map<number, Connection[]>();
    for (const connection of this.matrix.connections) {
      const { id, message } = connection;
      if (id !== null && message !== null) listIn(messages, id).push(connection);
    }
    for (const [id, own] of messages) {
      const [first, ...rest] = own.toSorted((a, b) => a.message! - b.message!);
      let before = first!;
      for (const next of rest) {
        this.source.attempt(() => {
          if (next.from !== before.from || next.to !== before.to) {
            const ends = `${before.from}->${before.to}`;
            throw this.source.errorAt(next.line, `connection ${id} goes ${ends}, and not here`);
          }
          if (next.message === before.message) {
            const what = `message ${next.message!} of connection ${id}`;
            throw this.source.errorAt(next.line, `${what} is there twice`);
          }
        });
        const [send, earlier] = [this.sendOf.get(next), this.sendOf.get(before)];
        if (send !== undefined && earlier !== undefined) {
          this.builder.ranks[next.from]!.require(send, earlier, 'done');
        }
        before = next;
      }
    }
  }

  private connect(id: number, trigger: Trigger): void {
    const [callers, started] = [this.callers.get(id) ?? [], this.started.get(id) ?? []];
    this.checkCalls(id, trigger, callers.length, started.length);
    for (const rank of new Set(started.map(({ from }) => from))) {
      if (trigger.kind === 'barrier' || callers.length === 1) {
        this.startAfterAll(rank, trigger, callers, started);
      } else this.startInTurn(rank, trigger, callers, started);
    }
  }

  private checkCalls(id: number, trigger: Trigger, calls: number, starts: number): void {
    const { kind, count, line } = trigger;
    const needed = kind === 'barrier' ? count : kind === 'multishot' ? starts : Math.min(1, starts);
    const title = `trigger ${id} (${kind})`;
    if (calls < needed) {
      throw this.source.errorAt(line, `${title} needs ${needed} calls, and can have ${calls}`);
    }
    if (kind === 'barrier' && calls > needed) {
      throw this.source.errorAt(line, `${title} starts at ${needed} calls, and has ${calls}`);
    }
  }

  /** With one caller, all kinds are a barrier of one call. */
  private startAfterAll(
    rank: number,
    { line }: Trigger,
    callers: readonly Caller[],
    started: readonly Connection[],
  ): void {
    const own = this.builder.ranks[rank]!;
    const joined = own.add(COMPUTE, 0, { origin: line, stream: NO_STREAM });
    for (const caller of callers) {
      const called = caller.rank === rank ? caller.operation : this.call(caller, rank, line);
      own.require(joined, called, 'done');
    }
    for (const connection of started) this.release(connection, rank, joined);
  }

  private call({ rank: from, operation }: Caller, to: number, line: number): number {
    const details = { origin: line, stream: NO_STREAM, tag: this.tags++ };
    const [caller, called] = [this.builder.ranks[from]!, this.builder.ranks[to]!];
    const send = caller.add(SEND, CALL_OCTETS, { ...details, peer: to });
    caller.require(send, operation, 'done');
    return called.add(RECEIVE, CALL_OCTETS, { ...details, peer: from });
  }

  /** Calls count as they come: the first starts all (oneshot), or each one connection. */
  private startInTurn(
    rank: number,
    { line, kind }: Trigger,
    callers: readonly Caller[],
    started: readonly Connection[],
  ): void {
    const own = this.builder.ranks[rank]!;
    const details = { origin: line, stream: NO_STREAM, tag: this.tags++ };
    let before = -1;
    callers.forEach(({ rank: from, operation }, k) => {
      const caller = this.builder.ranks[from]!;
      const send = caller.add(SEND, CALL_OCTETS, { ...details, peer: rank });
      caller.require(send, operation, 'done');
      const receive = own.add(RECEIVE, CALL_OCTETS, { ...details, peer: ANY });
      if (before >= 0) own.require(receive, before, 'done');
      before = receive;
      const starting = kind === 'multishot' ? started.slice(k, k + 1) : k === 0 ? started : [];
      for (const connection of starting) this.release(connection, rank, receive);
    });
  }

  private release(connection: Connection, rank: number, operation: number): void {
    if (connection.from !== rank) return;
    this.builder.ranks[rank]!.require(this.sendOf.get(connection)!, operation, 'done');
  }
}

function listIn<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const own = lists.get(key);
  if (own !== undefined) return own;
  const made: Value[] = [];
  lists.set(key, made);
  return made;
}
