import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MatchingSpec } from '../../../../services/engine/contract/operations.js';
import { Matching } from '../../../../services/engine/operations/matching.js';
import { RandomStream } from '../../../../services/engine/kernel/random.js';

/**
 * Patterns 0 and 1 take channel 0 and 1, pattern 2 both. Receives 0 and 1 have pattern 0, 2 and 3
 * pattern 1, 4 and 5 pattern 2; messages 0 to 2 come on channel 0, 3 to 5 on channel 1.
 */
const SPEC: MatchingSpec = {
  patterns: 3,
  patternOf: Int32Array.of(0, 0, 1, 1, 2, 2),
  channelOf: Int32Array.of(0, 0, 0, 1, 1, 1),
  patternsOfChannel: { first: Int32Array.of(0, 2, 4), to: Int32Array.of(0, 2, 1, 2) },
  channelsOfPattern: { first: Int32Array.of(0, 1, 2, 4), to: Int32Array.of(0, 1, 0, 1) },
};

describe('matching', () => {
  it('gives a message to the receive that was posted first of those that take it', () => {
    const matching = new Matching(SPEC);
    assert.equal(matching.post(4), false);
    assert.equal(matching.post(0), false);
    assert.deepEqual([matching.arrive(0), matching.arrive(1)], [4, 0]);
    assert.deepEqual([matching.messageOf(4), matching.messageOf(0)], [0, 1]);
  });

  it('gives a receive the message that came first of those that it takes', () => {
    const matching = new Matching(SPEC);
    assert.deepEqual([matching.arrive(3), matching.arrive(0), matching.arrive(4)], [-1, -1, -1]);
    assert.deepEqual([matching.post(4), matching.post(2), matching.post(5)], [true, true, true]);
    assert.deepEqual(
      [4, 2, 5].map((one) => matching.messageOf(one)),
      [3, 4, 0],
    );
  });

  it('does the same as two lists that are searched', () => {
    const random = new RandomStream(7, 'matching');
    for (let turn = 0; turn < 500; turn++) {
      const matching = new Matching(SPEC);
      const events = [0, 1, 2, 3, 4, 5].flatMap((i) => [`post ${i}`, `come ${i}`]);
      random.shuffle(events);
      const [posted, came]: [number[], number[]] = [[], []];
      const takes = (receive: number, message: number): boolean => {
        const pattern = SPEC.patternOf[receive]!;
        return pattern === 2 || pattern === SPEC.channelOf[message]!;
      };
      for (const event of events) {
        const number = Number(event.slice(5));
        if (event.startsWith('post')) {
          const at = came.findIndex((message) => takes(number, message));
          assert.equal(matching.post(number), at >= 0);
          if (at < 0) posted.push(number);
          else assert.equal(matching.messageOf(number), came.splice(at, 1)[0]);
        } else {
          const at = posted.findIndex((receive) => takes(receive, number));
          const taker = at < 0 ? -1 : posted.splice(at, 1)[0]!;
          assert.equal(matching.arrive(number), taker);
          if (at < 0) came.push(number);
        }
      }
    }
  });
});
