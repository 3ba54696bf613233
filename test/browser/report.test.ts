/** A report is opened from the disk, as a person would, and clicked through. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const SIZE_MAX = 3e6;

/** The link of the receiver stays down. */
const CUT = `selvage: 1
duration: 2ms
fabric: { generator: star, hosts: 3 }
load: [{ name: a, stream: { from: h2..h3, to: h1 }, bytes: 4MB, transport: reliable }]
faults: [{ kind: link-down, where: { device: h1 }, at: 50us }]
`;

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

  it('names what keeps ports from sending as the mechanism does', async () => {
    for (const [run, word, other] of [
      ['pfc', 'paused', /blocked by its/],
      ['credit', 'blocked', /paused/],
    ] as const) {
      const page = await open(join(folder, run, 'report.html'), 'light');
      const text = await page.innerText('body');
      for (const words of [
        `${word} longest`,
        `${word} by its link partner`,
        `${word} by the link`,
      ]) {
        assert.ok(text.includes(words), `${run}: ${words}`);
      }
      assert.doesNotMatch(text, other);
      await page.close();
    }
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
      assert.ok((await page.locator('.chart').count()) >= 4);
      await page.locator('#port .chart').first().scrollIntoViewIfNeeded();
      await page.locator('#port canvas').first().waitFor();
      await page.getByRole('button', { name: 'h3:p1' }).first().click();
      assert.match(await page.innerText('body'), /Port h3:p1/);
      await page.close();
    });
  }

  it('shows trees of congestion, and their ports in the fabric', async () => {
    const file = join(folder, 'victim', 'report.html');
    const example = 'examples/victim-behind-pfc.yaml';
    selvage('run', example, '--quiet', '--out', join(folder, 'victim'));
    const page = await open(file, 'light');
    assert.match(
      await page.innerText('.tree'),
      /leaf2:p1 priority 3: the link that feeds it is faster/,
    );
    const place = page.getByRole('button', { name: /^leaf1:p5 priority 3, paused by PFC/ });
    await place.click();
    await page.getByRole('heading', { name: /^Port leaf1:p5/ }).waitFor();
    const places = page.locator('.place');
    const all = await places.count();
    await page.getByRole('button', { name: 'less of leaf2:p1' }).click();
    assert.ok((await places.count()) < all);
    await page.getByLabel('show its ports in the fabric').check();
    assert.ok((await page.locator('.map-link.marked').count()) > 0);
    assert.ok((await page.locator('.map-link.unmarked').count()) > 0);
    await page.close();
  });

  it('names flows that have stopped, and those that cannot reach their destination', async () => {
    const scenario = join(folder, 'cut.yaml');
    writeFileSync(scenario, CUT);
    assert.throws(() => {
      selvage('run', scenario, '--quiet', '--out', join(folder, 'cut'));
    });
    const page = await open(join(folder, 'cut', 'report.html'), 'light');
    const card = (title: RegExp): Promise<string> =>
      page.locator('.card', { hasText: title }).innerText();
    assert.match(await card(/2 flows have stopped/), /a\/h3->h1\s+\S+ us\s+s1\s+no route/);
    assert.match(await card(/2 flows unreachable at the end/), /a\/h2->h1\s+s1\s+no route/);
    await page.close();
  });

  it('shows what DCBX came to, shares of classes, credit and rates', async () => {
    const shown = async (example: string, set: string[], texts: RegExp[]): Promise<void> => {
      const out = join(folder, example);
      const words = set.flatMap((change) => ['--set', change]);
      selvage('run', `examples/${example}.yaml`, ...words, '--quiet', '--out', out);
      const page = await open(join(out, 'report.html'), 'dark');
      const text = await page.innerText('body');
      for (const wanted of texts) assert.match(text, wanted, example);
      await page.close();
    };
    await shown(
      'discovery-miscabled',
      [],
      [/DCBX\s*settled in/, /h5:p1\s+ieee\s+3 w\s+4\s+4 \(peer\)/],
    );
    await shown('ets-shares', ['duration=200us'], [/Shares of traffic classes/, /TC0 \d\d\.\d %/]);
    await shown('incast-credit', ['observe.series=5us'], [/credit in hand, in units/]);
    await shown('incast-dcqcn', ['observe.series=5us'], [/Rates of limited connections/]);
  });

  it('names the flow control of each link in the fabric, and no name lies over another', async () => {
    const out = join(folder, 'four');
    selvage('run', 'examples/four-documents.yaml', '--quiet', '--out', out);
    const page = await open(join(out, 'report.html'), 'light');
    const names = await page.locator('.map text.method').allTextContents();
    assert.deepEqual(names.toSorted(), [
      ...new Array<string>(6).fill('PAUSE'),
      ...new Array<string>(4).fill('PFC'),
      ...new Array<string>(3).fill('credit'),
    ]);
    const boxes: { x: number; y: number; width: number; height: number }[] = [];
    for (const name of await page.locator('.map text.method').all()) {
      boxes.push((await name.boundingBox())!);
    }
    boxes.forEach((a, i) => {
      for (const b of boxes.slice(i + 1)) {
        const apart = a.x + a.width <= b.x || b.x + b.width <= a.x;
        // A quarter of a box is the halo of its letters.
        const above = Math.abs(a.y - b.y) >= 0.75 * a.height;
        assert.ok(apart || above, JSON.stringify([a, b]));
      }
    });
    await page.close();
  });

  it('shows a sweep as heat maps', async () => {
    selvage('experiment', 'reboot-leaf', '--out', join(folder, 'experiment'));
    const page = await open(join(folder, 'experiment', 'sweep.html'), 'dark');
    assert.match(await page.innerText('h1'), /reboot-leaf/);
    const cells = await page.locator('table.heat td').count();
    assert.equal(cells % 8, 0);
    assert.ok(cells >= 16);
    assert.match(await page.innerText('body'), /selvage experiment reboot-leaf/);
    await page.close();
  });

  it('puts runs side by side', async () => {
    const file = join(folder, 'compare.html');
    selvage('compare', join(folder, 'pfc'), join(folder, 'credit'), '--why', '--out', file);
    const page = await open(file, 'light');
    const text = await page.innerText('body');
    assert.match(text, /2 runs side by side/);
    assert.match(text, /incast-pfc has less time paused or blocked/);
    assert.match(text, /last complete of burst\s+\d+ us\s+\d+ us/);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'search' }).fill('h3->');
    await page.keyboard.press('Enter');
    const flow = page.locator('#flow');
    assert.match(await flow.innerText(), /Flow burst\/h3->h1/);
    assert.match(
      await flow.innerText(),
      /blocked most at\s+h3:p1, paused by PFC.*\s+h3:p1, blocked on credit/,
    );
    assert.equal(text.match(/How to reproduce/g)?.length, 1);
    assert.match(text, /incast-pfc/);
    assert.match(text, /incast-credit/);
    assert.match(text, /Congestion trees: incast-pfc/);
    const credit = page.locator('.card', { hasText: 'Congestion trees: incast-credit' });
    assert.match(await credit.innerText(), /blocked on credit/);
    await credit.getByLabel('show its ports in the fabric').check();
    const maps = page.locator('.maps > div');
    assert.equal(await maps.nth(0).locator('.map-link.marked').count(), 0);
    assert.ok((await maps.nth(1).locator('.map-link.marked').count()) > 0);
    await page.close();
  });

  it('puts DCBX and shares of runs beside each other', async () => {
    const file = join(folder, 'compare-more.html');
    const runs = ['discovery-miscabled', 'ets-shares'].map((name) => join(folder, name));
    selvage('compare', ...runs, '--out', file);
    const page = await open(file, 'dark');
    const text = await page.innerText('body');
    assert.match(text, /DCBX: discovery-miscabled\s*settled in/);
    assert.match(text, /Shares of traffic classes: ets-shares/);
    await page.close();
  });

  it('says nothing on the console and fetches nothing', () => {
    assert.deepEqual(browser.said, []);
  });
});
