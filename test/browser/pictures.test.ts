/**
 * Pictures of pages at three widths, in both themes, for people to look at: `dist/pictures`. What a
 * program can see of them is checked: nothing is wider than the page, and no card is empty.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';
import { fatTreeScenario } from '../kit/fat-tree-scenario.js';
import { PICTURES, takePictures } from '../kit/pictures.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');

/** Runs of which there is little to show, or whose names are long or hold markup. */
const ODD = {
  'no-load': `selvage: 1
name: "<b>&amp; \\"none\\"</b> 网络"
description: "</script><script>document.title = 'run'</script>"
duration: 10us
fabric: { generator: star, hosts: 1 }
load: []
observe: { series: 1us, episodes: true }
`,
  'long-names': `selvage: 1
name: long-names
duration: 1us
fabric:
  generator: none
  devices:
    - { name: rack-1-row-b-server-0001-with-a-long-name, kind: host }
    - { name: h2, kind: host }
    - { name: s1, kind: switch }
  links:
    - { between: [rack-1-row-b-server-0001-with-a-long-name, s1], rate: 100G, length: 5m }
    - { between: [h2, s1], rate: 100G, length: 5m }
load: [{ name: a, incast: { from: all, to: h2 }, bytes: 1MB, transport: reliable }]
observe: { series: 100ns, episodes: true, traces: { slowest: 9 } }
`,
};

describe('pictures of pages', { skip: noBrowser }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-pictures-'));
  let browser: TestBrowser;

  const selvage = (...words: string[]): void => {
    execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, stdio: 'ignore' });
  };
  before(async () => {
    mkdirSync(PICTURES, { recursive: true });
    for (const name of ['victim-behind-pfc', 'victim-behind-sfc']) {
      selvage('run', `examples/${name}.yaml`, '--quiet', '--out', join(folder, name));
    }
    const runs = ['victim-behind-pfc', 'victim-behind-sfc'].map((name) => join(folder, name));
    selvage('compare', ...runs, '--out', join(folder, 'compare.html'));
    selvage(
      ...['duel', 'examples/incast-pfc.yaml', '--mechanisms', 'pfc,credit,dcqcn'],
      ...['--out', join(folder, 'duel')],
    );
    for (const name of ['ring-deadlock', 'storm', 'incast-dcqcn']) {
      selvage('run', `examples/${name}.yaml`, '--quiet', '--out', join(folder, name));
    }
    // large-report.test has those of k=16.
    for (const k of [4, 8]) {
      const scenario = join(folder, `fat-tree-${k}.yaml`);
      writeFileSync(scenario, fatTreeScenario(k));
      selvage('run', scenario, '--quiet', '--out', join(folder, `k${k}`));
    }
    for (const [name, text] of Object.entries(ODD)) {
      const scenario = join(folder, `${name}.yaml`);
      writeFileSync(scenario, text);
      selvage('run', scenario, '--quiet', '--out', join(folder, name));
    }
    selvage('experiment', 'reboot-leaf', '--out', join(folder, 'experiment'));
    browser = await TestBrowser.start();
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  for (const [name, file, hash] of [
    ['report', 'victim-behind-pfc/report.html', ''],
    ['flow', 'victim-behind-pfc/report.html', '#flow=victim/h4-%3Eh6&episode=3&device=leaf2'],
    ['compare', 'compare.html', ''],
    ['compare-flow', 'compare.html', '#flow=victim/h4-%3Eh6&device=leaf2'],
    ['duel', 'duel/duel.html', ''],
    ['deadlock', 'ring-deadlock/report.html', ''],
    ['storm', 'storm/report.html', ''],
    ['rates', 'incast-dcqcn/report.html', ''],
    ['k4', 'k4/report.html', ''],
    ['k8', 'k8/report.html', ''],
    ['k8-pods', 'k8/report.html', '#pods=0,7'],
    ['no-load', 'no-load/report.html', ''],
    ['long-names', 'long-names/report.html', ''],
    ['sweep', 'experiment/sweep.html', ''],
  ] as const) {
    it(`are taken of ${name}`, async () => {
      const url = `${pathToFileURL(join(folder, file)).href}${hash}`;
      const page = await browser.open(url, /^(file|data):/);
      await takePictures(page, name);
      await page.close();
    });
  }

  it('draw the cycle of a deadlock around the ring, both halves of each link', async () => {
    const url = pathToFileURL(join(folder, 'ring-deadlock/report.html')).href;
    const page = await browser.open(url, /^(file|data):/);
    assert.equal(await page.locator('.map-link.ring').count(), 2 * 5);
    await page.close();
  });

  it('say nothing on the console', () => {
    assert.deepEqual(browser.said, []);
  });
});
