import assert from 'node:assert/strict';
import type { ReceivedSpan } from './otlp-receiver.js';

const PARTS = [
  'source',
  'complete',
  'wait',
  'blocked',
  'serialise',
  'propagate',
  'process',
  'receive',
];
/** Kinds of spans that a tree of congestion has. */
export const EPISODES = ['queue', 'full', 'blocked'];

const ERROR = 2;

/**
 * Every span's parent is there and reaches around it; a frame's parts add up to its latency; each
 * span is of the device that it names, and an error if something was dropped or deadlocked.
 */
export function checkTrees(spans: readonly ReceivedSpan[]): void {
  for (const { service, status, attributes, name } of spans) {
    const place = attributes['selvage.device'] ?? attributes['selvage.source'] ?? service;
    assert.equal(service, place);
    const isError = 'error.type' in attributes;
    assert.equal(status === ERROR, isError);
    if (name === 'hop') assert.equal(attributes['selvage.end'] === 'dropped', isError);
  }
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  assert.equal(byId.size, spans.length);
  for (const { parentSpanId, traceId, start, end, links } of spans) {
    assert.ok(end >= start);
    for (const link of links) assert.ok(byId.has(link));
    if (parentSpanId === '') continue;
    const parent = byId.get(parentSpanId)!;
    assert.equal(parent.traceId, traceId);
    assert.ok(parent.start <= start && end <= parent.end);
  }
  const latencies = new Map<string, number>();
  for (const { name, traceId, attributes } of spans) {
    if (!PARTS.includes(name) || 'selvage.episode' in attributes) continue;
    const own = Number(attributes['selvage.end_ps']) - Number(attributes['selvage.start_ps']);
    latencies.set(traceId, (latencies.get(traceId) ?? 0) + own);
  }
  const delivered = spans.filter(
    ({ name, attributes }) => name === 'frame' && 'selvage.latency_ps' in attributes,
  );
  assert.ok(delivered.length > 0);
  for (const { traceId, attributes } of delivered) {
    assert.equal(latencies.get(traceId), attributes['selvage.latency_ps']);
  }
}
