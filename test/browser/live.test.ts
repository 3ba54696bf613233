/** The page of a run in progress, used as a person would. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const noBroker = isInstalled() ? false : 'no nats-server on the PATH';
const PATIENCE = { timeout: 30_000 };

interface LiveProcess {
  readonly url: string;
  readonly ended: Promise<number | null>;
}

describe('a run that is looked at', { skip: noBrowser, timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-live-'));
  const children: ChildProcess[] = [];
  let browser: TestBrowser;

  before(async () => {
    browser = await TestBrowser.start();
  });
  after(async () => {
    for (const child of children) child.kill();
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function start(...words: string[]): Promise<LiveProcess> {
    const env = { ...process.env, SELVAGE_UI_TOKEN: '' };
    const child = spawn(process.execPath, [CLI, 'run', ...words, '--ui', '--quiet'], {
      ...{ cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] },
    });
    children.push(child);
    let said = '';
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const url = new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (data: Buffer) => {
        said += data.toString();
        const [, place] = /live at (\S+)\n/.exec(said) ?? [];
        if (place !== undefined) resolve(place);
      });
      child.once('close', () => {
        reject(new Error(`it ended: ${said}`));
      });
    });
    return { url: await url, ended };
  }

  const digestIn = (out: string): string => readFileSync(join(out, 'digest'), 'utf8').trim();
  /** The digest of a run of a file that another run has left. */
  const repeated = (out: string, name: string, file: string): string => {
    const again = join(folder, name);
    const set = file === 'injected.yaml' ? ['--set', 'load.0.bytes=2MB'] : [];
    const words = ['run', join(out, file), ...set, '--quiet', '--out', again];
    spawnSync(process.execPath, [CLI, ...words], { cwd: ROOT });
    return digestIn(again);
  };

  const pill = (page: Page, state: string): Promise<void> =>
    page.locator(`.pill.${state}`).waitFor(PATIENCE);
  const tile = (page: Page, label: string): Promise<string> =>
    page.locator('.tile', { hasText: label }).locator('b').innerText();
  const press = (page: Page, name: string | RegExp): Promise<void> =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).click();

  it('is let go, blocked, stepped, broken and ended from its page, which becomes the report', async () => {
    const out = join(folder, 'one');
    const { url, ended } = await start(
      ...['examples/incast-pfc.yaml', '--set', 'load.0.bytes=2MB', '--paused', '--out', out],
    );
    const page = await browser.open(url, new RegExp(`^(${url}|data:)`));
    await pill(page, 'paused');
    assert.equal(await tile(page, 'virtual time'), '0');
    await page.getByLabel('length of a step').selectOption({ label: '10 us' });
    await press(page, 'step');
    await page.locator('.tile b', { hasText: /^10(\.\d)? us$/ }).waitFor(PATIENCE);
    await page.locator('canvas').first().waitFor(PATIENCE);
    await page.locator('.device', { hasText: 'h3' }).click();
    await page.getByRole('heading', { name: /^Port h3:p1/ }).waitFor(PATIENCE);

    await page.getByLabel('kind of fault').selectOption('freeze');
    await press(page, 'inject');
    await page.locator('.faults li', { hasText: 'freeze at h3:p1, for 20us' }).waitFor(PATIENCE);
    await page.getByLabel('kind of fault').selectOption('steal-credit');
    await press(page, 'inject');
    await page.locator('p.bad', { hasText: /^injected fault: .*credit/ }).waitFor(PATIENCE);

    await press(page, /resume/);
    await page.getByText('How to reproduce').waitFor(PATIENCE);
    await pill(page, 'complete');
    // So much takes longer than the scenario expects.
    assert.equal(await ended, 1);
    assert.ok((await page.innerText('body')).includes(digestIn(out)));
    await page.close();

    assert.equal(repeated(out, 'again', 'scenario.json'), digestIn(out));
  });

  it('ends where its page says so, and goes on another time', async () => {
    const out = join(folder, 'stopped');
    const { url, ended } = await start(
      ...['examples/incast-pfc.yaml', '--set', 'load.0.bytes=200MB', '--out', out],
    );
    const page = await browser.open(url, new RegExp(`^(${url}|data:)`), 'dark');
    await pill(page, 'running');
    await page.locator('.track').waitFor(PATIENCE);
    await press(page, /stop/);
    await pill(page, 'interrupted');
    assert.equal(await ended, 130);
    assert.equal(readFileSync(join(out, 'status'), 'utf8'), 'interrupted\n');
    await page.close();
  });

  it('comes from its coordinator in a distributed run', { skip: noBroker }, async () => {
    const out = join(folder, 'processes');
    const set = ['load.0.bytes=2MB', 'observe.series=20us', 'observe.episodes=true'].flatMap(
      (change) => ['--set', change],
    );
    const { url, ended } = await start(
      ...[
        'examples/incast-pfc.yaml',
        ...set,
        '--services',
        '2',
        '--threads',
        '2',
        '--paused',
        '--out',
        out,
      ],
    );
    const page = await browser.open(url, new RegExp(`^(${url}|data:)`));
    await pill(page, 'paused');
    assert.equal(await tile(page, 'virtual time'), '0');
    await page.getByLabel('length of a step').selectOption({ label: '10 us' });
    for (const reached of ['10 us', '20 us', '30 us']) {
      await press(page, 'step');
      await page.locator('.tile', { hasText: `virtual time${reached}` }).waitFor(PATIENCE);
    }
    await page.locator('.tree', { hasText: 's1:p1 priority 3: several ports' }).waitFor(PATIENCE);
    assert.equal(await page.locator('.pill.paused').count(), 1);
    await page.locator('canvas').first().waitFor(PATIENCE);
    await page.locator('.device', { hasText: 'h3' }).click();
    await page.getByLabel('kind of fault').selectOption('freeze');
    await press(page, 'inject');
    await page.locator('.faults li', { hasText: 'freeze at h3:p1, for 20us' }).waitFor(PATIENCE);
    await press(page, /resume/);
    await pill(page, 'complete');
    assert.equal(await ended, 1);
    await page.close();
    assert.equal(repeated(out, 'processes again', 'injected.yaml'), digestIn(out));
  });

  it('says nothing on the console and fetches nothing from elsewhere', () => {
    assert.deepEqual(browser.said, []);
  });
});
