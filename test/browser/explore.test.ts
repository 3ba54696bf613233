/** From a report, why a flow is slow: by search, waterfall, episode and root, as a person would. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const VICTIM = 'victim/h4->h6';
/** A PNG begins so. */
const PNG = '89504e470d0a1a0a';

function selvage(...words: string[]): void {
  execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, stdio: 'ignore' });
}

describe('a report that is explored', { skip: noBrowser }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-explore-'));
  const run = join(folder, 'victim');
  const report = pathToFileURL(join(run, 'report.html')).href;
  let browser: TestBrowser;
  let page: Page;

  before(async () => {
    selvage('run', join(ROOT, 'examples/victim-behind-pfc.yaml'), '--quiet', '--out', run);
    browser = await TestBrowser.start();
    page = await browser.open(report, /^(file|data|blob):/);
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const search = async (words: string): Promise<void> => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'search' }).fill(words);
  };
  const hash = (): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.slice(1));
  const episodeTitle = (): Promise<string> => page.locator('#episode h3').innerText();

  it('finds hosts, switches, ports, flows and episodes, or says that nothing matches', async () => {
    await search('nowhere');
    assert.equal(await page.locator('#found').innerText(), 'nothing matches “nowhere”');
    for (const [words, kind] of [
      ['h4', 'host'],
      ['leaf2', 'switch'],
      ['leaf1:p5', 'port'],
      ['victim', 'flow'],
      ['leaf1:p5 paused', 'episode'],
    ] as const) {
      await search(words);
      assert.match(await page.getByRole('option').first().innerText(), new RegExp(`^${kind}\\s`));
    }
    await search('leaf2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^leaf2\s*5 ports$/ }).waitFor();
    assert.equal(hash().get('device'), 'leaf2');
  });

  it('names the victim and its root cause before anything else', async () => {
    const victims = page.locator('.card', { hasText: /^1 victim flow/ });
    assert.match(
      await victims.innerText(),
      /victim\/h4->h6\s+32\.3 Gb\/s\s+spine1:p2 paused by PFC for 265 us; root cause: leaf2:p1/,
    );
    assert.ok((await victims.boundingBox())!.y < 300);
  });

  it('says of a flow what blocked it, and draws its path', async () => {
    await search('victim');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Flow ${VICTIM}` }).waitFor();
    assert.equal(hash().get('flow'), VICTIM);
    const causes = await page.locator('.causes').innerText();
    assert.match(causes, /h4:p1 paused by PFC/);
    assert.match(causes, /root cause: leaf2:p1 priority 3, the link that feeds it is faster/);
    assert.match(causes, /it does not pass there: it is a victim/);
    assert.equal(await page.locator('.map-link.marked').count(), 4);
  });

  it('takes the time of a frame apart, to the picosecond', async () => {
    await page.getByText('to the picosecond').click();
    const column = (place: number): Promise<string[]> =>
      page.locator(`.parts tbody td:nth-child(${place})`).allInnerTexts();
    const ps = (await column(4)).map((text) => Number(text.replaceAll(',', '')));
    const whole = ps.pop()!;
    assert.equal(
      ps.reduce((a, b) => a + b, 0),
      whole,
    );
    const kinds = new Set((await column(2)).map((text) => text.trim().replace(/ (by|why).*/, '')));
    for (const kind of ['queueing', 'paused', 'serialisation', 'propagation', 'pipeline']) {
      assert.ok(kinds.has(kind), kind);
    }
  });

  it('leads from a pause of a frame over its episode to the root', async () => {
    await page.locator('.parts').getByRole('button', { name: 'why' }).first().click();
    await page.locator('#episode').waitFor();
    assert.match(await episodeTitle(), /priority 3, paused by PFC$/);
    const chain = page.getByRole('list', { name: 'from the episode to its root' });
    assert.ok((await chain.getByRole('button').count()) >= 3);
    await chain.getByRole('button').last().click();
    await page.getByRole('heading', { name: /^Episode: leaf2:p1 priority 3, queue/ }).waitFor();
    assert.match(
      await page.locator('#episode').innerText(),
      /root: the link that feeds it is faster/,
    );
    assert.match(await page.locator('#episode').innerText(), /congestion\/h1->h5/);
  });

  it('says once of each port what an episode caused, and how often', async () => {
    const caused = page.locator('#episode .facts', { hasText: /^It caused/ });
    assert.match(await caused.innerText(), /^It caused leaf2:p5 priority 3, buffer full 67×$/);
    await caused.getByRole('button').click();
    await page.getByRole('heading', { name: /^Episode: leaf2:p5 .*buffer full$/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: /^Episode: leaf2:p1/ }).waitFor();
  });

  it('marks the chosen flow, the episode and all that caused it in the fabric', async () => {
    // Ports of the path, and leaf2:p1, where the congestion begins.
    assert.equal(await page.locator('.map-link.marked').count(), 5);
  });

  it('shows the same at the address that was sent', async () => {
    const other = await browser.open(page.url(), /^(file|data|blob):/, 'dark');
    await other.getByRole('heading', { name: `Flow ${VICTIM}` }).waitFor();
    await other.getByRole('heading', { name: /^Episode: leaf2:p1/ }).waitFor();
    await other.close();
    await page.goBack();
    await page.getByRole('heading', { name: /^Episode: .*paused by PFC/ }).waitFor();
  });

  it('keeps in the address how flows are sorted, which frame is open, and which pods', async () => {
    const flows = page.locator('.card', { has: page.locator('table.flows') });
    await flows.getByRole('button', { name: /^goodput/ }).click();
    await flows.getByRole('button', { name: 'victims' }).click();
    await page.getByLabel('filter flows').fill('h6');
    await page.locator('.frames .frame').nth(1).click();
    await page.waitForURL(/sort=-goodput&filter=victims&find=h6&.*frame=1/);
    const other = await browser.open(page.url(), /^(file|data|blob):/);
    const sorted = other.locator('th[aria-sort="descending"]');
    assert.match(await sorted.innerText(), /^goodput ↓$/);
    assert.equal(await other.locator('table.flows tbody tr').count(), 1);
    assert.equal(await other.locator('.frames .frame.on').count(), 1);
    const frames = other.locator('.frames .frame');
    assert.match((await frames.nth(1).getAttribute('class'))!, /on/);
    await other.close();
    await page.getByLabel('filter flows').fill('');
    await flows.getByRole('button', { name: 'all' }).click();
    await page.waitForURL((url) => !url.hash.includes('filter='));
  });

  it('zooms all charts to what is brushed in one, and back', async () => {
    const plots = page.locator('#port .chart');
    const over = plots.first().locator('.u-over');
    await over.scrollIntoViewIfNeeded();
    const box = (await over.boundingBox())!;
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + 0.25 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    const [from, to] = [Number(hash().get('from')), Number(hash().get('to'))];
    assert.ok(from > 60e6 && from < 140e6 && to > 160e6 && to < 240e6, `${from} to ${to}`);
    const zoomed = page.getByRole('button', { name: 'all of it' });
    assert.ok((await zoomed.count()) > (await plots.count()));
    await over.dblclick();
    await page.waitForURL((url) => !url.hash.includes('from='));
    assert.equal(await zoomed.count(), 0);
  });

  it('zooms to what is brushed among the episodes', async () => {
    const track = page.locator('.port-track .bars').first();
    await track.scrollIntoViewIfNeeded();
    const box = (await track.boundingBox())!;
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + 5, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=200\d{6}&to=300\d{6}/);
    assert.match(await page.locator('.timeline output').innerText(), /^20\d us to 30\d us$/);
    assert.equal(await page.locator('.timeline .outside').count(), 2);
    await page.getByRole('button', { name: 'whole run' }).click();
    await page.waitForURL((url) => !url.hash.includes('from='));
  });

  it('has lanes of load, queues and pauses over the run, and zooms to what is drawn over them', async () => {
    const lanes = await page.locator('.track .lane b').allInnerTexts();
    assert.deepEqual(
      lanes.map((title) => title.split(' ').slice(0, 2).join(' ')),
      ['mean load', 'longest queue,', 'share of'],
    );
    const box = (await page.locator('.track input').boundingBox())!;
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + 5, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForURL(/from=200\d{6}&to=300\d{6}/);
    await page.getByRole('button', { name: 'whole run' }).click();
    await page.waitForURL((url) => !url.hash.includes('from='));
  });

  it('shows in the fabric what it did while it was brushed', async () => {
    const load = (): Promise<string | null> =>
      page.locator('.map-link').first().getAttribute('stroke');
    const whole = await load();
    const bars = page.getByRole('slider', { name: 'episodes of leaf2:p1 priority 3' });
    await bars.scrollIntoViewIfNeeded();
    const box = (await bars.boundingBox())!;
    await page.mouse.move(box.x + 1, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.02 * box.width, box.y + 5, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    assert.notEqual(await load(), whole);
    await page.getByRole('button', { name: 'whole run' }).click();
  });

  it('points out in the fabric what is pointed at among the episodes, and the other way', async () => {
    await page.locator('.port-track', { hasText: 'spine1:p1' }).first().hover();
    assert.equal(await page.locator('.map-link.marked').count(), 1);
    await page.mouse.move(0, 0);
    await page.locator('.device', { hasText: 'leaf1' }).click();
    await page.getByRole('heading', { name: /^leaf1\s*5 ports$/ }).waitFor();
    const port = hash().get('port')!;
    assert.match(port, /^leaf1:p\d$/);
    assert.match(await page.locator('.port-track.on').first().innerText(), new RegExp(`^${port}`));
  });

  it('is used with the keys alone', async () => {
    await page.getByRole('button', { name: 'spine1', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^spine1\s*2 ports$/ }).waitFor();
    await page.getByRole('button', { name: 'less of leaf2:p1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'more of leaf2:p1' }).waitFor();
    const bars = page.getByRole('slider', { name: 'episodes of h4:p1 priority 3' });
    await page.getByRole('button', { name: /^and \d+ more ports/ }).click();
    const place = async (): Promise<number> => Number(await bars.getAttribute('aria-valuenow'));
    const before = await place();
    await bars.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: /^Episode: h4:p1 priority 3/ }).waitFor();
    assert.equal(await place(), before + 2);
  });

  it('saves a chart as SVG, PNG and CSV', async () => {
    const saved = async (kind: string): Promise<Buffer> => {
      const buttons = page.getByRole('group', { name: 'save egress queue' });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        buttons.getByRole('button', { name: kind }).click(),
      ]);
      assert.equal(download.suggestedFilename(), `egress-queue.${kind.toLowerCase()}`);
      return readFileSync(await download.path());
    };
    assert.match(
      (await saved('SVG')).toString(),
      /^<svg [^>]*>.*egress queue.*priority 3.*<\/svg>/,
    );
    assert.equal((await saved('PNG')).subarray(0, 8).toString('hex'), PNG);
    const [head, first] = (await saved('CSV')).toString().split('\n');
    assert.equal(head, 'x,priority 3');
    assert.match(first!, /^5000000,\d+$/);
  });

  it('is written again from the files of the run, octet by octet', () => {
    const first = readFileSync(join(run, 'report.html'));
    selvage('report', run);
    assert.ok(readFileSync(join(run, 'report.html')).equals(first));
  });

  it('says nothing on the console and fetches nothing', () => {
    assert.deepEqual(browser.said, []);
  });
});

describe('the ranks of a job', { skip: noBrowser }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-ranks-'));
  const run = join(folder, 'step');
  const report = pathToFileURL(join(run, 'report.html')).href;
  let browser: TestBrowser;
  let page: Page;

  before(async () => {
    selvage('run', join(ROOT, 'examples/training-step.yaml'), '--quiet', '--out', run);
    browser = await TestBrowser.start();
    page = await browser.open(report, /^(file|data|blob):/);
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  it('tell what lies at a place, and lead to its flows and hosts', async () => {
    const chart = page.locator('.rank-chart');
    const { width } = (await chart.boundingBox())!;
    await chart.click({ position: { x: 0.7 * width, y: 150 } });
    const operation = page.locator('.operation');
    assert.match(
      await operation.innerText(),
      /^rank 7 \(h9\): all-reduce of 2\.10 MB \(1\) .*; critical path: a message from rank 6 to/,
    );
    const flow = await operation.getByRole('button').first().innerText();
    await operation.getByRole('button').first().click();
    await page.getByRole('heading', { name: `Flow ${flow}` }).waitFor();
    await page.locator('.ranks').getByRole('button', { name: '5 h7' }).click();
    await page.getByRole('heading', { name: /^h7/ }).waitFor();
  });

  it('are zoomed by a drag, as everything below', async () => {
    // Without what the address has by now.
    await page.goto('about:blank');
    await page.goto(report);
    await page.locator('.rank-chart').scrollIntoViewIfNeeded();
    const box = (await page.locator('.rank-chart').boundingBox())!;
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 30, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const [from, to] = ['from', 'to'].map((key) =>
      Number(new URLSearchParams(new URL(page.url()).hash.slice(1)).get(key)),
    );
    assert.ok(from! > 0.3e9 && to! < 0.75e9 && from! < to!, `${from} ${to}`);
    assert.deepEqual(browser.said, []);
  });
});
