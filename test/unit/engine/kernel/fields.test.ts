import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertFields, wordsOf } from '../../../../services/engine/kernel/fields.js';

describe('fields of a row', () => {
  it('have a place each inside of it', () => {
    assertFields(4, 0, 3, 2);
    assertFields(8, 0, 1, ...wordsOf(2, 3));
  });

  const refused: readonly (readonly [number, readonly number[], RegExp])[] = [
    [4, [0, 2, 2], /row\.fields-overlap/],
    [4, [0, 4], /row\.field-outside/],
    [4, [-1], /row\.field-outside/],
    [8, [5, ...wordsOf(2)], /row\.fields-overlap/],
  ];
  for (const [length, places, reason] of refused) {
    it(`are refused: ${places.join(', ')} of ${length}`, () => {
      assert.throws(() => {
        assertFields(length, ...places);
      }, reason);
    });
  }
});
