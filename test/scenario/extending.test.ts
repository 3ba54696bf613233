/** docs/extending.md builds what the examples have; that its commands work is for pages.test.ts. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { blocksOf } from '../kit/page.js';

const PAGE = 'docs/extending.md';
const LINES_MAX = 150;

describe(PAGE, () => {
  it('builds the control of the examples, in at most 150 lines', () => {
    const built = blocksOf(PAGE).findLast(({ name }) => name === 'aim.mjs')!.text;
    assert.equal(built, readFileSync(join(ROOT, 'examples/aim.mjs'), 'utf8'));
    assert.ok(built.split('\n').length <= LINES_MAX);
  });
});
