import { assert } from './assert.js';

/**
 * The places of fields in a row of so many numbers: none is outside, and none has that of another.
 * It stands beside their constants, and is checked once, when a program begins.
 */
export function assertFields(length: number, ...places: readonly number[]): void {
  const isInside = places.every((place) => place >= 0 && place < length);
  assert(isInside, 'row.field-outside');
  assert(new Set(places).size === places.length, 'row.fields-overlap');
}

/** Words of doubles, which lie beside other words of one row. */
export function wordsOf(...doubles: readonly number[]): number[] {
  return doubles.flatMap((double) => [2 * double, 2 * double + 1]);
}
