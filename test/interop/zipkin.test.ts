/** Traces of a run in a trace viewer: found by service and tag, and whole. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, TestBrowser } from '../kit/browser.js';
import { ROOT } from '../kit/emulate.js';
import { httpReceiver } from '../kit/otlp-receiver.js';
import { PICTURES } from '../kit/pictures.js';
import type { ZipkinSpan } from '../kit/zipkin.js';
import { noZipkin, Zipkin } from '../kit/zipkin.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const VICTIM = 'victim/h4->h6';
/** A nanosecond is shown as a microsecond. */
const SCALE = 1000;

describe('a trace viewer', { skip: noZipkin, timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-zipkin-'));
  let zipkin: Zipkin;

  before(async () => {
    const receiver = await httpReceiver();
    const main = [CLI, 'run', join(ROOT, 'examples/victim-behind-pfc.yaml'), '--quiet'];
    const shown = ['duration=100us', 'observe.traces.share=20%', 'expect=[]'];
    const set = shown.flatMap((change) => ['--set', change]);
    const out = ['--out', join(folder, 'run'), '--no-parquet', '--otlp', receiver.url];
    const clock = ['--otlp-epoch', 'now', '--otlp-scale', String(SCALE)];
    const child = spawn(process.execPath, [...main, ...set, ...out, ...clock]);
    const status = await new Promise((resolve) => child.on('exit', resolve));
    receiver.close();
    assert.equal(status, 0);
    zipkin = await Zipkin.start();
    await zipkin.take(receiver.spans);
  });
  after(async () => {
    await zipkin.stop();
    rmSync(folder, { recursive: true });
  });

  it('knows each device as a service', async () => {
    const services = await zipkin.services();
    for (const device of ['h4', 'leaf1', 'leaf2', 'h6']) assert.ok(services.includes(device));
  });

  it('finds frames of a flow by service and tag, in the last hour, hop by hop', async () => {
    const traces = await zipkin.traces('h4', { 'selvage.flow': VICTIM });
    assert.ok(traces.length > 0);
    const rootOf = (spans: readonly ZipkinSpan[]): ZipkinSpan =>
      spans.find(({ parentId }) => parentId === undefined)!;
    // Others are still under way when the run ends.
    const frame = traces.find((spans) => rootOf(spans).tags!['selvage.latency_ps'] !== undefined)!;
    const root = rootOf(frame);
    assert.equal(root.name, 'frame');
    assert.equal(root.tags!['selvage.source'], 'h4');
    const ids = new Set(frame.map(({ id }) => id));
    assert.ok(frame.every(({ parentId }) => parentId === undefined || ids.has(parentId)));
    const hops = frame
      .filter(({ name }) => name === 'hop')
      .sort((a, b) => a.timestamp - b.timestamp)
      .map(({ localEndpoint }) => localEndpoint.serviceName);
    assert.deepEqual([hops[0], hops.at(-1)], ['h4', 'h6']);
    // A nanosecond is a microsecond there.
    const latencyPs = Number(root.tags!['selvage.latency_ps']);
    assert.ok(Math.abs(root.duration - (latencyPs * SCALE) / 1e6) <= 1, `${root.duration}`);
  });

  it("finds an episode's tree by the port and mechanism of one of its pauses", async () => {
    const tags = { 'selvage.port': 'h4:p1', 'selvage.mechanism': 'pfc' };
    const traces = await zipkin.traces('h4', tags);
    const trees = traces.filter((spans) => spans.every(({ name }) => name !== 'frame'));
    assert.ok(trees.length > 0);
    const episode = trees[0]!;
    const root = episode.find(({ parentId }) => parentId === undefined)!;
    assert.equal(root.name, 'queue');
    assert.equal(root.localEndpoint.serviceName, 'leaf2');
    assert.equal(root.tags!['selvage.port'], 'leaf2:p1');
    const byId = new Map(episode.map((span) => [span.id, span]));
    const above = (span: ZipkinSpan): ZipkinSpan | undefined =>
      span.parentId === undefined ? undefined : byId.get(span.parentId);
    const blocked = episode.find(({ tags: own }) => own?.['selvage.port'] === 'h4:p1')!;
    let [at, depth] = [blocked, 0];
    for (let next = above(at); next !== undefined; next = above(at))
      [at, depth] = [next, depth + 1];
    assert.equal(at, root);
    assert.ok(depth >= 3, `${depth} steps from the host's pause to the root`);
  });

  describe('on its page', { skip: noBrowser }, () => {
    let browser: TestBrowser;
    let page: Page;

    before(async () => {
      mkdirSync(PICTURES, { recursive: true });
      browser = await TestBrowser.start();
    });
    after(async () => {
      await browser.close();
    });

    /** As somebody does who has typed a service and tags, and opens the first trace. */
    async function openFirst(service: string, tags: string): Promise<void> {
      const query = new URLSearchParams({
        ...{ serviceName: service, annotationQuery: tags, lookback: '1h', limit: '200' },
      });
      page = await browser.open(`${zipkin.url}/zipkin/?${query.toString()}`, /^(http|data|blob):/);
      await page.getByRole('button', { name: /run query/i }).click();
      await page.locator('a[href*="/zipkin/traces/"]').first().click();
      await page.waitForURL(/\/zipkin\/traces\/[0-9a-f]{32}/);
      await page.getByText(/total spans/i).waitFor();
    }

    it('shows a frame, hop by hop', async () => {
      await openFirst('h4', `selvage.flow=${VICTIM}`);
      const text = await page.innerText('body');
      // It makes rows only for what is in its window.
      for (const words of ['h4: frame', 'h4: hop', 'leaf1: hop', 'leaf1: blocked']) {
        assert.ok(text.toLowerCase().includes(words), `${words}: ${text}`);
      }
      await page.screenshot({ path: join(PICTURES, 'zipkin-frame.png') });
      await page.close();
    });

    it("shows an episode's tree from its root", async () => {
      await openFirst('h4', 'selvage.port=h4:p1 and selvage.mechanism=pfc');
      const text = await page.innerText('body');
      assert.match(text, /leaf2: queue/i);
      await page.screenshot({ path: join(PICTURES, 'zipkin-episode.png') });
      await page.close();
    });
  });
});
