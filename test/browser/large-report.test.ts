/** A report of 1,024 hosts with traces and episodes: small, and drawn no further than is seen. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';
import { fatTreeScenario } from '../kit/fat-tree-scenario.js';
import { PICTURES, takePictures } from '../kit/pictures.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const OCTETS_MOST = 3_000_000;
const ELEMENTS_MOST = 1500;
/** Loaded machines are slow; the target is 3 s on an idle one. */
const OPEN_MS_MAX = 10_000;

describe('a report of 1,024 hosts', { skip: noBrowser, timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-large-'));
  const report = join(folder, 'run', 'report.html');
  let browser: TestBrowser;
  let page: Page;

  before(async () => {
    const scenario = join(folder, 'large.yaml');
    writeFileSync(scenario, fatTreeScenario(16));
    const words = ['--quiet', '--no-parquet', '--out', join(folder, 'run')];
    execFileSync(process.execPath, [CLI, 'run', scenario, ...words], { stdio: 'ignore' });
    browser = await TestBrowser.start();
    page = await browser.open(pathToFileURL(report).href, /^(file|data):/);
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const count = (selector: string): Promise<number> => page.locator(selector).count();

  it('has the fabric, its flows, episodes and frames in at most 3 MB', async () => {
    const octets = statSync(report).size;
    assert.ok(octets <= OCTETS_MOST, `${octets} octets`);
    const text = await page.innerText('main');
    for (const words of [
      '1,344 devices · 3,072 links',
      'Congestion over time',
      'Flows',
      'Queues and pauses',
    ]) {
      assert.ok(text.includes(words), words);
    }
  });

  it('is shown at once, and over time', async () => {
    const shown = await browser.open(pathToFileURL(report).href, /^(file|data):/);
    // Read at the page's own clock, which begins when the file is asked for.
    const shownMs = await shown.evaluate('performance.now()');
    assert.ok(Number(shownMs) < OPEN_MS_MAX, `${Number(shownMs)} ms`);
    const map = shown.getByRole('img', { name: /^The fabric/ });
    const whole = await map.screenshot();
    await shown.getByRole('slider', { name: 'time' }).fill('20000000');
    assert.notDeepEqual(await map.screenshot(), whole);
    await map.click({ position: { x: 8, y: 25 } });
    await shown.getByRole('heading', { name: /^Port core1:/ }).waitFor();
    await shown.close();
  });

  it('makes few elements, and no chart that is not near the window', async () => {
    const elements = await count('*');
    assert.ok(elements <= ELEMENTS_MOST, `${elements} elements`);
    const [charts, drawn] = [await count('.chart'), await count('.uplot')];
    assert.ok(charts >= 6, `${charts} charts`);
    assert.equal(drawn, 0);
  });

  it('draws a chart when it comes near the window, and all of them to be printed', async () => {
    await page.locator('#port .chart').first().scrollIntoViewIfNeeded();
    await page.locator('#port .uplot').first().waitFor();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.waitForFunction(
      'document.querySelectorAll(".uplot").length === document.querySelectorAll(".chart").length',
    );
  });

  it('makes what can be found when it is searched', async () => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'search' }).fill('h1024');
    assert.match(await page.getByRole('option').first().innerText(), /^host\s+h1024/);
    await page.keyboard.press('Escape');
  });

  it('folds its pods, and shows the links of one that is unfolded', async () => {
    await page.getByRole('button', { name: 'pods folded' }).click();
    assert.equal(await page.locator('.device text', { hasText: /^pod / }).count(), 16);
    assert.equal(await page.locator('.device.layer3').count(), 8);
    await page.locator('.device', { hasText: 'pod 3' }).first().click();
    assert.equal(await page.locator('.device text', { hasText: /^pod / }).count(), 15);
    assert.equal(await page.locator('.device.layer2').count(), 8);
    await page.waitForURL(/pods=2$/);
    const other = await browser.open(page.url(), /^(file|data):/);
    assert.equal(await other.locator('.device text', { hasText: /^pod / }).count(), 15);
    await other.close();
    // A line straight up has no width to point at.
    await page.locator('.map-link').first().dispatchEvent('mousemove');
    assert.equal(await page.locator('.tip b').count(), 2);
  });

  it('keeps the chosen congestion tree in the address', async () => {
    await page.locator('.roots .root').nth(2).click();
    await page.waitForURL(/tree=2&/);
    const name = await page.locator('.roots .root.on b').innerText();
    const other = await browser.open(page.url(), /^(file|data):/);
    assert.equal(await other.locator('.roots .root.on b').innerText(), name);
    await other.close();
  });

  for (const [name, hash] of [
    ['k16', ''],
    ['k16-pods', '#pods='],
  ] as const) {
    it(`has pictures taken of ${name}`, async () => {
      mkdirSync(PICTURES, { recursive: true });
      const shown = await browser.open(`${pathToFileURL(report).href}${hash}`, /^(file|data):/);
      await takePictures(shown, name);
      await shown.close();
    });
  }

  it('says nothing on the console and fetches nothing', () => {
    assert.deepEqual(browser.said, []);
  });
});
