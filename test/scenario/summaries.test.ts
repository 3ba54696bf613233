/** The summary of every example is what docs/summary.schema.json says. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { summaryJson } from '../../services/report/summary/summary-json.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { assertSummary } from '../kit/summary-schema.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

describe('summary.json', () => {
  for (const name of examples) {
    it(`of ${name} is what its schema says`, () => {
      const fabric = fabricOf(`examples/${name}`);
      const session = new Session(fabric, { check: false });
      while (session.advance(1000) === 'running');
      const results = session.results('complete');
      const expectations = evaluateExpectations(fabric.scenario.expect, results);
      assertSummary(summaryJson({ results, expectations, wallSeconds: 0.5 }));
    });
  }
});
