/** `selvage k8s run --cluster` on three nodes: cold starts, late brokers, drains and losses. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { skipUnlessLong } from '../kit/long-suite.js';
import { EXAMPLE } from '../kit/pods.js';
import { commandsOf, until } from './commands.js';
import { startWithImages } from './images.js';
import { BETWEEN_NODES, digestIn, SMALL } from './runs.js';
import type { TestCluster } from './test-cluster.js';
import { whyNoNode } from './test-cluster.js';

const RUN = ['k8s', 'run', EXAMPLE, '--cluster', '--services', '3', ...SMALL, ...BETWEEN_NODES];
const NAMESPACE = ['-n', 'selvage'];
const skip = skipUnlessLong === false ? (whyNoNode() ?? false) : skipUnlessLong;

describe('Selvage on three nodes of Kubernetes', { skip, timeout: 3_600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-on-nodes-'));
  let cluster: TestCluster;
  const { selvage, passes } = commandsOf(() => cluster);
  let digest = '';

  before(async () => {
    cluster = await startWithImages(folder, 3);
    const out = join(folder, 'here');
    passes('run', EXAMPLE, '--quiet', '--out', out, ...BETWEEN_NODES);
    digest = readFileSync(join(out, 'digest'), 'utf8').trim();
  });
  afterEach(() => {
    selvage('k8s', 'delete');
    for (const { place } of cluster.nodes) cluster.run('kubectl', 'uncordon', place.name);
  });
  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  });

  const ends = (name: string): void => {
    const { text } = selvage('k8s', 'attach');
    const out = join(folder, name);
    passes('k8s', 'fetch', '--out', out);
    assert.equal(digestIn(out), digest, text);
  };
  /** What comes after the end disturbs nothing. */
  const endsInAnotherEpoch = (name: string): void => {
    ends(name);
    assert.match(passes('k8s', 'logs', '--role', 'coordinator'), /epoch begins epoch=[2-9]/);
  };
  const podsIn = (role: string, ...more: string[]): number => {
    const words = ['get', 'pods', '-o', 'name', '-l', `selvage=${role}`, ...more];
    return cluster
      .kubectl(...NAMESPACE, ...words)
      .split('\n')
      .filter(Boolean).length;
  };
  const nodesOf = (role: string): string[] => {
    const node = '-o=jsonpath={range .items[*]}{.spec.nodeName}{"\\n"}{end}';
    const words = [...NAMESPACE, 'get', 'pods', '-l', `selvage=${role}`, node];
    return cluster
      .kubectl(...words)
      .trim()
      .split('\n')
      .sort();
  };

  it('starts from nothing, with brokers and services on nodes of their own', () => {
    passes(...RUN, '--detach');
    const all = cluster.nodes.map(({ place }) => place.name);
    assert.deepEqual([nodesOf('nats'), nodesOf('service')], [all, all]);
    ends('cold');
  });

  it('starts where two of three brokers are late', async () => {
    const out = join(folder, 'rendered');
    const [, , , ...words] = RUN;
    passes('k8s', 'render', EXAMPLE, ...words, '--out', out);
    const [, ...others] = cluster.nodes.map(({ place }) => place.name);
    cluster.kubectl('cordon', ...others);
    cluster.kubectl('apply', '--server-side', '-k', out);
    const count = (role: string, phase: string): number =>
      podsIn(role, `--field-selector=status.phase=${phase}`);
    await until(() => count('coordinator', 'Running') === 1 && count('nats', 'Running') === 1);
    assert.equal(count('nats', 'Pending'), 2);
    cluster.kubectl('uncordon', ...others);
    ends('late');
    cluster.kubectl('delete', 'namespace', 'selvage');
  });

  it('has the same digest where a node is drained', async () => {
    passes(...RUN, '--detach');
    await until(() => selvage('k8s', 'status').text.includes('running'));
    const [, second] = cluster.nodes;
    const drain = ['drain', second!.place.name, '--ignore-daemonsets', '--delete-emptydir-data'];
    cluster.kubectl(...drain, '--force', '--timeout=180s');
    assert.ok(!nodesOf('service').includes(second!.place.name));
    endsInAnotherEpoch('drained');
  });

  it('has the same digest where a node is lost, with its broker', async () => {
    passes(...RUN, '--detach');
    await until(() => selvage('k8s', 'status').text.includes('running'));
    const [, , third] = cluster.nodes;
    await third!.lose();
    const { text } = selvage('k8s', 'fetch', '--out', join(folder, 'meanwhile'));
    assert.match(text, /no log of pod \S+-services-\d-\S+ on node node3: .*refused/);
    // The Node object stays, as of a machine that nobody looks after.
    const why = 'node node3 is not ready, with pods ';
    await until(() => selvage('k8s', 'status').text.includes(why));
    const attached = selvage('k8s', 'attach');
    assert.match(attached.text, /node node3 is not ready: pod \S+ is deleted, for another one/);
    assert.equal(attached.code, 0, attached.text);
    endsInAnotherEpoch('lost');
  });
});
