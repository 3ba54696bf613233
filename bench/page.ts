import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { fatTreeScenario } from '../test/kit/fat-tree-scenario.js';
import { median } from './measure.js';

// Size of reports, and how long a browser takes until it has drawn them, by the size of the fabric.

const CLI = fileURLToPath(new URL('../programs/selvage.js', import.meta.url));
const ROUNDS = 5;

/** In the page: when its first frame after the report was rendered is due. */
const WATCH = `new MutationObserver((_, watch) => {
  if (document.querySelector('main') === null) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });`;

const folder = mkdtempSync(join(tmpdir(), 'selvage-bench-page-'));
const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const k of [4, 8, 16]) {
    const scenario = join(folder, `k${k}.yaml`);
    writeFileSync(scenario, fatTreeScenario(k));
    const out = join(folder, `k${k}`);
    const words = ['run', scenario, '--quiet', '--no-parquet', '--out', out];
    execFileSync(process.execPath, [CLI, ...words], { stdio: 'ignore' });
    const report = join(out, 'report.html');
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.addInitScript(WATCH);
      await page.goto(pathToFileURL(report).href);
      await page.waitForFunction('window.shownAt !== undefined');
      times.push(Number(await page.evaluate('window.shownAt')));
      await page.close();
    }
    const hosts = k ** 3 / 4;
    const size = (statSync(report).size / 1e6).toFixed(2);
    const ms = `${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)} at best)`;
    process.stdout.write(`${hosts} hosts: ${size} MB, shown after ${ms}\n`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
