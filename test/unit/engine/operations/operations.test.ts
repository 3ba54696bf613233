import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMPUTE, type OperationsSpec } from '../../../../services/engine/contract/operations.js';
import { Clock } from '../../../../services/engine/kernel/clock.js';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import { restore, save } from '../../../../services/engine/kernel/snapshot.js';
import { Operations } from '../../../../services/engine/operations/operations.js';
import { popNumber, pushNumber } from '../../../../services/engine/operations/number-heap.js';
import { listsOf } from '../../../../services/jobs/graph.js';

/** Computations of a rank: their durations, their streams, and who waits for whose end. */
function computations(
  durations: readonly number[],
  streams: readonly number[],
  edges: readonly (readonly [later: number, earlier: number])[] = [],
): OperationsSpec {
  const count = durations.length;
  const needs = new Int32Array(count);
  for (const [later] of edges) needs[later]!++;
  const none = new Int32Array(count).fill(-1);
  return {
    ...{ count, needs, streams: Math.max(...streams) + 1, connection: none, localMessage: none },
    afterDone: listsOf(
      count,
      edges.map(([, earlier]) => earlier),
      edges.map(([later]) => later),
    ),
    afterStart: listsOf(count, [], []),
    ranks: [{ first: 0, count, startPs: 0, sendsDone: 'handed' }],
    kind: new Uint8Array(count).fill(COMPUTE),
    durationPs: Float64Array.from(durations),
    stream: Int32Array.from(streams),
    messageOf: new Int32Array(0),
    matching: {
      ...{ patterns: 0, patternOf: none, channelOf: new Int32Array(0) },
      patternsOfChannel: listsOf(0, [], []),
      channelsOfPattern: listsOf(0, [], []),
    },
  };
}

/** Executes operations to their end; `interrupt` exchanges them between two events. */
function execute(
  spec: OperationsSpec,
  interrupt: (operations: Operations, make: () => Operations) => Operations = (one) => one,
): (readonly [start: number, end: number])[] {
  const clock = new Clock();
  const due: [time: number, operation: number][] = [];
  const carrier = {
    expireAt: (operation: number, timePs: number) => {
      due.push([timePs, operation]);
    },
    release: () => undefined,
    done: () => undefined,
  };
  const make = (): Operations => new Operations(spec, clock, carrier);
  let operations = make();
  operations.startRank(0);
  while (due.length > 0) {
    operations = interrupt(operations, make);
    due.sort(([a, x], [b, y]) => a - b || x - y);
    const [time, operation] = due.shift()!;
    clock.now = time;
    operations.expired(operation);
  }
  return Array.from({ length: spec.count }, (_, one) => {
    const { startedPs, donePs } = operations.recordOf(one);
    return [startedPs, donePs] as const;
  });
}

describe('a heap of numbers', () => {
  it('gives them in ascending order, from its place in an array', () => {
    const random = new RandomStream(3, 'heap');
    const heap = new Int32Array(40).fill(-7);
    const values = Array.from({ length: 20 }, () => random.below(1000));
    values.forEach((value, size) => {
      pushNumber(heap, 10, size, value);
    });
    const taken = values.map((_, i) => popNumber(heap, 10, values.length - i));
    assert.deepEqual(
      taken,
      values.toSorted((a, b) => a - b),
    );
    assert.ok([...heap.subarray(0, 10), ...heap.subarray(30)].every((other) => other === -7));
  });
});

describe('operations of a rank', () => {
  it('take their stream one after the other, the least number first', () => {
    assert.deepEqual(execute(computations([5, 3, 2], [0, 0, 0])), [
      [0, 5],
      [5, 8],
      [8, 10],
    ]);
  });

  it('that become ready when a stream is left go before those with higher numbers', () => {
    // 3 waits for its stream from the start; 1 is ready when 0 is done, at the same time.
    const spec = computations([5, 1, 9, 2], [0, 0, 1, 0], [[1, 0]]);
    assert.deepEqual(execute(spec), [
      [0, 5],
      [5, 6],
      [0, 9],
      [6, 8],
    ]);
  });

  it('that take no time are done when they are ready', () => {
    const chain = computations(
      [4, 0, 0, 1],
      [0, 0, 0, 0],
      [
        [1, 0],
        [2, 1],
        [3, 2],
      ],
    );
    assert.deepEqual(execute(chain), [
      [0, 4],
      [4, 4],
      [4, 4],
      [4, 5],
    ]);
  });

  it('go on from a saved state as if they had never stopped', () => {
    const random = new RandomStream(11, 'graphs');
    for (let turn = 0; turn < 50; turn++) {
      const count = 12;
      const durations = Array.from({ length: count }, () => random.below(5));
      const streams = Array.from({ length: count }, () => random.below(3));
      const edges = Array.from({ length: 14 }, () => {
        const later = 1 + random.below(count - 1);
        return [later, random.below(later)] as const;
      });
      const spec = computations(durations, streams, edges);
      const resumed = execute(spec, (operations, make) => {
        const copy = make();
        restore(copy, save(operations));
        return copy;
      });
      assert.deepEqual(resumed, execute(spec));
    }
  });
});
