import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import {
  denseOf,
  SparseReader,
  SparseWriter,
  sparseOf,
} from '../../../../services/engine/kernel/sparse-numbers.js';

/** Arrays of several lengths, most of whose numbers are zero. */
function samples(random: RandomStream): Float64Array[] {
  const odd = [-0, NaN, Infinity, -1, 0.5];
  return Array.from({ length: 1 + random.below(6) }, () => {
    const share = random.below(4);
    return Float64Array.from({ length: random.below(20) }, () =>
      random.below(4) < share ? odd[random.below(odd.length)]! : 0,
    );
  });
}

it('puts numbers back as they were, whatever is there and wherever arrays begin', () => {
  const random = new RandomStream(1, 'sparse');
  const writer = new SparseWriter<Float64Array>(new Float64Array(0));
  for (let round = 0; round < 2000; round++) {
    const arrays = samples(random);
    for (const numbers of arrays) writer.add(numbers, 0, numbers.length);
    const sparse = writer.take();
    const reader = new SparseReader(sparse);
    for (const numbers of arrays) {
      const before = samples(random)[0]!;
      const padded = new Float64Array(numbers.length + 2).fill(7);
      padded.set(before.subarray(0, numbers.length), 1);
      reader.read(padded, 1, 1 + numbers.length);
      assert.deepEqual(padded, Float64Array.of(7, ...numbers, 7));
    }
    assert.ok(reader.isAtEnd);
    const all = Float64Array.from(arrays.flatMap((numbers) => [...numbers]));
    assert.deepEqual(denseOf(sparse), all);
    assert.deepEqual(sparseOf(all), sparse);
  }
});

it('holds nothing of what is zero', () => {
  const numbers = new Int32Array(1000);
  numbers.set([1, 2], 500);
  const { length, stretches, values } = sparseOf(numbers);
  assert.deepEqual([length, [...stretches], [...values]], [1000, [500, 2], [1, 2]]);
});
