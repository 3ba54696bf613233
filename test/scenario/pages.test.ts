/** The `console` blocks of pages run, in order, and print what the pages say. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { blocksOf, doAsPageSays, PAGES, readersFolder } from '../kit/page.js';

/** Its commands need the package as it is installed; see library.test.ts. */
const ELSEWHERE = 'docs/library.md';

describe('what pages say', () => {
  const pages = PAGES.filter((page) =>
    blocksOf(page).some(({ language }) => language === 'console'),
  );
  assert.ok(pages.includes(ELSEWHERE));
  for (const page of pages.filter((each) => each !== ELSEWHERE)) {
    it(`${page} does`, () => {
      const { folder, env } = readersFolder();
      try {
        assert.ok(doAsPageSays(page, folder, env) > 0);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
