/** The page of a sweep: its runs are found, looked at and sent as a link. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/services/cli/main.js');
const VARY = ['priorities.3=pfc,credit', 'faults.0.for=20us,100us'];
const SET = ['expect=[]', 'duration=300us'];

describe('the page of a sweep', { skip: noBrowser }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-sweep-page-'));
  const file = join(folder, 'sweep.html');
  let browser: TestBrowser;
  let page: Page;

  before(async () => {
    const options = [
      ...VARY.flatMap((one) => ['--vary', one]),
      ...SET.flatMap((s) => ['--set', s]),
    ];
    const words = ['sweep', 'examples/reboot-leaf.yaml', ...options, '--html', file];
    execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, stdio: 'ignore' });
    browser = await TestBrowser.start();
    page = await browser.open(pathToFileURL(file).href, /^(file|data):/);
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const search = async (words: string): Promise<void> => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'search' }).fill(words);
  };

  it('finds runs and measures, or says that nothing matches', async () => {
    await search('nowhere');
    assert.equal(await page.locator('#found').innerText(), 'nothing matches “nowhere”');
    await search('goodput');
    assert.match(await page.getByRole('option').first().innerText(), /^measure\s+Goodput/);
    await search('credit 100us');
    assert.match(
      await page.getByRole('option').first().innerText(),
      /^run\s+priorities\.3=credit, faults\.0\.for=100us/,
    );
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { name: 'Run: priorities.3=credit, faults.0.for=100us' })
      .waitFor();
  });

  it('shows a run beside the best and the worst, with the command that repeats it', async () => {
    const text = await page.locator('#sweep-run').innerText();
    assert.match(text, /Goodput during faults\s+\S+ Gb\/s\s+\d of 4\s+\S+ Gb\/s/);
    const command = 'selvage run examples/reboot-leaf.yaml';
    const own = '--set priorities.3=credit --set faults.0.for=100us';
    assert.ok(text.includes(`${command} --set 'expect=[]' --set duration=300us ${own}`), text);
    const maps = await page.locator('table.heat').count();
    assert.equal(await page.locator('table.heat td.on').count(), maps);
  });

  it('shows another run that is clicked, and goes back', async () => {
    await page
      .getByRole('button', { name: /^pfc 20us: / })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Run: priorities.3=pfc, faults.0.for=20us' }).waitFor();
    await page.goBack();
    await page
      .getByRole('heading', { name: 'Run: priorities.3=credit, faults.0.for=100us' })
      .waitFor();
  });

  it('shows the same run at the address that was sent', async () => {
    const other = await browser.open(page.url(), /^(file|data):/, 'dark');
    await other
      .getByRole('heading', { name: 'Run: priorities.3=credit, faults.0.for=100us' })
      .waitFor();
    await other.close();
  });

  it('has a headline of metrics in the words of the field, with units', async () => {
    const wins = await page.locator('.wins').innerText();
    assert.match(
      wins,
      /Goodput during faults\s+priorities\.3=\S+.*\s+\S+ [GM]b\/s against \S+ [GM]b\/s/,
    );
    assert.match(wins, /Pause time \(worst port\)\s/);
  });

  it('says nothing on the console and fetches nothing', () => {
    assert.deepEqual(browser.said, []);
  });
});
