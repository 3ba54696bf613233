import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  histogramOf,
  pauseSpreads,
  queueSpread,
  slowdownOverTime,
} from '../../../services/report/page/page-spread.js';
import type { FlowResult } from '../../../services/runtime/results/results.js';
import type { Episode } from '../../../services/telemetry/congestion/congestion.js';

describe('histograms', () => {
  it('have bins of 1, 2, 5, and put a value on an edge into the bin that begins there', () => {
    assert.deepEqual(histogramOf([1, 1.9, 2, 4.9, 5, 10, 0, 0]), {
      edges: [1, 2, 5, 10, 20],
      counts: [2, 2, 1, 1],
      zeros: 2,
    });
  });

  it('count every value once, whatever its size', () => {
    const values = Array.from({ length: 4000 }, (_, i) => 1.013 ** i);
    const edges = [1e-3, 1e3, 1e6, 1e9, 1e12, 2e15, 5e15].flatMap((v) => [v, v * (1 - 1e-15)]);
    for (const some of [values.slice(0, 2500), edges]) {
      const { edges: of, counts } = histogramOf(some);
      assert.equal(
        counts.reduce((a, b) => a + b, 0),
        some.length,
      );
      counts.forEach((count, i) => {
        const inside = some.filter((value) => value >= of[i]! && value < of[i + 1]!);
        assert.equal(count, inside.length, `${of[i]} to ${of[i + 1]}`);
      });
    }
  });

  it('are empty of nothing, or of zeros', () => {
    assert.deepEqual(histogramOf([0]), { edges: [], counts: [], zeros: 1 });
  });
});

describe('queues over time', () => {
  it('are ranked over the ports that ever had one', () => {
    // Three ports, two spans; the second port never has a queue.
    const spread = queueSpread(Float64Array.of(10, 0, 30, 0, 0, 40), 3)!;
    assert.equal(spread.ports, 2);
    assert.deepEqual(
      [spread.p50, spread.p99, spread.max],
      [
        [10, 0],
        [30, 40],
        [30, 40],
      ],
    );
    assert.deepEqual(spread.lengths, { edges: [10, 20, 50], counts: [1, 2], zeros: 1 });
  });

  it('are null where there is none', () => {
    assert.equal(queueSpread(new Float64Array(6), 3), null);
  });
});

describe('pauses', () => {
  it('are counted by mechanism, those that had not cleared apart', () => {
    const episode = (kind: string, mechanism: string, endPs: number | null): Episode =>
      ({ kind, mechanism, startPs: 100, endPs }) as Episode;
    const [pfc, credit, ...others] = pauseSpreads([
      episode('blocked', 'pfc', 400),
      episode('queue', '', 900),
      episode('blocked', 'pfc', null),
      episode('blocked', 'credit', 110),
    ]);
    assert.deepEqual(others, []);
    const lengths = { edges: [200, 500], counts: [1], zeros: 0 };
    assert.deepEqual(pfc, { mechanism: 'pfc', lengths, open: 1 });
    assert.deepEqual(credit!.lengths, { edges: [10, 20], counts: [1], zeros: 0 });
  });
});

describe('slowdown over time', () => {
  const flow = (startPs: number, completionPs: number | null, slowdown: number | null) =>
    ({ startPs, completionPs, slowdown }) as FlowResult;

  it('is ranked over the flows that were complete in a span', () => {
    const spread = slowdownOverTime(
      [flow(0, 10, 1), flow(5, 5, 3), flow(0, 400, 2), flow(0, null, null)],
      400,
    )!;
    assert.equal(spread.timesPs.at(-1), 400);
    assert.deepEqual([spread.counts[1], spread.p50[1], spread.p99[1]], [2, 1, 3]);
    assert.deepEqual([spread.counts.at(-1), spread.p99.at(-1)], [1, 2]);
    assert.equal(spread.p50[0], null);
  });

  it('is null of a single flow', () => {
    assert.equal(slowdownOverTime([flow(0, 10, 1)], 400), null);
  });
});
