/**
 * `selvage k8s run` against a substitute for a cluster.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import type { ClusterTraits } from '../kit/api-server.js';
import { ApiServer } from '../kit/api-server.js';
import { fabricOf, run } from '../kit/emulate.js';
import { EXAMPLE, MAIN, Running } from '../kit/pods.js';
import { reachOf } from '../kit/selectors.js';

/** Traffic to the end of the run. */
const ENDLESS = '[{ name: endless, stream: { from: h1, to: h2 }, priority: 3 }]';
/** A load that is short. */
const BRIEF = 'load.0.bytes=4KB';
/** Of the example's name. */
const RUN = 'leaf-spine-all-to-all';
const skip = isInstalled() ? false : 'no nats-server on the PATH';

describe('selvage k8s run', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-cluster-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const start = (config: string, ...words: string[]): Running => {
    const all = [MAIN, 'k8s', 'run', EXAMPLE, '--services', '2', '--set', BRIEF, ...words];
    const env = { ...process.env, KUBECONFIG: config };
    return new Running(spawn(process.execPath, all, { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  };

  it('applies, follows, fetches the run directory and clears everything away', async () => {
    const api = await ApiServer.open();
    const out = join(folder, 'fetched');
    try {
      const { code, words } = await start(api.config(), '--out', out).ended;
      assert.equal(code, 0, words);
      assert.match(words, /^\d+ objects in namespace selvage\n/);
      const [name] = readdirSync(out);
      const text = readFileSync(join(out, name!, 'digest'), 'utf8').trim();
      assert.equal(text, run(fabricOf('examples/leaf-spine-all-to-all.yaml', BRIEF)).digest);
      assert.ok(words.includes(`complete, digest ${text}`), words);
      assert.deepEqual([...api.objects.keys()], []);
      // However long it takes: the state of a run is listed when someone begins to watch it.
      for (const kind of ['pods', 'jobs', 'events', 'persistentvolumeclaims']) {
        const lists = api.calls.filter((call) => /^list .*\/(\w+)$/.exec(call)?.[1] === kind);
        assert.ok(lists.length <= 8, `${kind}: ${lists.length}`);
      }
      assert.ok(api.seen.includes('Job leaf-spine-all-to-all-coordinator'));
    } finally {
      api.close();
    }
  });

  const k8s = async (
    config: string,
    ...words: string[]
  ): Promise<{ code: number | null; text: string }> => {
    const env = { ...process.env, KUBECONFIG: config };
    const child = spawn(process.execPath, [MAIN, 'k8s', ...words], { env, cwd: folder });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, text };
  };

  it('is found and steered by commands that know its namespace alone', async () => {
    const api = await ApiServer.open();
    const config = api.config();
    const said = async (...words: string[]): Promise<string> => (await k8s(config, ...words)).text;
    try {
      const endless = ['--set', 'duration=10s', '--set', `load=${ENDLESS}`, '--set', 'expect=[]'];
      const detached = await start(config, '--detach', ...endless).ended;
      assert.equal(detached.code, 0, detached.words);
      assert.match(detached.words, /run [a-z0-9-]+ goes on; selvage k8s attach/);
      assert.match(await said('list'), /leaf-spine-all-to-all +selvage +2026-01-01.*2 services/);
      assert.match(await said('pause'), /leaf-spine-all-to-all {2}pauses\n/);
      while (!(await said('status')).includes('paused'));
      assert.match(await said('step', '--for', '1us'), /goes on for/);
      const fetched = await k8s(config, 'fetch', '--out', join(folder, 'of-a-running-run'));
      assert.equal(fetched.code, 0, fetched.text);
      assert.match(fetched.text, /logs are in .*\nthe run has no results yet\n/);
    } finally {
      api.close();
    }
  });

  it('is fetched though copies are lost, and names the pod whose log is lost', async () => {
    const api = await ApiServer.open({ lost: `${RUN}-services-1`, lostCopies: 2 });
    const config = api.config();
    const out = join(folder, 'without-a-log');
    try {
      const kept = await start(config, '--keep', '--out', join(folder, 'with-all')).ended;
      assert.equal(kept.code, 0, kept.words);
      assert.match(
        kept.words,
        /(\/work\/runs of pod \S+-collect cannot be copied: .*tried again\n){2}/,
      );
      const { code, text } = await k8s(config, 'fetch', '--out', out);
      assert.equal(code, 0, text);
      assert.match(text, /^no log of pod \S+-services-1 on node \S+: .*connection refused$/m);
      assert.match(text, /^results are in /m);
      const logs = readdirSync(join(out, 'leaf-spine-all-to-all.cluster'));
      const named = [0, 1].map((index) => logs.includes(`${RUN}-services-${index}.log`));
      assert.deepEqual(named, [true, false]);
      const merged = await k8s(config, 'logs');
      assert.match(merged.text, /^no log of pod \S+-services-1/m);
    } finally {
      api.close();
    }
  });

  it('has a namespace in common with another run, and with a Service called nats', async () => {
    const api = await ApiServer.open();
    const config = api.config();
    const foreign = '/api/v1/namespaces/selvage/services/nats';
    api.objects.set('/api/v1/namespaces/selvage', { metadata: { name: 'selvage' } } as never);
    api.objects.set(foreign, { metadata: { name: 'nats' } } as never);
    const alone = [...api.objects.keys()];
    const begin = (name: string): Promise<{ code: number | null; words: string }> =>
      start(config, '--keep', '--run', name, '--out', join(folder, name)).ended;
    try {
      for (const name of ['one', 'two']) {
        const { code, words } = await begin(name);
        assert.equal(code, 0, words);
      }
      assert.deepEqual(reachOf(api.made('one')), []);
      const brokers = api.made('one').find(({ kind }) => kind === 'StatefulSet');
      assert.equal(brokers!.spec!['replicas'], 0);
      assert.deepEqual(reachOf(api.made('two')), []);
      assert.match((await k8s(config, 'list')).text, /one +selvage .*complete[^]*two +selvage/);
      const unnamed = await k8s(config, 'status');
      assert.equal(unnamed.code, 2);
      assert.equal(unnamed.text, 'namespace selvage has the runs one, two: name one with --run\n');
      const unknown = await k8s(config, 'status', '--run', 'onw');
      assert.match(
        unknown.text,
        /^--run onw: namespace selvage has no such run.*one.*it has one, two/,
      );
      assert.match((await k8s(config, 'status', '--run', 'two')).text, /^two {2}complete\n/);
      const again = await begin('one');
      assert.equal(again.code, 2);
      assert.match(
        again.words,
        /has a \w+ one-\w+ already: selvage k8s delete .*--run one, or name/,
      );
      assert.equal((await k8s(config, 'delete', '--run', 'one')).code, 0);
      assert.deepEqual(api.made('one'), []);
      assert.equal(api.made('two').length > 10, true);
      assert.equal((await k8s(config, 'delete')).code, 0);
      assert.deepEqual([...api.objects.keys()], alone);
    } finally {
      api.close();
    }
  });

  it('goes on where the API server is away now and then, and exits with 1 if expectations fail', async () => {
    const api = await ApiServer.open({ isUnreliable: true });
    try {
      const out = join(folder, 'unreliable');
      const failing = 'expect=[{ metric: completion.p99, load: shuffle, max: 1us }]';
      const more = ['--out', out, '--keep', '--set', failing];
      const { code, words } = await start(api.config(), ...more).ended;
      assert.equal(code, 1, words);
      assert.match(words, /does not answer: .*; tried again for 120 s\n/);
      const kept =
        /complete, digest [0-9a-f]+; 0 of 1 expectations hold\n {2}expected completion\.p99/;
      assert.match(words, kept);
      assert.doesNotMatch(words, /"digest"/);
      assert.equal(new Set(api.seen).size, api.seen.length);
    } finally {
      api.close();
    }
  });

  const REFUSED: readonly (readonly [string, ClusterTraits, number, RegExp])[] = [
    ['is too old', { minor: '28' }, 2, /^Kubernetes 1\.28 is older than 1\.29\n$/],
    [
      'gives no rights',
      { denied: ['create jobs', 'list pods'] },
      2,
      /^no right in namespace selvage to create jobs, list pods\nClusterRole edit in one existing/,
    ],
    [
      'has too little left',
      { quota: { pods: '3' } },
      2,
      /^the quota of namespace selvage leaves 3 of 3 pods, and the run needs 4: try fewer --services\n$/,
    ],
    [
      'does not have the image',
      { image: 'something/else:1' },
      3,
      /pod \S+-coordinator-0 cannot start: ImagePullBackOff: no such image: selvage:[\d.]+\n$/,
    ],
  ];
  for (const [what, traits, expected, said] of REFUSED) {
    it(`says so when the cluster ${what}, and leaves nothing behind`, async () => {
      const api = await ApiServer.open(traits);
      const before = [...api.objects.keys()];
      try {
        const { code, words } = await start(api.config(), '--out', join(folder, 'none')).ended;
        assert.match(words, said);
        assert.equal(code, expected);
        assert.deepEqual([...api.objects.keys()], before);
      } finally {
        api.close();
      }
    });
  }

  it('are listed where the user may look: in the namespace of the context, or in none', async () => {
    const everywhere = '/apis/batch/v1/jobs';
    const own = await ApiServer.open({ forbidden: [everywhere] });
    const none = await ApiServer.open({
      forbidden: [everywhere, '/apis/batch/v1/namespaces/lab/jobs'],
    });
    try {
      assert.equal((await k8s(own.config('lab'), 'list')).text, 'no runs\n');
      assert.deepEqual(own.calls, ['list /apis/batch/v1/namespaces/lab/jobs']);
      assert.deepEqual(await k8s(none.config('lab'), 'list'), {
        code: 2,
        text:
          'no right to list Jobs of all namespaces, or of lab, which KUBECONFIG and its context ' +
          'name: give one of yours with --namespace\n',
      });
    } finally {
      own.close();
      none.close();
    }
  });

  it('says so when no cluster is named, or none answers', async () => {
    const nowhere = await start(join(folder, 'no-such-file')).ended;
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.words, /^KUBECONFIG cannot be read: ENOENT/);
    const api = await ApiServer.open();
    const config = join(folder, 'gone');
    copyFileSync(api.config(), config);
    const wrong = await k8s(config, 'list', '--context', 'her');
    assert.equal(wrong.code, 2);
    const said = '--context her: KUBECONFIG has no such context; did you mean here?; it has here\n';
    assert.equal(wrong.text, said);
    const own = await k8s(api.config('lab'), 'status', '--context', 'here');
    assert.match(own.text, /^namespace lab has no run: selvage k8s list/);
    const ended = start(config, '--out', join(folder, 'none'));
    api.close();
    const { code, words } = await ended.ended;
    assert.equal(code, 2);
    assert.match(words, /the cluster at http:\/\/127\.0\.0\.1:\d+ does not answer/);
  });
});
