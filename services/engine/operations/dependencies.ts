import type { DependencySpec, OperationLists } from '../contract/operations.js';
import { assert } from '../kernel/assert.js';
import { popNumber, pushNumber } from './number-heap.js';

/** Of an operation to which something has not happened yet. */
const NOT_YET = -1;

/**
 * Counts what operations wait for, and knows when each became ready, started and was done. It
 * knows neither time nor network: whoever executes the operations says what happens to them.
 *
 * What becomes ready in one event begins in ascending order, with what becomes ready by that: this
 * order is part of a run's result, so nothing else may decide it.
 */
export class Dependencies {
  private readonly unmet: Int32Array;
  private readonly readyPs: Float64Array;
  private readonly startedPs: Float64Array;
  private readonly donePs: Float64Array;
  /** The operation that was the last for this one to wait for; -1: there was none. */
  private readonly releasedBy: Int32Array;

  readonly #spec: DependencySpec;
  /** Operations that are ready and have not begun: none between two events. */
  readonly #agenda: Int32Array;
  #waiting = 0;

  constructor(spec: DependencySpec) {
    const { count, needs } = spec;
    this.#spec = spec;
    this.#agenda = new Int32Array(count);
    this.unmet = needs.slice();
    this.readyPs = new Float64Array(count).fill(NOT_YET);
    this.startedPs = new Float64Array(count).fill(NOT_YET);
    this.donePs = new Float64Array(count).fill(NOT_YET);
    this.releasedBy = new Int32Array(count).fill(NOT_YET);
  }

  /** Operations from `first` on, so many, may begin as soon as they need nothing. */
  open(first: number, count: number, now: number): void {
    for (let operation = first; operation < first + count; operation++) {
      if (this.#spec.needs[operation] === 0) this.makeReady(operation, now);
    }
  }

  started(operation: number, now: number): void {
    assert(this.readyPs[operation] !== NOT_YET, 'operation.started-is-ready');
    assert(this.startedPs[operation] === NOT_YET, 'operation.started-once');
    this.startedPs[operation] = now;
    this.release(this.#spec.afterStart, operation, now);
  }

  done(operation: number, now: number): void {
    assert(this.startedPs[operation] !== NOT_YET, 'operation.done-was-started');
    assert(this.donePs[operation] === NOT_YET, 'operation.done-once');
    this.donePs[operation] = now;
    this.release(this.#spec.afterDone, operation, now);
  }

  /** An operation that was ready and could not begin is to be tried again with what is ready. */
  retry(operation: number): void {
    assert(this.startedPs[operation] === NOT_YET, 'operation.retried-before-start');
    pushNumber(this.#agenda, 0, this.#waiting++, operation);
  }

  /** Begins everything that is ready, and what becomes ready by it. */
  settle(begin: (operation: number) => void): void {
    while (this.#waiting > 0) begin(popNumber(this.#agenda, 0, this.#waiting--));
  }

  isStarted(operation: number): boolean {
    return this.startedPs[operation] !== NOT_YET;
  }

  isDone(operation: number): boolean {
    return this.donePs[operation] !== NOT_YET;
  }

  timesOf(operation: number): OperationTimes {
    return {
      readyPs: this.readyPs[operation],
      startedPs: this.startedPs[operation],
      donePs: this.donePs[operation],
      releasedBy: this.releasedBy[operation],
    };
  }

  private release({ first, to }: OperationLists, operation: number, now: number): void {
    for (let i = first[operation]; i < first[operation + 1]; i++) {
      const next = to[i];
      assert(this.unmet[next] > 0, 'operation.waits-for-what-is-released');
      if (--this.unmet[next] > 0) continue;
      this.releasedBy[next] = operation;
      this.makeReady(next, now);
    }
  }

  private makeReady(operation: number, now: number): void {
    assert(this.readyPs[operation] === NOT_YET, 'operation.ready-once');
    this.readyPs[operation] = now;
    pushNumber(this.#agenda, 0, this.#waiting++, operation);
  }
}

/** -1 for what has not happened. */
export interface OperationTimes {
  readonly readyPs: number;
  readonly startedPs: number;
  readonly donePs: number;
  readonly releasedBy: number;
}
