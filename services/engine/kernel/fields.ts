import { assert } from './assert.js';
import type { Kind } from './kinds.js';

/** A number of a row: `at` counts numbers of the column, or doubles where it lies in words. */
export interface Field {
  readonly name: string;
  readonly at: number;
  readonly isDouble: boolean;
  readonly kind: Kind;
}

/** What a row of a column has: so many numbers, each in a field. */
export interface Fields {
  readonly stride: number;
  readonly list: readonly Field[];
  /** Each field is a record of its own. */
  readonly isApart: boolean;
}

type Place = number | { readonly double: number };

/** The place of a double in a row of words. */
export const double = (at: number): Place => ({ double: at });

/** One field in a row, or so many of a kind. */
export function field(name: string, kind: Kind, count = 1): Fields {
  const list = Array.from({ length: count }, (_, at) => ({
    ...{ name: count === 1 ? name : `${name}[${at}]`, at },
    ...{ isDouble: false, kind },
  }));
  return { stride: count, list, isApart: true };
}

/**
 * The fields of a row of so many numbers, by name: none is outside, none has the place of another,
 * and each number is in one. `unused` are places between them.
 */
export function fields(
  stride: number,
  own: Readonly<Record<string, readonly [place: Place, kind: Kind]>>,
  unused: readonly number[] = [],
): Fields {
  const list = Object.entries(own).map(([name, [place, kind]]) => {
    const isDouble = typeof place === 'object';
    return { name, at: isDouble ? place.double : place, isDouble, kind };
  });
  const places = list.flatMap(({ at, isDouble }) => (isDouble ? wordsOf(at) : [at]));
  const all = [...places, ...unused];
  assertFields(stride, ...all);
  assert(all.length === stride, 'row.number-without-a-kind');
  return { stride, list, isApart: false };
}

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
