import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { corpusOf, fuzz } from './fuzzer.js';
import { TARGETS } from './targets.js';

/** `npm run fuzz` has a million for each parser, more than ten million in all. */
const RUNS = Number(process.env['SELVAGE_FUZZ'] ?? 20_000);
const SEED = Number(process.env['SELVAGE_FUZZ_SEED'] ?? 1);

describe('a parser', () => {
  for (const target of TARGETS) {
    it(`${target.name} answers whatever it is given, and is not always of one mind`, () => {
      const { runs, outcomes } = fuzz(target, RUNS, new RandomStream(SEED, `fuzz ${target.name}`));
      const answered = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
      assert.equal(answered, runs + target.seeds.length + corpusOf(target.name).length);
      assert.ok(outcomes.size > 1, [...outcomes.keys()].join());
    });
  }
});
