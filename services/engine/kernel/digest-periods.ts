import type { DigestState } from './digest.js';
import { FIRST_FACTOR, SECOND_FACTOR, SUM_MODULUS } from './digest.js';

/** Rows of a matrix over integers modulo 2^32. */
type Matrix = readonly (readonly [number, number, number])[];

const IDENTITY: Matrix = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/**
 * The digest after `n` more periods, of which each mixes in as many events as the one before, and
 * words that grow by constants. `states` are those at the ends of three such periods, and at their
 * beginning. Null: the three do not repeat like that.
 *
 * A period of L events maps a lane D to A^L D + s + k t in its k-th repetition, which is a product
 * of a matrix with (D, s, 1): n of them are its n-th power.
 */
export function digestAfter(
  states: readonly [DigestState, DigestState, DigestState, DigestState],
  n: number,
): DigestState | null {
  const mixed = (states[1].mixed - states[0].mixed) | 0;
  if (states.some((state, i) => i > 0 && ((state.mixed - states[i - 1].mixed) | 0) !== mixed)) {
    return null;
  }
  const first = laneAfter(
    FIRST_FACTOR,
    mixed,
    states.map((state) => state.first),
    n,
  );
  const second = laneAfter(
    SECOND_FACTOR,
    mixed,
    states.map((state) => state.second),
    n,
  );
  const sum = sumAfter(
    states.map((state) => state.sum),
    n,
  );
  if (first === null || second === null || sum === null) return null;
  return { first, second, sum, mixed: (states[3].mixed + Math.imul(mixed, n | 0)) | 0 };
}

function laneAfter(factor: number, mixed: number, lane: number[], n: number): number | null {
  const scale = power(factor, mixed >>> 0);
  const added = (i: number): number => (lane[i + 1] - Math.imul(scale, lane[i])) | 0;
  const growth = (added(1) - added(0)) | 0;
  if (((added(2) - added(1)) | 0) !== growth) return null;
  const next = (added(2) + growth) | 0;
  const [row] = raised(
    [
      [scale, 1, 0],
      [0, 1, growth],
      [0, 0, 1],
    ],
    n,
  );
  return (Math.imul(row[0], lane[3]) + Math.imul(row[1], next) + row[2]) | 0;
}

/** The sum of times grows by more in each period, by as much as in the one before. */
function sumAfter(sums: number[], n: number): number | null {
  const modulus = BigInt(SUM_MODULUS);
  const wrap = (value: bigint): bigint => ((value % modulus) + modulus) % modulus;
  const added = (i: number): bigint => wrap(BigInt(sums[i + 1]) - BigInt(sums[i]));
  const growth = wrap(added(1) - added(0));
  if (wrap(added(2) - added(1)) !== growth) return null;
  const count = BigInt(n);
  const steps = (count * (count + 1n)) / 2n;
  return Number(wrap(BigInt(sums[3]) + count * added(2) + steps * growth));
}

/** Of a number modulo 2^32. */
function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}

function raised(matrix: Matrix, exponent: number): Matrix {
  let result = IDENTITY;
  let square = matrix;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

function product(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => {
    const cell = (column: 0 | 1 | 2): number =>
      row.reduce((sum, value, i) => (sum + Math.imul(value, b[i][column])) | 0, 0);
    return [cell(0), cell(1), cell(2)];
  });
}
