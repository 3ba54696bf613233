/** `summary.json` against its published schema, by a validator that is not ours. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ROOT } from './emulate.js';

const text = readFileSync(join(ROOT, 'docs/summary.schema.json'), 'utf8');
const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(text) as object);

/** Of a summary as it is written: numbers that JSON does not have are null there. */
export function assertSummary(summary: object): void {
  assert.deepEqual(summaryErrors(summary), []);
}

export function summaryErrors(summary: object): string[] {
  if (validate(JSON.parse(JSON.stringify(summary)))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}
