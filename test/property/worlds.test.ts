/** Generated worlds: everything together, in every runner, with one digest. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringify } from 'yaml';
import { huntWorlds } from '../../services/hunt/worlds/hunt-worlds.js';
import { isLong } from '../kit/long-suite.js';

const SEED = 1;
const WORLDS = isLong ? 20_000 : 40;
const SHARDS = isLong ? 10 : 2;
const THREADS = 2;

describe(`generated worlds of seed ${SEED}`, { timeout: 10_800_000 }, () => {
  const worlds = WORLDS / SHARDS;
  for (let shard = 0; shard < SHARDS; shard++) {
    const from = shard * worlds;
    it(`hold in every runner: ${from} to ${from + worlds - 1}`, async () => {
      const options = { worlds, from, seed: SEED, threads: THREADS, shrinkRuns: 60 };
      const { found } = await huntWorlds(options, () => undefined);
      const texts = found.map(
        ({ run, count, reason, shrunk }) =>
          `world ${run} (and ${count - 1} more): ${reason}\n${stringify(shrunk.document)}`,
      );
      assert.equal(texts.join('\n'), '');
    });
  }
});
