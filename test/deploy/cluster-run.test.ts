/**
 * `selvage k8s run` against a proxy device for a cluster, and against a real one where KUBECONFIG
 * names one.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import type { ClusterTraits } from '../kit/api-server.js';
import { ApiServer } from '../kit/api-server.js';
import { fabricOf, run } from '../kit/emulate.js';
import { EXAMPLE, MAIN, Running } from '../kit/pods.js';

const skip = isInstalled() ? false : 'no nats-server on the PATH';

describe('selvage k8s run', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-cluster-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const start = (config: string, ...words: string[]): Running => {
    const all = [MAIN, 'k8s', 'run', EXAMPLE, '--services', '2', ...words];
    const env = { ...process.env, KUBECONFIG: config };
    return new Running(spawn(process.execPath, all, { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  };

  it('applies, follows, fetches the run directory and clears everything away', async () => {
    const api = await ApiServer.open('cluster');
    const out = join(folder, 'fetched');
    try {
      const { code, words } = await start(api.config(), '--out', out).ended;
      assert.equal(code, 0, words);
      assert.match(words, /^looking for selvage:[\d.]+\n\d+ objects in namespace selvage\n/);
      const [name] = readdirSync(out);
      const text = readFileSync(join(out, name!, 'digest'), 'utf8').trim();
      assert.equal(text, run(fabricOf('examples/leaf-spine-all-to-all.yaml')).digest);
      assert.deepEqual([...api.objects.keys()], []);
      assert.ok(api.seen.includes('Job coordinator') && api.seen.includes('StatefulSet nats'));
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
      /^no right in namespace selvage to create jobs, list pods\n$/,
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
      /pod image cannot start: ErrImagePull: no such image: selvage:[\d.]+\n$/,
    ],
  ];
  for (const [what, traits, expected, said] of REFUSED) {
    it(`says so when the cluster ${what}, and leaves nothing behind`, async () => {
      const api = await ApiServer.open('refused', traits);
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

  it('says so when no cluster is named, or none answers', async () => {
    const nowhere = await start(join(folder, 'no-such-file')).ended;
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.words, /^KUBECONFIG cannot be read: ENOENT/);
    const api = await ApiServer.open('gone');
    const config = join(folder, 'gone');
    copyFileSync(api.config(), config);
    const ended = start(config, '--out', join(folder, 'none'));
    api.close();
    const { code, words } = await ended.ended;
    assert.equal(code, 2);
    assert.match(words, /the cluster at http:\/\/127\.0\.0\.1:\d+ does not answer/);
  });
});
