/** Nothing is found where nothing is wrong: thousands of runs of an engine without defects. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import type { Document } from '../../services/hunt/document.js';
import { hunt } from '../../services/hunt/hunt.js';
import { ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const FILE = join(ROOT, 'examples/hunting-ground.yaml');
/** In the long suite 5,000 in all. */
const HUNTS = isLong ? 10 : 1;
const RUNS = isLong ? 500 : 40;

describe('hunts', { timeout: 7_200_000 }, () => {
  const document = loadScenario(FILE, { set: ['duration=600us'] }).document as Document;

  for (let seed = 1; seed <= HUNTS; seed++) {
    it(`find nothing in ${RUNS} runs of seed ${seed}`, async () => {
      const options = { runs: RUNS, seed, faults: 3, shrinkRuns: 100, threads: 2 };
      const { found } = await hunt(FILE, document, options, () => undefined);
      assert.deepEqual(found, []);
    });
  }
});
