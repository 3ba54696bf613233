/** A report is opened from the disk, as a person would, and clicked through. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/services/cli/main.js');
const SIZE_MAX = 15e6;

const folder = mkdtempSync(join(tmpdir(), 'selvage-report-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function selvage(...words: string[]): void {
  execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, stdio: 'ignore' });
}

describe('the report in a browser', { skip: noBrowser }, () => {
  let browser: TestBrowser;

  function open(file: string, colorScheme: 'light' | 'dark'): Promise<Page> {
    return browser.open(pathToFileURL(file).href, /^(file|data):/, colorScheme);
  }

  before(async () => {
    browser = await TestBrowser.start();
    selvage('run', 'examples/incast-pfc.yaml', '--quiet', '--out', join(folder, 'pfc'));
    selvage('run', 'examples/incast-credit.yaml', '--quiet', '--out', join(folder, 'credit'));
  });
  after(async () => {
    await browser.close();
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`shows what happened (${scheme}), and a port that is clicked`, async () => {
      const file = join(folder, 'pfc', 'report.html');
      assert.ok(statSync(file).size < SIZE_MAX);
      const page = await open(file, scheme);
      const text = await page.innerText('body');
      assert.match(text, /incast-pfc/);
      assert.match(text, /all 5 hold|all \d+ hold/);
      assert.ok(text.includes(readFileSync(join(folder, 'pfc', 'digest'), 'utf8').trim()));
      assert.ok((await page.locator('svg path').count()) >= 9);
      assert.ok((await page.locator('canvas').count()) >= 4);
      await page.getByRole('button', { name: 'h3:p1' }).first().click();
      assert.match(await page.innerText('body'), /Port h3:p1/);
      await page.close();
    });
  }

  it('puts runs side by side', async () => {
    const file = join(folder, 'compare.html');
    selvage('compare', join(folder, 'pfc'), join(folder, 'credit'), '--out', file);
    const page = await open(file, 'light');
    const text = await page.innerText('body');
    assert.match(text, /2 runs side by side/);
    assert.match(text, /incast-pfc/);
    assert.match(text, /incast-credit/);
    await page.close();
  });

  it('says nothing on the console and fetches nothing', () => {
    assert.deepEqual(browser.said, []);
  });
});
