import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_NUMBER } from '../../../../services/engine/contract/link-layer.js';
import { CLASS, FramePool } from '../../../../services/engine/frame/frame-pool.js';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { makeLinkNumbers } from '../../../../services/engine/port/link-numbers.js';
import { fc } from '../../../kit/properties.js';

const [SENDER, RECEIVER] = [0, 1];
const HIGHEST = (1 << 20) - 1;

/** Runs of numbers, as new frames and those of a replay have them, and frames without any. */
const run = fc.oneof(
  fc.constant([NO_NUMBER]),
  fc
    .tuple(fc.constantFrom(0, 1, 7, HIGHEST - 2), fc.integer({ min: 1, max: 6 }))
    .map(([from, count]) => Array.from({ length: count }, (_, n) => (from + n) & HIGHEST)),
);

describe('numbers of frames in flight', () => {
  it('come in as they were sent, and leave no trace in the frame', () => {
    fc.assert(
      fc.property(fc.array(run), (runs) => {
        const numbers = runs.flat();
        const pool = new FramePool(1024);
        const link = makeLinkNumbers(new Tables({ port: 2 }), pool);
        const frames = numbers.map((number) => {
          const frame = pool.allocate();
          pool.words[frame + CLASS] = 3;
          if (number !== NO_NUMBER) link.send(SENDER, frame, number);
          assert.equal(link.has(frame), number !== NO_NUMBER);
          return frame;
        });
        frames.forEach((first, n) => {
          let last = link.received(RECEIVER);
          const underway = frames.slice(n).map((frame) => {
            const number = link.behind(last, frame);
            if (number !== NO_NUMBER) last = number;
            return number;
          });
          assert.deepEqual(underway, numbers.slice(n));
          assert.equal(link.take(RECEIVER, first), numbers[n]);
          assert.equal(link.has(first), false);
          assert.equal(pool.words[first + CLASS], 3);
        });
      }),
    );
  });
});
