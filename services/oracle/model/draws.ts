/**
 * Random streams as the documentation declares them (docs/internals/time-and-order.md):
 * xoshiro128** 1.1 (Blackman and Vigna), whose state a seed and a name give.
 */

const MULTIPLIERS = [0xcc9e2d51, 0x1b873593, 0x85ebca6b, 0xc2b2ae35];

export class Draws {
  private state: [number, number, number, number];

  constructor(seed: number, name: string) {
    let words = [...MULTIPLIERS];
    const codes = Array.from(name, (_, at) => name.charCodeAt(at));
    for (const value of [seed, Math.floor(seed / 2 ** 32), ...codes, name.length]) {
      words = words.map((word, i) => rotated(Math.imul(word ^ value, MULTIPLIERS[i]!), 13) + i);
    }
    for (let pass = 0; pass < 2; pass++) {
      for (let i = 0; i < 4; i++) words[i] = finalised(words[i]! + words[(i + 1) % 4]!);
    }
    const isZero = words.every((word) => word >>> 0 === 0);
    this.state = (isZero ? [1, 0, 0, 0] : words) as [number, number, number, number];
  }

  uniform(): number {
    const high = this.next() >>> 5;
    return (high * 2 ** 26 + (this.next() >>> 6)) / 2 ** 53;
  }

  private next(): number {
    const [a, b, c, d] = this.state;
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    this.state = [a ^ d ^ b, b ^ c ^ a, c ^ a ^ (b << 9), rotated(d ^ b, 11)];
    return result;
  }
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** The finaliser of MurmurHash3. */
function finalised(value: number): number {
  let word = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
