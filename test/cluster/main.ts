// A cluster on this machine, for tests and to try things by hand:
//
//   node dist/test/cluster/main.js build [--install]   builds its components, once; with consent,
//                                                      installs the Debian packages that it lacks
//   node dist/test/cluster/main.js up [N]              brings up N nodes (1) with the images of a
//                                                      run and of its sandboxes; Ctrl-C takes all down

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildComponents } from './components.js';
import { startWithImages } from './images.js';
import { missingPackages, whyNoNode } from './test-cluster.js';

function install(): void {
  const packages = missingPackages();
  if (packages.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const words = ['install', '--yes', '--no-install-recommends', ...packages];
  const { status } = spawnSync('apt-get', words, { env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`apt-get ${words.join(' ')} failed`);
}

async function up(count: number): Promise<void> {
  const why = whyNoNode();
  if (why !== null) throw new Error(why);
  const folder = mkdtempSync(join(tmpdir(), 'selvage-cluster-'));
  try {
    const cluster = await startWithImages(folder, count);
    console.log(
      `KUBECONFIG=${cluster.kubeconfig} nsenter --net=${cluster.network} kubectl get nodes`,
    );
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await cluster.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [action, ...words] = process.argv.slice(2);
const [count = '1'] = words.filter((word) => /^[1-9]$/.test(word));
try {
  if (action === 'build') {
    if (words.includes('--install')) install();
    buildComponents();
  } else if (action === 'up') {
    await up(Number(count));
  } else {
    throw new Error('build [--install], or up [N]');
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
