import { SHAPE } from '../kernel/kinds.js';
import { ENTER, LEAVE, RECEIVE, SEND, type OperationsSpec } from '../contract/operations.js';
import { assert } from '../kernel/assert.js';
import type { Clock } from '../kernel/clock.js';
import { Dependencies, type OperationTimes } from './dependencies.js';
import { Matching } from './matching.js';
import { popNumber, pushNumber } from './number-heap.js';

const NONE = -1;

/** What executes operations: a host, with its timers and its connections. */
interface OperationsCarrier {
  /** To call `expired` for this operation at a time. */
  expireAt(operation: number, timePs: number): void;
  /** The message of a connection may be sent from now on. */
  release(connection: number): void;
  /** An operation is done now. */
  done(operation: number): void;
}

/** What is known of an operation: -1 for what has not happened, or does not apply. */
export interface OperationRecord extends OperationTimes {
  /** The operation that occupied its stream until it could start. */
  readonly streamHeldBy: number;
  /** The message that a receive took. */
  readonly message: number;
}

/**
 * The ranks at a host: computations take their streams one after the other, sends release
 * connections, receives take messages. Its rank's graph decides what may begin, the network when a
 * message arrives: so a frame that is paused or lost delays what depends on it, and nothing else.
 */
export class Operations {
  // Times of operations are for results, and timers end what repeats.
  static readonly kinds = SHAPE;

  private readonly dependencies: Dependencies;
  private readonly matching: Matching;
  /** By stream: the operation that occupies it. */
  private readonly occupied: Int32Array;
  /** Operations that are ready and wait for their stream: a heap for each. */
  private readonly queued: Int32Array;
  private readonly queueLengths: Int32Array;
  private readonly streamHeldBy: Int32Array;

  readonly #spec: OperationsSpec;
  readonly #clock: Clock;
  readonly #carrier: OperationsCarrier;
  /** By stream: where its heap begins. */
  readonly #queueAt: Int32Array;
  /** By connection: its send; -1: it is none of a job. */
  readonly #sendOf: Int32Array;
  readonly #begin = (operation: number): void => {
    this.begin(operation);
  };

  constructor(spec: OperationsSpec, clock: Clock, carrier: OperationsCarrier) {
    const { count, streams, stream, connection } = spec;
    this.#spec = spec;
    this.#clock = clock;
    this.#carrier = carrier;
    this.dependencies = new Dependencies(spec);
    this.matching = new Matching(spec.matching);
    this.occupied = new Int32Array(streams).fill(NONE);
    this.queueLengths = new Int32Array(streams);
    this.streamHeldBy = new Int32Array(count).fill(NONE);
    this.#queueAt = new Int32Array(streams + 1);
    for (const own of stream) if (own >= 0) this.#queueAt[own + 1]++;
    for (let i = 0; i < streams; i++) this.#queueAt[i + 1] += this.#queueAt[i];
    this.queued = new Int32Array(this.#queueAt[streams]);
    const most = connection.reduce((highest, one) => Math.max(highest, one), NONE);
    this.#sendOf = new Int32Array(most + 1).fill(NONE);
    connection.forEach((one, operation) => {
      if (one >= 0) this.#sendOf[one] = operation;
    });
  }

  /** A rank begins. */
  startRank(rank: number): void {
    const { first, count, startPs } = this.#spec.ranks[rank];
    assert(this.#clock.now === startPs, 'operations.rank-starts-when-due');
    this.dependencies.open(first, count, startPs);
    this.settle();
  }

  /** The time of an operation is over. */
  expired(operation: number): void {
    this.finish(operation);
    this.settle();
  }

  /** Whether something waits for the NIC to have taken the last frame of a message. */
  awaitsHanded(connection: number): boolean {
    const operation = this.sendOf(connection);
    if (operation < 0 || this.rankOf(operation).sendsDone !== 'handed') return false;
    return !this.dependencies.isDone(operation);
  }

  /** The NIC has taken the last frame of a message, perhaps not for the first time. */
  handed(connection: number): void {
    this.sent(connection, 'handed');
  }

  /** All frames of a message are acknowledged. */
  acknowledged(connection: number): void {
    this.sent(connection, 'acknowledged');
  }

  /** The message of a receiving connection is complete. */
  arrived(connection: number): void {
    const message = this.#spec.messageOf[connection];
    if (message < 0) return;
    this.take(message);
    this.settle();
  }

  recordOf(operation: number): OperationRecord {
    return {
      ...this.dependencies.timesOf(operation),
      streamHeldBy: this.streamHeldBy[operation],
      message: this.matching.messageOf(operation),
    };
  }

  private settle(): void {
    this.dependencies.settle(this.#begin);
  }

  private begin(operation: number): void {
    const { kind, stream, connection, durationPs } = this.#spec;
    const own = stream[operation];
    if (own >= 0 && kind[operation] !== LEAVE) {
      if (this.occupied[own] !== NONE) {
        const { queued, queueLengths } = this;
        pushNumber(queued, this.#queueAt[own], queueLengths[own]++, operation);
        assert(queueLengths[own] <= this.#queueAt[own + 1] - this.#queueAt[own], 'stream.room');
        return;
      }
      this.occupied[own] = operation;
    }
    const { now } = this.#clock;
    this.dependencies.started(operation, now);
    if (kind[operation] === RECEIVE) {
      if (this.matching.post(operation)) this.complete(operation);
    } else if (kind[operation] === SEND && connection[operation] >= 0) {
      this.#carrier.release(connection[operation]);
    } else if (durationPs[operation] === 0) this.finish(operation);
    else this.#carrier.expireAt(operation, now + durationPs[operation]);
  }

  /** A computation is over, or a message between ranks of the host has arrived. */
  private finish(operation: number): void {
    const { kind, stream, localMessage } = this.#spec;
    assert(kind[operation] !== RECEIVE, 'operation.takes-time');
    const own = stream[operation];
    if (own >= 0 && kind[operation] !== ENTER) this.leave(own, operation);
    this.complete(operation);
    if (localMessage[operation] >= 0) this.take(localMessage[operation]);
  }

  private leave(stream: number, operation: number): void {
    const { queued, queueLengths } = this;
    const holder = this.occupied[stream];
    const isOwn = this.#spec.kind[operation] !== LEAVE;
    assert(isOwn ? holder === operation : holder !== NONE, 'stream.left-by-its-operation');
    this.occupied[stream] = NONE;
    if (queueLengths[stream] === 0) return;
    const next = popNumber(queued, this.#queueAt[stream], queueLengths[stream]--);
    this.streamHeldBy[next] = operation;
    this.dependencies.retry(next);
  }

  private complete(operation: number): void {
    this.dependencies.done(operation, this.#clock.now);
    this.#carrier.done(operation);
  }

  private take(message: number): void {
    const receive = this.matching.arrive(message);
    if (receive >= 0) this.complete(receive);
  }

  private sent(connection: number, how: 'handed' | 'acknowledged'): void {
    const operation = this.sendOf(connection);
    if (operation < 0 || this.rankOf(operation).sendsDone !== how) return;
    assert(this.dependencies.isStarted(operation), 'operation.sent-was-started');
    if (this.dependencies.isDone(operation)) return;
    this.complete(operation);
    this.settle();
  }

  private sendOf(connection: number): number {
    return connection < this.#sendOf.length ? this.#sendOf[connection] : NONE;
  }

  private rankOf(operation: number): OperationsSpec['ranks'][number] {
    return this.#spec.ranks.findLast(({ first }) => first <= operation)!;
  }
}
