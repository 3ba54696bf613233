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
  /** Ends a command by Ctrl-C once it has said something. */
  const interrupted = async (
    config: string,
    said: RegExp,
    ...words: string[]
  ): Promise<{ code: number | null; words: string }> => {
    const env = { ...process.env, KUBECONFIG: config };
    const child = spawn(process.execPath, [MAIN, ...words], { cwd: folder, env });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (said.test(text) && !child.killed) child.kill('SIGINT');
    });
    return new Running(child).ended;
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
      assert.match(pods.err, /\d of 2 parts have ended/);
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

  const bad = ['--vary', 'seed=1,2', '--vary', 'fabric.hostLink.rate=10G,fast,100G'];

  it('keep the rows of all points but those with a bad value, which are named with reasons', async () => {
    const own = await selvage('', 'sweep', file, ...bad, '--csv', 'good.csv');
    assert.equal(own.code, 2);
    assert.match(
      own.err,
      /^2 of 6 points failed:\n {2}seed=1, fabric\.hostLink\.rate=fast: .*not a rate/,
    );
    assert.equal(readFileSync(join(folder, 'good.csv'), 'utf8').trim().split('\n').length, 1 + 4);
    assert.equal(own.out.match(/^ +[12] +10+G /gm)?.length, 4, own.out);
    await within({}, async (api) => {
      const pods = await selvage(
        api.config(),
        'sweep',
        file,
        ...bad,
        '--csv',
        'good-pods.csv',
        '--k8s',
      );
      assert.equal(pods.code, 2, pods.err);
      assert.equal(pods.out, own.out);
      assert.match(pods.err, /^2 of 6 points are bad input\n/);
      assert.ok(pods.err.endsWith(own.err), pods.err);
      for (const name of ['good', 'good-pods']) {
        assert.equal(
          readFileSync(join(folder, `${name}.csv`), 'utf8'),
          readFileSync(join(folder, 'good.csv'), 'utf8'),
        );
      }
      // Six points that take no time are no six pods.
      assert.match(pods.err, /of 1 parts have ended/);
      assert.deepEqual([...api.objects.keys()], []);
    });
  });

  it('makes no pods where every point is bad, and says why once where all are for one reason', async () => {
    await within({}, async (api) => {
      const words = [
        'sweep',
        file,
        '--vary',
        'seed=1,2',
        '--set',
        'fabric.hostLink.rate=fast',
        '--k8s',
      ];
      const { code, err } = await selvage(api.config(), ...words);
      assert.equal(code, 2, err);
      assert.match(err, /^[^\n]*fabric\.hostLink\.rate[^\n]*\n$/);
      const each = ['sweep', file, '--vary', 'fabric.hostLink.rate=fast,slow', '--k8s'];
      const both = await selvage(api.config(), ...each);
      assert.match(
        both.err,
        /^2 of 2 points failed:\n {2}fabric.*=fast: .*\n {2}fabric.*=slow: .*\n$/,
      );
      assert.deepEqual(api.seen, []);
    });
  });

  it('keep the rows of the parts that end, and name the reason of one that is lost', async () => {
    await within({ lostPart: 1 }, async (api) => {
      const words = [
        'sweep',
        file,
        '--vary',
        'seed=1,2,3',
        '--k8s',
        '--pods',
        '3',
        '--csv',
        'some.csv',
      ];
      const { code, err } = await selvage(api.config(), ...words);
      assert.equal(code, 3, err);
      assert.match(
        err,
        /1 of 3 points failed:\n {2}seed=2: points-1: OOMKilled: its memory limit is \d+Mi; raise point\.memoryLimit of --values \(pod points-points-1\)\n$/,
      );
      const rows = readFileSync(join(folder, 'some.csv'), 'utf8').trim().split('\n').slice(1);
      assert.deepEqual(
        rows.map((row) => row[0]),
        ['1', '3'],
      );
      assert.deepEqual([...api.objects.keys()], []);
    });
  });

  it('keep what has ended where the client is interrupted, for the same command', async () => {
    await within({ heldPart: 1 }, async (api) => {
      const words = ['sweep', file, '--vary', 'seed=1,2,3', '--k8s', '--pods', '3'];
      const first = await interrupted(api.config(), /2 of 3 parts have ended/, ...words);
      assert.equal(first.code, 130, first.words);
      assert.match(
        first.words,
        /are suspended, and keep what they have: the command that began it/,
      );
      const again = await selvage(api.config(), ...words);
      assert.equal(again.code, 0, again.err);
      assert.match(again.err, /goes on with the pods in namespace selvage/);
      assert.equal(api.started.filter((one) => one === 'points-points-0').length, 1);
      assert.deepEqual([...api.objects.keys()], []);
    });
  });

  it('says so when the image is missing, and leaves nothing behind', async () => {
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
