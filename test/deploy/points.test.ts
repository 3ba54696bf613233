/** `selvage sweep --k8s` and `hunt --k8s` against a substitute for a cluster. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { ClusterTraits } from '../kit/api-server.js';
import { ApiServer } from '../kit/api-server.js';
import { MAIN, Running } from '../kit/pods.js';

const SCENARIO = {
  selvage: 1,
  name: 'points',
  duration: '40us',
  fabric: { generator: 'pair', hostLink: { rate: '100G', length: '5m' } },
  load: [{ name: 'one', stream: { from: 'h1', to: 'h2' }, bytes: '100KB' }],
};

describe('runs of a sweep or a hunt in pods', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-points-'));
  const file = join(folder, 'points.yaml');
  writeFileSync(file, JSON.stringify(SCENARIO));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const selvage = async (
    config: string,
    ...words: string[]
  ): Promise<{ code: number | null; err: string; out: string }> => {
    const env = { ...process.env, KUBECONFIG: config };
    const child = spawn(process.execPath, [MAIN, ...words], { cwd: folder, env });
    const running = new Running(child);
    const { code, words: err } = await running.ended;
    return { code, err, out: running.output };
  };
  const within = async <T>(
    traits: ClusterTraits,
    act: (api: ApiServer) => Promise<T>,
  ): Promise<T> => {
    const api = await ApiServer.open(traits);
    try {
      return await act(api);
    } finally {
      api.close();
    }
  };
  const vary = ['--vary', 'seed=1,2', '--vary', 'fabric.hostLink.rate=10G,100G'];

  it('a sweep prints and writes what it does here, and leaves nothing behind', async () => {
    const own = await selvage('', 'sweep', file, ...vary, '--csv', 'here.csv');
    await within({}, async (api) => {
      const pods = await selvage(
        api.config(),
        ...['sweep', file, ...vary, '--csv', 'pods.csv', '--k8s', '--pods', '2'],
      );
      assert.equal(pods.code, 0, pods.err);
      assert.equal(pods.out, own.out);
      assert.match(pods.err, /\d of 4 parts have ended/);
      assert.equal(
        readFileSync(join(folder, 'pods.csv'), 'utf8'),
        readFileSync(join(folder, 'here.csv'), 'utf8'),
      );
      assert.deepEqual([...api.objects.keys()], []);
      assert.equal(api.seen.filter((one) => one === 'Job points-points').length, 1);
    });
  });

  it('a sweep whose client was lost goes on with its pods', async () => {
    await within({}, async (api) => {
      const words = ['sweep', file, '--vary', 'seed=1,2', '--k8s', '--keep'];
      assert.equal((await selvage(api.config(), ...words)).code, 0);
      const again = await selvage(api.config(), ...words);
      assert.equal(again.code, 0, again.err);
      assert.match(again.err, /goes on with the pods in namespace selvage/);
      assert.equal(api.seen.filter((one) => one === 'Job points-points').length, 1);
      const other = await selvage(api.config(), 'sweep', file, '--vary', 'seed=7', '--k8s');
      assert.equal(other.code, 2);
      assert.match(other.err, /namespace selvage has a \w+ \S+ already: selvage k8s delete/);
      const list = await selvage(api.config(), 'k8s', 'list');
      assert.match(list.out, /points +selvage +2026-01-01\S+ +complete/);
      const steered = await selvage(api.config(), 'k8s', 'pause');
      assert.match(steered.err, /run points is a sweep or a hunt: the command that began it/);
      assert.equal((await selvage(api.config(), 'k8s', 'delete')).code, 0);
      assert.deepEqual([...api.objects.keys()], []);
    });
  });

  it('says so when a value is none, or the image is missing, and leaves nothing behind', async () => {
    await within({}, async (api) => {
      const words = ['sweep', file, '--vary', 'fabric.hostLink.rate=10G,fast', '--k8s'];
      const { code, err } = await selvage(api.config(), ...words);
      assert.equal(code, 2, err);
      assert.match(err, /a part failed: .*\npoints-points-1 ended with code 2:/);
      assert.deepEqual([...api.objects.keys()], []);
    });
    await within({ image: 'something/else:1' }, async (api) => {
      const { code, err } = await selvage(api.config(), 'sweep', file, ...vary, '--k8s');
      assert.equal(code, 3, err);
      assert.match(
        err,
        /pod points-points-\d cannot start: ImagePullBackOff: no such image: selvage/,
      );
      assert.deepEqual([...api.objects.keys()], []);
    });
  });

  it('a hunt finds in pods what it finds here', async () => {
    const failing = {
      ...SCENARIO,
      expect: [{ metric: 'completion.p99', load: 'one', max: '1us' }],
    };
    const bad = join(folder, 'bad.yaml');
    writeFileSync(bad, JSON.stringify(failing));
    const words = ['hunt', bad, '--runs', '9', '--faults', '0', '--shrink', '20', '--json'];
    const own = await selvage('', ...words, '--out', 'here');
    await within({}, async (api) => {
      const pods = await selvage(api.config(), ...words, '--out', 'pods', '--k8s', '--pods', '2');
      assert.equal(pods.code, 1, pods.err);
      assert.equal(pods.out.replaceAll('"pods/', '"here/'), own.out);
    });
    assert.deepEqual(readdirSync(join(folder, 'pods')), readdirSync(join(folder, 'here')));
  });

  it('refuses a part that there is not', async () => {
    for (const shard of ['3/3', '1', '-1/2', 'a/b']) {
      const { code, err } = await selvage('', 'sweep', file, ...vary, '--shard', shard);
      assert.deepEqual([code, err.startsWith(`--shard ${shard}: write`)], [2, true], err);
    }
  });
});
