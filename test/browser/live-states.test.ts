/** The page of a run in progress, state by state: before it starts, in between, and when it is lost. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';
import { takePictures, until } from '../kit/pictures.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const PATIENCE = { timeout: 30_000 };

describe('the states of a live page', { skip: noBrowser, timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-live-states-'));
  let child: ChildProcess;
  let browser: TestBrowser;
  let page: Page;

  before(async () => {
    mkdirSync(join(ROOT, 'dist', 'pictures'), { recursive: true });
    browser = await TestBrowser.start();
    const set = ['--set', 'load.0.bytes=200MB', '--set', 'expect=[]'];
    const words = [CLI, 'run', 'examples/incast-pfc.yaml', ...set, '--paused', '--ui', '--quiet'];
    child = spawn(process.execPath, [...words, '--out', join(folder, 'run')], {
      ...{ cwd: ROOT, env: { ...process.env, SELVAGE_UI_TOKEN: '' } },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    const url = await new Promise<string>((resolve) => {
      child.stderr!.on('data', (data: Buffer) => {
        said += data.toString();
        const [, place] = /live at (\S+)\n/.exec(said) ?? [];
        if (place !== undefined) resolve(place);
      });
    });
    page = await browser.open(url, /^(http:\/\/127|http:\/\/localhost|data:)/);
    await page.locator('.pill.paused').waitFor(PATIENCE);
  });
  after(async () => {
    child.kill('SIGKILL');
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const press = (name: string | RegExp): Promise<void> =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).click();

  const clear = (): Locator => page.locator('.faults').getByRole('button', { name: 'clear' });

  it('says before it starts what will be observed', async () => {
    const text = await page.locator('#fabric').innerText();
    assert.match(text, /Nothing has been measured yet/);
    assert.match(text, /✓ ports over time/);
    assert.match(text, /– frames at ports, for Wireshark observe\.captures/);
    await takePictures(page, 'live-before');
  });

  it('marks an injected fault on the timeline', async () => {
    await page.getByLabel('length of a step').selectOption({ label: '100 us' });
    await press('step');
    await page.locator('.track').waitFor(PATIENCE);
    await page.getByLabel('kind of fault').selectOption('freeze');
    await press('inject');
    await page.locator('.faults li').first().waitFor(PATIENCE);
    await press('step');
    await page.locator('.track .event').first().waitFor(PATIENCE);
    const title = (await page.locator('.track .event').first().getAttribute('title'))!;
    assert.match(title, /freeze at .*, for 20us/);
    // It is over, so there is nothing to clear.
    await clear().waitFor({ ...PATIENCE, state: 'detached' });
    await takePictures(page, 'live-fault');
  });

  it('leads from a host that is found to its port', async () => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'search' }).fill('h3');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Port h3:p1/ }).waitFor(PATIENCE);
  });

  it('is scrubbed back while the run goes on', async () => {
    await press(/resume/);
    await page.locator('.pill.running').waitFor(PATIENCE);
    const track = page.locator('.track input');
    await track.focus();
    await press('one step on');
    await page.waitForURL(/at=\d+/);
    const shown = await page.locator('.timeline output').innerText();
    assert.match(shown, /^at /);
    const tile = page.locator('.tile', { hasText: 'virtual time' }).locator('b');
    const before = await tile.innerText();
    await until(
      page,
      `[...document.querySelectorAll('.tile')].some(({ textContent: text }) =>
        text.startsWith('virtual time') && !text.endsWith(${JSON.stringify(before)}))`,
    );
    // The run goes on; what is shown stays.
    assert.equal(await page.locator('.timeline output').innerText(), shown);
    await press('now');
    await page.waitForURL((url) => !url.hash.includes('at='));
  });

  it('says when the run is lost, and greys its controls', async () => {
    await press('❚❚ pause');
    await page.locator('.pill.paused').waitFor(PATIENCE);
    await page.getByLabel('for', { exact: true }).fill('1s');
    await press('inject');
    await clear().waitFor(PATIENCE);
    assert.deepEqual(browser.said, []);
    child.kill('SIGKILL');
    await page.locator('.pill.lost').waitFor(PATIENCE);
    assert.match(await page.locator('.alarm').first().innerText(), /The run does not answer/);
    for (const name of [/pause|resume/, 'step', /stop/, 'inject', 'clear']) {
      assert.equal(await page.getByRole('button', { name }).first().isDisabled(), true);
    }
    await takePictures(page, 'live-lost');
  });
});
