import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markedFrameIsCe } from '../../../services/mechanisms/ecn/invariants.js';
import { markProbability } from '../../../services/mechanisms/ecn/machine.js';
import { EcnMarker } from '../../../services/mechanisms/ecn/marker.js';
import { ECN_MASK, ECT_0, FramePool } from '../../../services/engine/frame/frame-pool.js';
import type { EcnSpec } from '../../../services/mechanisms/ecn/spec.js';
import { fc } from '../../kit/properties.js';

const red: EcnSpec = {
  kind: 'red',
  minOctets: 1000,
  maxOctets: 5000,
  probability: 0.2,
  at: 'dequeue',
};
const step: EcnSpec = { kind: 'step', thresholdOctets: 3000, at: 'enqueue' };
const specs: EcnSpec[] = [
  red,
  step,
  ...Array.from({ length: 6 }, () => ({ kind: 'off' }) as const),
];

function markerOf(classes: readonly EcnSpec[]): EcnMarker {
  const carrier = { marked: (): void => undefined };
  return new EcnMarker(classes, { name: 's1', seed: 1 }, { pool: new FramePool(1), carrier });
}

describe('ECN', () => {
  it('follows the RED line', () => {
    assert.equal(markProbability(red, 1000), 0);
    assert.equal(markProbability(red, 3000), 0.1);
    assert.ok(Math.abs(markProbability(red, 4999) - 0.2) < 1e-3);
    assert.equal(markProbability(red, 5000), 1);
  });

  it('steps at its threshold', () => {
    assert.equal(markProbability(step, 2999), 0);
    assert.equal(markProbability(step, 3000), 1);
  });

  it('marks capable frames only, and changes nothing else', () => {
    const marker = markerOf(specs);
    fc.assert(
      fc.property(fc.nat(0x1ffff), fc.nat(7), fc.nat(10_000), (frameClass, tc, octets) => {
        const before = frameClass & ~0x400;
        const after = marker.markedClass(before, tc, octets);
        if (after === before) return;
        assert.equal(before & ECN_MASK, ECT_0);
        assert.ok(markedFrameIsCe(after));
        assert.equal(after & ~ECN_MASK, before & ~ECN_MASK);
      }),
    );
  });

  it('marks as often as the line says', () => {
    const marker = markerOf(specs);
    const ect = 2 << 10;
    let marked = 0;
    for (let i = 0; i < 20_000; i++) if (marker.markedClass(ect, 0, 3000) !== ect) marked++;
    assert.ok(Math.abs(marked / 20_000 - 0.1) < 0.01);
  });

  it('knows which classes mark when', () => {
    const marker = markerOf(specs);
    assert.equal(marker.atDequeue, 0b01);
    assert.equal(marker.atEnqueue, 0b10);
  });
});
