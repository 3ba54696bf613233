import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { loadScenario, scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import type { Document } from '../../services/hunt/document.js';
import { huntHere } from '../../services/hunt/hunt.js';
import { tryOut } from '../../services/hunt/trial.js';
import { Variations } from '../../services/hunt/variation.js';
import { ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';
import { MUTANTS } from '../kit/mutants.js';

const FILE = join(ROOT, 'examples/hunting-ground.yaml');
const GROUND = loadScenario(FILE, { set: ['duration=600us'] }).document as Document;
/** Of each example. */
const VARIATIONS = isLong ? 12 : 4;

describe('a hunt', () => {
  it('finds nothing where nothing is wrong', () => {
    const { found } = huntHere(FILE, GROUND, { runs: 40, seed: 3, faults: 3, shrinkRuns: 0 }, null);
    assert.deepEqual(found, []);
  });

  it('makes the same variation of a run whenever it is made', () => {
    const options = { runs: 1, seed: 5, faults: 3, shrinkRuns: 0 };
    const fails = { ...GROUND, expect: [{ metric: 'drops', min: 1_000_000 }] };
    const [first, second] = [0, 1].map(() => huntHere(FILE, fails, options, null).found[0]!);
    assert.deepEqual(first, second);
  });

  it('makes no variation of any example that is bad input', () => {
    const names = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));
    for (const name of names) {
      const file = join(ROOT, 'examples', name);
      const document = loadScenario(file).document as Document;
      const fabricOf = (varied: Document) => buildFabric(scenarioOfDocument(file, varied));
      const variations = new Variations(document, fabricOf(document), { seed: 1, faults: 3 });
      for (let run = 0; run < VARIATIONS; run++)
        assert.doesNotThrow(() => fabricOf(variations.make(run)));
    }
  });

  for (const { name, plant, faults } of MUTANTS) {
    it(`finds ${name}, and makes it small`, () => {
      const options = { runs: 200, seed: 1, faults, shrinkRuns: 150 };
      const { found, runs } = huntHere(FILE, GROUND, options, plant);
      assert.equal(found.length, 1);
      const { document, verdict } = found[0]!.shrunk;
      assert.ok(verdict.devices <= 4, `${verdict.devices} devices: ${verdict.reason}, run ${runs}`);
      // What is left fails by itself, in the same way, with the same digest; and only if damaged.
      assert.deepEqual(tryOut(FILE, document, plant), verdict);
      assert.equal(tryOut(FILE, document, null).reason, null);
    });
  }
});
