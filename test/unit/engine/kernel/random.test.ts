import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../../../services/engine/kernel/random.js';

function draws(stream: RandomStream, count: number): number[] {
  return Array.from({ length: count }, () => stream.uint32());
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Pearson's statistic of counts that should all be the same. */
function chiSquare(counts: readonly number[]): number {
  const expected = mean(counts);
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('random stream', () => {
  it('gives the published values of xoshiro128** 1.1 from state 1, 2, 3, 4', () => {
    const stream = new RandomStream(0, '');
    stream.state.set([1, 2, 3, 4]);
    assert.deepEqual(
      draws(stream, 10),
      [
        11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597,
        4258142804,
      ],
    );
  });

  it('is the same for the same seed and name, in every version of this program', () => {
    assert.deepEqual(draws(new RandomStream(1, 'h1'), 3), draws(new RandomStream(1, 'h1'), 3));
    assert.deepEqual(
      [...new RandomStream(1, 'h1').state],
      [2789833248, 1142580171, 328959547, 2361766988],
    );
  });

  it('continues after its state is restored', () => {
    const stream = new RandomStream(7, 'leaf1');
    draws(stream, 5);
    const saved = stream.state.slice();
    const expected = draws(stream, 5);
    const restored = new RandomStream(0, 'other');
    restored.state.set(saved);
    assert.deepEqual(draws(restored, 5), expected);
  });

  it('differs in about half of all bits between neighbouring seeds and names', () => {
    const pairs: [RandomStream, RandomStream][] = [];
    for (let n = 0; n < 200; n++) {
      pairs.push([new RandomStream(n, 'h'), new RandomStream(n + 1, 'h')]);
      pairs.push([new RandomStream(n, 'h'), new RandomStream(n + 2 ** 32, 'h')]);
      pairs.push([new RandomStream(1, `h${n}`), new RandomStream(1, `h${n + 1}`)]);
    }
    for (const word of [0, 1, 2, 3]) {
      const flipped = pairs.map(([a, b]) => bitCount(a.state[word]! ^ b.state[word]!));
      assert.ok(Math.abs(mean(flipped) - 16) < 0.5, `word ${word}: ${mean(flipped)} bits`);
    }
  });

  it('has no two equal states among a hundred thousand names', () => {
    const states = new Set<string>();
    for (let n = 0; n < 100_000; n++) states.add(new RandomStream(1, `flow${n}`).state.join());
    assert.equal(states.size, 100_000);
  });

  it('draws uniform numbers in [0, 1) with the right mean and variance', () => {
    const stream = new RandomStream(3, 'uniform');
    const values = Array.from({ length: 100_000 }, () => stream.uniform());
    assert.ok(values.every((value) => value >= 0 && value < 1));
    assert.ok(Math.abs(mean(values) - 0.5) < 0.004);
    assert.ok(Math.abs(mean(values.map((value) => (value - 0.5) ** 2)) - 1 / 12) < 0.002);
  });

  it('stays below 1 when all bits are set', () => {
    const stream = new RandomStream(0, '');
    stream.uint32 = () => 0xffffffff;
    assert.equal(stream.uniform(), 1 - 2 ** -53);
  });

  it('draws every integer below n equally often', () => {
    const stream = new RandomStream(5, 'below');
    const counts = new Array<number>(10).fill(0);
    for (let n = 0; n < 100_000; n++) counts[stream.below(10)]!++;
    // 9 degrees of freedom: exceeded once in a thousand streams.
    assert.ok(chiSquare(counts) < 27.9);
  });

  it('draws again where the small integers would be favoured', () => {
    const stream = new RandomStream(0, '');
    const raw = [3 * 2 ** 30, 3 * 2 ** 30 - 1];
    stream.uint32 = () => raw.shift()!;
    assert.equal(stream.below(3 * 2 ** 30), 3 * 2 ** 30 - 1);
  });

  it('draws exponential numbers with the given mean and a like deviation', () => {
    const stream = new RandomStream(9, 'exponential');
    const values = Array.from({ length: 100_000 }, () => stream.exponential(50));
    assert.ok(values.every((value) => value >= 0));
    assert.ok(Math.abs(mean(values) - 50) < 1);
    assert.ok(Math.abs(Math.sqrt(mean(values.map((value) => (value - 50) ** 2))) - 50) < 1.5);
  });

  it('shuffles into every order equally often', () => {
    const stream = new RandomStream(11, 'shuffle');
    const counts = new Map<string, number>();
    for (let n = 0; n < 24_000; n++) {
      const array = [1, 2, 3, 4];
      stream.shuffle(array);
      counts.set(array.join(), (counts.get(array.join()) ?? 0) + 1);
    }
    assert.equal(counts.size, 24);
    // 23 degrees of freedom: exceeded once in a thousand streams.
    assert.ok(chiSquare([...counts.values()]) < 49.7);
  });
});

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word >>> 0; rest !== 0; rest >>>= 1) count += rest & 1;
  return count;
}
