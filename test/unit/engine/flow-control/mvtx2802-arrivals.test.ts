import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TemporarySlots } from '../../../../services/engine/mvtx2802/arrivals.js';

type Frame = readonly [port: number, fromPs: number, untilPs: number];

/** Which frames find a slot, by their first bits; each is known while it is in flight. */
function found(slots: number, frames: readonly Frame[]): number[] {
  const inFlight = new Set(frames);
  const part = new TemporarySlots(slots, 5, (port, visit) => {
    for (const [at, fromPs, untilPs] of inFlight) if (at === port) visit(fromPs, untilPs);
  });
  const byEnd = [...frames].sort((a, b) => a[2] - b[2]);
  return byEnd.flatMap((frame) => {
    inFlight.delete(frame);
    return part.classified(...frame) ? [frame[1]] : [];
  });
}

describe('temporary slots of an MVTX2802', () => {
  it('are taken from the first bit until the frame is classified', () => {
    const frames: Frame[] = [
      [0, 0, 100],
      [1, 10, 60],
      [2, 20, 300],
      [3, 60, 90],
      [1, 61, 95],
    ];
    assert.deepEqual(found(3, frames).sort(sorted), [0, 10, 20, 60]);
    assert.deepEqual(found(4, frames).sort(sorted), [0, 10, 20, 60, 61]);
    assert.deepEqual(found(1, frames), [0]);
  });

  it('are given in the order of first bits, though a long frame ends last', () => {
    const long: Frame = [0, 0, 12_000];
    const short: Frame[] = [
      [1, 1, 700],
      [1, 701, 1400],
      [2, 702, 1300],
    ];
    assert.deepEqual(found(2, [long, ...short]).sort(sorted), [0, 1, 701]);
    // At one time the lower port is first.
    assert.deepEqual(
      found(1, [
        [3, 5, 9],
        [2, 5, 10],
      ] as const),
      [5],
    );
  });

  it('count what any order of processing counts', () => {
    const frames: Frame[] = Array.from({ length: 400 }, (_, i) => {
      const port = i % 4;
      const fromPs = Math.floor(i / 4) * 50 + ((i * 7919) % 13);
      return [port, fromPs, fromPs + 20 + ((i * 104_729) % 29)];
    });
    for (const slots of [1, 2, 3]) {
      const taken: number[] = [];
      const kept = [...frames]
        .sort((a, b) => a[1] - b[1] || a[0] - b[0])
        .filter(([, fromPs, untilPs]) => {
          const busy = taken.filter((end) => end > fromPs).length;
          if (busy < slots) taken.push(untilPs);
          return busy < slots;
        });
      const expected = kept.map(([, fromPs]) => fromPs).sort(sorted);
      assert.deepEqual(found(slots, frames).sort(sorted), expected);
      assert.ok(expected.length < frames.length);
    }
  });
});

const sorted = (a: number, b: number): number => a - b;
