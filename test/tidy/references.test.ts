/** Pages and schemas that are written from the program are as it writes them. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keysPage } from '../../services/cli/keys-page.js';
import { program } from '../../services/cli/program.js';
import { referencePage } from '../../services/cli/reference-pages.js';
import { scenarioJsonSchema } from '../../services/fabric/scenario/catalogue.js';
import { summaryJsonSchema } from '../../services/report/summary/summary-schema.js';
import { textOf } from './files.js';

for (const topic of ['commands', 'metrics', 'tables', 'wire-formats']) {
  it(`docs/${topic}.md is what \`selvage explain ${topic} --markdown\` prints`, () => {
    assert.equal(textOf(`docs/${topic}.md`), referencePage(topic, program()));
  });
}

it('docs/keys.md is what `selvage explain --markdown` prints', () => {
  assert.equal(textOf('docs/keys.md'), keysPage());
});

it('docs/scenario.schema.json is what `selvage schema` prints', () => {
  const kept = JSON.parse(textOf('docs/scenario.schema.json')) as object;
  assert.deepEqual(kept, JSON.parse(JSON.stringify(scenarioJsonSchema())));
});

it('docs/summary.schema.json is what `selvage schema --summary` prints', () => {
  const kept = JSON.parse(textOf('docs/summary.schema.json')) as object;
  assert.deepEqual(kept, JSON.parse(JSON.stringify(summaryJsonSchema())));
});
