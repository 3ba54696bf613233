/** What the README shows is what the program prints. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { summaryText } from '../../services/report/summary-text.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { keptFingerprints } from '../kit/golden.js';
import { blocksOf, PAGES } from '../kit/page.js';

const PLAIN = { good: String, bad: String, strong: String };
const CUT = '…';

describe('documents', () => {
  it('name run directories of examples as they are', () => {
    for (const name of PAGES) {
      const text = readFileSync(join(ROOT, name), 'utf8');
      for (const [folder, example, digest] of text.matchAll(
        /runs\/([a-z0-9-]+)-([0-9a-f]{8})\b/g,
      )) {
        const kept = keptFingerprints(`${example!}.yaml`);
        assert.equal(digest, kept?.state.slice(0, 8), `${name}: ${folder}`);
      }
    }
  });
});

describe('the README', () => {
  it('shows the summary of its scenario to the letter, with … where it is cut', () => {
    const blocks = blocksOf('README.md');
    const fabric = fabricOf(
      blocks.find(({ language }) => language === 'yaml')!.text.replace('selvage: 1\n', ''),
    );
    const results = run(fabric);
    const expectations = evaluateExpectations(fabric.scenario.expect, results);
    const printed = summaryText(results, expectations, PLAIN).trimEnd().split('\n');
    const text = blocks.find(({ language }) => language === 'text')!.text;
    const sample = text.trimEnd().split('\n');
    assert.ok(sample.length > 20);
    let at = 0;
    let isCut = false;
    for (const line of sample) {
      if (line.trim() === CUT) {
        isCut = true;
        continue;
      }
      const isShown = (whole: string): boolean =>
        line.endsWith(CUT) ? whole.startsWith(line.slice(0, -CUT.length)) : whole === line;
      const found = printed.findIndex((whole, i) => i >= at && isShown(whole));
      assert.ok(found >= 0, `nothing prints: ${line}`);
      assert.ok(isCut || found === at, `left out without a sign before: ${line}`);
      at = found + 1;
      isCut = false;
    }
    assert.ok(isCut || at === printed.length, 'left out without a sign at the end');
  });
});
