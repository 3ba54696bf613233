import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

describe('examples', () => {
  for (const name of examples) {
    it(`${name} completes, balances its books, and what it expects holds`, () => {
      const fabric = fabricOf(`examples/${name}`);
      const results = run(fabric);
      assert.equal(results.status, 'complete');
      const expectations = evaluateExpectations(fabric.scenario.expect, results);
      assert.ok(expectations.length > 0);
      assert.deepEqual(
        expectations.filter(({ ok }) => !ok),
        [],
      );
    });
  }
});
