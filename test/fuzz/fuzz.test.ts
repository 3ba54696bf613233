import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { heapOctets } from '../kit/heap.js';
import { corpusOf, fuzz } from './fuzzer.js';
import { TARGETS } from './targets.js';

/** `npm run fuzz` has a million for each parser, more than ten million in all. */
const RUNS = Number(process.env['SELVAGE_FUZZ'] ?? 10_000);
const SEED = Number(process.env['SELVAGE_FUZZ_SEED'] ?? 1);
/** Whatever a parser was given, it keeps no more than that. */
const KEPT_OCTETS_MOST = 16 * 1024 * 1024;

describe('a parser', () => {
  let total = 0;

  for (const target of TARGETS) {
    it(`${target.name} handles any input, keeps little, and reaches several outcomes`, () => {
      const before = heapOctets();
      const { runs, outcomes } = fuzz(target, RUNS, new RandomStream(SEED, `fuzz ${target.name}`));
      const kept = heapOctets() - before;
      assert.ok(kept < KEPT_OCTETS_MOST, `${kept} octets are kept`);
      const answered = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
      assert.equal(answered, runs + target.seeds.length + corpusOf(target.name).length);
      assert.ok(outcomes.size > 1, [...outcomes.keys()].join());
      total += answered;
    });
  }

  it('was given inputs enough', (test) => {
    assert.ok(total > 10 * RUNS);
    test.diagnostic(`${total} inputs to ${TARGETS.length} parsers, each answered`);
  });
});
