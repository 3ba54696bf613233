import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare } from '../../services/report/comparison/comparison.js';
import { comparisonText } from '../../services/report/comparison/comparison-text.js';
import { contendersOf } from '../../services/report/comparison/contenders.js';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { completionCurves, slowdownBySize } from '../../services/report/page/page-flows.js';
import { summaryText } from '../../services/report/summary-text.js';
import { fabricOf, run } from '../kit/emulate.js';

const PLAIN = { good: String, bad: String, strong: String };
const US = 1e6;

/** Cuts an incast off: hosts share a port of 100 Gb/s, and one flow begins late. */
const CUT = `
duration: 300us
fabric: { generator: star, hosts: 6, link: { rate: 100G, length: 5m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
load:
  - { name: small, incast: { from: h2..h3, to: h1 }, bytes: 100KB, priority: 3, transport: raw }
  - { name: large, incast: { from: h2..h5, to: h1 }, bytes: 1MB, priority: 3, transport: raw }
  - { name: late, stream: { from: h6, to: h1 }, bytes: 1MB, start: 290us, priority: 3, transport: raw }
expect:
  - { metric: completed, load: small, equals: 100% }
  - { metric: completed, equals: 100% }
  - { metric: completion.p50, load: small, max: 300us }
  - { metric: completion.max, max: 1s }
  - { metric: completion.max, min: 200us }
  - { metric: slowdown.p99, max: 1000 }
`;

describe('goodput', () => {
  it('of a fabric that deadlocks is counted to the end of the run', () => {
    const fabric = fabricOf(
      'examples/ring-deadlock.yaml',
      'expect=[{ metric: deadlocks, equals: 1 }, { metric: throughput, load: round, min: 150G }]',
    );
    const results = run(fabric);
    assert.ok(results.deadlocks[0]!.closedPs < 30 * US);
    assert.equal(results.virtualPs, 500 * US);
    const octets = results.flows.reduce((sum, { payloadOctets }) => sum + payloadOctets, 0);
    for (const { goodputBps } of [results, results.priorities[0]!, results.loads[0]!]) {
      assert.equal(goodputBps, (octets * 8e12) / (500 * US));
      assert.ok(goodputBps < 7.6e9);
    }
    const [deadlocks, throughput] = evaluateExpectations(fabric.scenario.expect, results);
    assert.deepEqual([deadlocks!.ok, throughput!.ok], [true, false]);
  });

  it('of a load is no more than the wire carries, whatever its flows had in their own time', () => {
    // One after the other, each alone at line rate for its own time.
    const { loads, goodputBps } = run(
      fabricOf(`
fabric: { generator: star, hosts: 3, link: { rate: 100G } }
load:
  - { name: a, stream: { from: h2, to: h1 }, bytes: 1MB, transport: raw }
  - { name: b, stream: { from: h3, to: h1 }, bytes: 1MB, start: 100us, transport: raw }
`),
    );
    for (const load of loads) assert.ok(load.goodputBps > 90e9 && load.goodputBps < 100e9);
    assert.ok(goodputBps > 80e9 && goodputBps < 100e9, String(goodputBps));
  });

  it('of a stream with an end is counted to that end', () => {
    const { loads, virtualPs } = run(
      fabricOf(`
duration: 400us
fabric: { generator: star, hosts: 2, link: { rate: 100G } }
load: [{ name: half, stream: { from: h2, to: h1 }, end: 200us, transport: raw }]
`),
    );
    assert.equal(virtualPs, 400 * US);
    assert.ok(loads[0]!.goodputBps > 95e9 && loads[0]!.goodputBps < 100e9);
    assert.deepEqual(loads[0]!.finished, { done: 0, total: 0 });
  });
});

describe('flows that do not finish', () => {
  const fabric = fabricOf(CUT);
  const results = run(fabric);

  it('are counted, and stand in percentiles as longer than any', () => {
    assert.deepEqual(results.finished, { done: 2, total: 7 });
    const [priority] = results.priorities;
    assert.deepEqual(priority!.finished, { done: 2, total: 7 });
    const { count, total, p50, max, atLeast } = priority!.completionPs!;
    assert.deepEqual([count, total, p50, max], [2, 7, null, null]);
    assert.equal(atLeast.max, 300 * US);
    assert.equal(priority!.slowdown!.p99, null);
    const late = results.flows.find(({ load }) => load === 'late')!;
    assert.equal(late.unfinishedPs, 10 * US);
  });

  it('fail what is expected of percentiles, and say how many there are', () => {
    const found = evaluateExpectations(fabric.scenario.expect, results);
    const byText = (part: string) => found.filter(({ text }) => text.includes(part));
    assert.deepEqual(
      byText('completed').map(({ ok }) => ok),
      [true, false],
    );
    assert.deepEqual(
      byText('completion').map(({ ok }) => ok),
      [true, false, true],
    );
    assert.match(byText('completion.max <=')[0]!.reason!, /^is > 300 us: 5 of 7 flows did not/);
    assert.equal(byText('slowdown.p99')[0]!.ok, false);
  });

  it('keep curves below 1, and are in every table', () => {
    const large = completionCurves(results.flows).find(({ label }) => label === 'large')!;
    assert.deepEqual([large.count, large.total, large.values], [0, 4, []]);
    const { bins } = slowdownBySize(results.flows);
    // The volumes of the flows, and no power of two near them.
    assert.deepEqual(
      bins.map(({ octets, slowdown: { count, total } }) => [octets, count, total]),
      [
        [100_000, 2, 2],
        [1_000_000, 0, 5],
      ],
    );
    const summary = summaryText(results, [], PLAIN);
    assert.match(summary, /3 pfc .* 2 \/ 7 +> \d+ us +> 300 us/);
    assert.match(summary, /large .* 0 \/ 4/);
    const contenders = contendersOf([{ name: 'pfc', runs: [{ results, trees: null }] }]);
    const text = comparisonText(compare(contenders), PLAIN);
    assert.match(text, /FCT p99 of large +> 300 us$/m);
    assert.match(text, /last complete of large +> 300 us$/m);
  });
});
