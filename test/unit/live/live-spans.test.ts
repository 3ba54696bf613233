import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LiveSpans } from '../../../services/live/live-spans.js';
import type { LiveSpan } from '../../../services/report/page/live-data.js';
import { blankColumns } from '../../../services/runtime/port-sample.js';
import type { PortSample } from '../../../services/runtime/port-sample.js';

const RATE_BPS = 100e9;
const STEP_PS = 1e6;

/** Two ports: one sends at half its rate, the other is blocked all the time. */
function sampleAt(timePs: number): PortSample {
  const columns = blankColumns(2, [3]);
  columns.wireOctets[0] = (timePs * RATE_BPS) / 2 / 8e12;
  columns.blockedPs[1] = timePs;
  columns.queueOctets[1] = 1000;
  return { timePs, columns };
}

/** One port that sends by two priorities, and has dropped 5 frames of the second in each step. */
function sampleOfTwo(steps: number): PortSample {
  const columns = blankColumns(1, steps === 1 ? [3] : [3, 5]);
  const octetsPerStep = (STEP_PS * RATE_BPS) / 8e12;
  columns.wireOctets[0] = octetsPerStep / 5;
  if (steps > 1) {
    columns.wireOctets[1] = ((steps - 1) * octetsPerStep) / 5;
    columns.drops[1] = 5 * (steps - 1);
    columns.ingressOctets[1] = 1000 * steps;
  }
  return { timePs: steps * STEP_PS, columns };
}

const floats = (base64: string): number[] => {
  return [...new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)];
};
const octets = (base64: string): number[] => [...Buffer.from(base64, 'base64')];

describe('spans of a live page', () => {
  it('say what ports did since the last one', () => {
    const spans = new LiveSpans([RATE_BPS, RATE_BPS]);
    spans.take(sampleAt(STEP_PS));
    const span = spans.take(sampleAt(3 * STEP_PS))!;
    assert.deepEqual([span.fromPs, span.timePs], [STEP_PS, 3 * STEP_PS]);
    assert.deepEqual(octets(span.busy), [128, 0]);
    assert.deepEqual(octets(span.blocked), [0, 255]);
    assert.deepEqual([octets(span.queue), span.queueMax], [[0, 255], 1000]);
    assert.equal(spans.take(sampleAt(3 * STEP_PS)), null);
  });

  it('say it by priority, of those that have begun', () => {
    const spans = new LiveSpans([RATE_BPS]);
    const [first, second] = [spans.take(sampleOfTwo(1))!, spans.take(sampleOfTwo(2))!];
    assert.deepEqual(
      first.priorities.map(({ priority, busy }) => [priority, octets(busy)]),
      [[3, [51]]],
    );
    assert.deepEqual(
      second.priorities.map(({ priority, busy }) => [priority, octets(busy)]),
      [
        [3, []],
        [5, [51]],
      ],
    );
    for (let steps = 3; steps <= 600; steps++) spans.take(sampleOfTwo(steps));
    const metrics = spans.all().map((span) => span.priorities.at(-1)!);
    const dropped = metrics.flatMap(({ drops }) => floats(drops));
    assert.equal(
      dropped.reduce((a, b) => a + b, 0),
      5 * 599,
    );
    assert.deepEqual(floats(metrics.at(-1)!.ingressOctets), [600_000]);
  });

  it('take the same memory however long the run is, and still say the same', () => {
    const spans = new LiveSpans([RATE_BPS, RATE_BPS]);
    let told: LiveSpan[] = [];
    for (let i = 1; i <= 5000; i++) {
      const span = spans.take(sampleAt(i * STEP_PS))!;
      told = spans.takeAnew() ? spans.all() : [...told, span];
    }
    assert.ok(spans.all().length <= 512);
    assert.deepEqual(told, spans.all());
    let endPs = 0;
    for (const span of spans.all()) {
      assert.equal(span.fromPs, endPs);
      endPs = span.timePs;
      assert.deepEqual(
        [octets(span.busy), octets(span.blocked)],
        [
          [128, 0],
          [0, 255],
        ],
      );
    }
    assert.equal(endPs, 5000 * STEP_PS);
  });

  it('forget what a run does again after it has lost a service', () => {
    const spans = new LiveSpans([RATE_BPS, RATE_BPS]);
    for (let i = 1; i <= 10; i++) spans.take(sampleAt(i * STEP_PS));
    assert.equal(spans.take(sampleAt(4 * STEP_PS)), null);
    assert.ok(spans.takeAnew());
    spans.take(sampleAt(5 * STEP_PS));
    assert.deepEqual(
      spans.all().map(({ timePs }) => timePs / STEP_PS),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(octets(spans.all().at(-1)!.busy), [128, 0]);
  });
});
