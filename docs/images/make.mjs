// Makes the pictures of the documents from real runs: npm run docs:images. Chromium takes them.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(root, 'dist/programs/selvage.js');
const SIZE = { width: 1280, height: 900 };

const folder = mkdtempSync(join(tmpdir(), 'selvage-images-'));
const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });

/** The live page's policy forbids to evaluate by itself. */
async function until(page, expression) {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(20);
}

/** The page from its top to the foot of a card. */
async function picture(page, name, lastCard) {
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  await until(
    page,
    'document.querySelectorAll(".uplot").length === document.querySelectorAll(".chart").length',
  );
  const card = page.locator('.card', { hasText: lastCard }).first();
  const { y, height } = await card.boundingBox();
  const clip = { x: 0, y: 0, width: SIZE.width, height: Math.ceil(y + height + 16) };
  await page.screenshot({ path: join(root, 'docs/images', name), fullPage: true, clip });
}

async function report() {
  const out = join(folder, 'victim');
  const words = ['run', 'examples/victim-behind-pfc.yaml', '--quiet', '--out', out];
  execFileSync(process.execPath, [CLI, ...words], { cwd: root, stdio: 'ignore' });
  const page = await browser.newPage({ viewport: SIZE });
  const hash = '#flow=victim/h4-%3Eh6&at=200000000';
  await page.goto(`${pathToFileURL(join(out, 'report.html')).href}${hash}`);
  await page.locator('#flow').waitFor();
  await picture(page, 'report.png', 'Congestion trees');
}

/** The card of a report that has every port's headroom. */
async function headroom() {
  const out = join(folder, 'margins');
  const words = ['run', 'examples/incast-pfc.yaml', '--quiet', '--out', out];
  execFileSync(process.execPath, [CLI, ...words], { cwd: root, stdio: 'ignore' });
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(pathToFileURL(join(out, 'report.html')).href);
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  await until(
    page,
    'document.querySelectorAll(".uplot").length === document.querySelectorAll(".chart").length',
  );
  const card = page.locator('.card', { hasText: /^Headroom/ }).first();
  await card.screenshot({ path: join(root, 'docs/images/headroom.png') });
}

/** The page of a duel, from its verdict to its maps. */
async function duel() {
  const out = join(folder, 'duel');
  const mechanisms = ['--mechanisms', 'pfc,credit,pfc+sfc'];
  const words = ['duel', 'examples/compare-incast.yaml', ...mechanisms, '--out', out];
  execFileSync(process.execPath, [CLI, ...words], { cwd: root, stdio: 'ignore' });
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(pathToFileURL(join(out, 'duel.html')).href);
  await page.locator('.maps svg').last().waitFor();
  await page.screenshot({ path: join(root, 'docs/images/duel.png') });
}

/** Paused a little after a link lost its carrier. */
async function live() {
  const set = ['--set', 'load.0.bytes=1MB', '--set', 'expect=[]'];
  const words = [CLI, 'run', 'examples/leaf-spine-all-to-all.yaml', ...set, '--ui', '--paused'];
  const child = spawn(process.execPath, [...words, '--quiet', '--out', join(folder, 'live')], {
    ...{ cwd: root, stdio: ['ignore', 'ignore', 'pipe'] },
    env: { ...process.env, SELVAGE_UI_TOKEN: '' },
  });
  try {
    let printed = '';
    const url = await new Promise((resolve) => {
      child.stderr.on('data', (data) => {
        printed += data.toString();
        const place = /live at (\S+)\n/.exec(printed)?.[1];
        if (place !== undefined) resolve(place);
      });
    });
    const page = await browser.newPage({ viewport: SIZE });
    await page.goto(url);
    await page.locator('.pill.paused').waitFor();
    const steps = page.getByRole('button', { name: 'step', exact: true });
    const step = async (label) => {
      const before = await page.locator('.tile', { hasText: 'frame-hops' }).innerText();
      await page.getByLabel('length of a step').selectOption({ label });
      await steps.click();
      await until(
        page,
        `[...document.querySelectorAll('.tile')].some(({ innerText: text }) =>
          text.startsWith('frame-hops') && text !== ${JSON.stringify(before)}) &&
          document.querySelector('.pill.paused') !== null`,
      );
    };
    await step('10 us');
    await page.locator('.device', { hasText: 'leaf1' }).click();
    await page.getByRole('button', { name: 'inject' }).click();
    await page.locator('.faults li').first().waitFor();
    await step('10 us');
    await page.locator('.track .event').first().waitFor();
    await picture(page, 'live.png', 'Congestion trees');
  } finally {
    child.kill('SIGKILL');
  }
}

try {
  await report();
  await headroom();
  await duel();
  await live();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
