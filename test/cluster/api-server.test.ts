/**
 * What `selvage k8s` makes of what an API server, its controllers and its scheduler say. There is
 * no kubelet: a hollow node has pods run, and a test says what becomes of them.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { skipUnlessLong } from '../kit/long-suite.js';
import { EXAMPLE, MAIN } from '../kit/pods.js';
import { blocksOf } from '../kit/page.js';
import { MEMBER } from './certificates.js';
import { commandsOf, until } from './commands.js';
import { chaosMeshDefinitions } from './components.js';
import { fabricIn } from './fabrics.js';
import { TestCluster, whyNoNode } from './test-cluster.js';

/** Coordinator, broker and four services, each of several devices. */
const FOUR = ['--services', '4'];
const NAMESPACE = ['-n', 'selvage'];
/** Of the example's name. */
const RUN = 'leaf-spine-all-to-all';
const skip = skipUnlessLong === false ? (whyNoNode() ?? false) : skipUnlessLong;

describe('selvage k8s, judged by an API server', { skip, timeout: 1_800_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-api-server-'));
  let cluster: TestCluster;
  const { selvage, passes } = commandsOf(() => cluster);

  before(async () => {
    cluster = await TestCluster.start(0);
    cluster.addHollowNode('hollow', 8);
    await until(() => cluster.run('kubectl', 'get', 'node/hollow').code === 0);
  });
  afterEach(() => {
    for (const namespace of ['selvage', 'lab']) {
      if (selvage('k8s', 'list', '--namespace', namespace).text.includes('no runs')) continue;
      selvage('k8s', 'delete', '--namespace', namespace);
    }
  });
  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  });

  /** A command beside this one: its output so far, and its end. */
  const begin = (user: string, ...words: string[]) => {
    const child = cluster.startAs(user, process.execPath, MAIN, ...words);
    const own = { text: '', ended: once(child, 'close') as Promise<[number | null]> };
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        own.text += piece;
      });
    }
    return own;
  };
  const fileOf = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const podsOf = (role: string, ...more: string[]): string[] => {
    const words = [...NAMESPACE, 'get', 'pods', '-o', 'name', '-l', `selvage=${role}`, ...more];
    return cluster
      .kubectl(...words)
      .trim()
      .split('\n')
      .filter(Boolean);
  };
  /** As a kubelet reports it. */
  const end = (pod: string, code: number, message = ''): void => {
    const finishedAt = new Date().toISOString();
    const terminated = { exitCode: code, message, finishedAt, startedAt: finishedAt };
    const name = pod.includes('coordinator') ? 'coordinator' : 'service';
    const own = { name, image: 'selvage', imageID: '', restartCount: 0, ready: false };
    const containerStatuses = [{ ...own, state: { terminated } }];
    const status = { phase: code === 0 ? 'Succeeded' : 'Failed', containerStatuses };
    const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    cluster.kubectl(...NAMESPACE, 'patch', pod, ...patch);
  };
  const nothingIsLeft = (): void => {
    assert.doesNotMatch(cluster.kubectl('get', 'namespaces'), /selvage/);
  };

  for (const [leaves, hosts] of [
    [1, 2],
    [7, 8],
    [31, 32],
    [99, 100],
  ] as const) {
    const devices = leaves * (hosts + 1) + 1;
    it(`accepts manifests of ${devices} devices in any number of pods`, () => {
      const load = [{ name: 'one', stream: { from: 'h1', to: 'h2' }, bytes: '1KB' }];
      const scenario = { selvage: 1, ...fabricIn(leaves, hosts), load };
      const file = fileOf(`fabric-${devices}.yaml`, JSON.stringify(scenario));
      const numbers = [1, 2, 26, leaves + 1, devices].filter((pods) => pods <= devices);
      cluster.kubectl('create', 'namespace', 'selvage');
      for (const services of new Set(numbers)) {
        const out = join(folder, `rendered-${devices}-${services}`);
        passes('k8s', 'render', file, '--services', `${services}`, '--out', out);
        cluster.kubectl('apply', '--server-side', '--dry-run=server', '-k', out);
      }
      const services = readFileSync(join(folder, `rendered-${devices}-1`, 'services.yaml'), 'utf8');
      const greedy = fileOf('greedy.yaml', services.replace(/memory: \d+Mi/, 'memory: 900Gi'));
      const dry = ['apply', '--server-side', '--dry-run=server', '-f', greedy];
      const { text } = cluster.run('kubectl', ...dry);
      assert.match(text, /must be less than or equal to memory limit/);
      cluster.kubectl('delete', 'namespace', 'selvage');
    });
  }

  it('validates everything before anything is made', () => {
    const values = fileOf('invalid.yaml', 'tolerations: [{ key: a, operator: Sometimes }]\n');
    const { code, text } = selvage('k8s', 'run', EXAMPLE, ...FOUR, '--values', values);
    assert.equal(code, 2, text);
    assert.match(text, /tolerations\[0\]\.operator: .*"Sometimes"/);
    nothingIsLeft();
  });

  it('lists the rights that a user lacks, and takes `edit` in one namespace for enough', () => {
    cluster.kubectl('create', 'namespace', 'lab');
    const words = ['k8s', 'run', EXAMPLE, ...FOUR, '--detach', '--namespace', 'lab'];
    const asMember = (...all: string[]) => cluster.runAs(MEMBER, process.execPath, MAIN, ...all);
    const { code, text } = asMember(...words);
    assert.equal(code, 2, text);
    assert.match(text, /no right in namespace lab to create configmaps, .*create pods\/exec/);
    assert.match(text, /kubectl create rolebinding selvage --clusterrole=edit/);
    const binding = ['--clusterrole=edit', `--user=${MEMBER}`, '--namespace=lab'];
    cluster.kubectl('create', 'rolebinding', 'selvage', ...binding);
    const enough = asMember(...words);
    assert.equal(enough.code, 0, enough.text);
    assert.match(asMember('k8s', 'list', '--namespace', 'lab').text, /4 of 4 services/);
    assert.equal(asMember('k8s', 'delete', '--namespace', 'lab').code, 0);
  });

  /** A run that cannot start: what it says within ten seconds, and that its deadline ends it. */
  const cannotStart = async (why: RegExp, ...more: string[]): Promise<void> => {
    const run = begin('admin', 'k8s', 'run', EXAMPLE, ...FOUR, '--start-within', '10', ...more);
    const [code] = await run.ended;
    assert.equal(code, 3, run.text);
    const [before = '', ended] = run.text.split('not all pods run after 10 s: ');
    assert.match(before, why);
    assert.match(ended ?? '', why);
  };

  it('says within ten seconds that there is no StorageClass, and gives up', async () => {
    const standard = cluster.kubectl('get', 'storageclass', 'standard', '-o', 'json');
    cluster.kubectl('delete', 'storageclass', 'standard');
    try {
      await cannotStart(/no storage class is set/);
    } finally {
      cluster.apply(JSON.parse(standard) as object);
    }
    nothingIsLeft();
  });

  it('says within ten seconds that there are too few CPUs, and gives up', async () => {
    const values = fileOf('greedy-values.yaml', "service: { cpu: '9' }\n");
    await cannotStart(/no room yet for its 6 pods: 36\.8 CPUs/, '--values', values);
    nothingIsLeft();
  });

  it('says before anything is made that a namespace takes no such pods', () => {
    cluster.kubectl('create', 'namespace', 'lab-of-limits');
    cluster.apply({
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'small', namespace: 'lab-of-limits' },
      spec: { limits: [{ type: 'Container', max: { memory: '100Mi' } }] },
    });
    const words = ['k8s', 'run', EXAMPLE, ...FOUR, '--namespace', 'lab-of-limits'];
    const { code, text } = selvage(...words);
    assert.equal(code, 2, text);
    assert.match(
      text,
      /LimitRange small: \S+-services: memory of \d+, and a Container has at most/,
    );
    assert.equal(cluster.kubectl('-n', 'lab-of-limits', 'get', 'jobs', '-o', 'name'), '');
  });

  it('ends with the Job of a coordinator that cannot go on, and says why', async () => {
    passes('k8s', 'run', EXAMPLE, ...FOUR, '--detach');
    const attached = begin('admin', 'k8s', 'attach');
    await until(() => attached.text.includes('4 of 4 services are running'));
    const last = ['--type=merge', '-p', '{"spec":{"backoffLimit":0}}'];
    cluster.kubectl(...NAMESPACE, 'patch', `job/${RUN}-coordinator`, ...last);
    end(podsOf('coordinator')[0]!, 3);
    const [code] = await attached.ended;
    assert.equal(code, 3, attached.text);
    assert.match(attached.text, /the coordinator failed: BackoffLimitExceeded: Job has reached/);
    assert.match(selvage('k8s', 'list').text, /failed: BackoffLimitExceeded/);
  });

  it('ends at the deadline that values set', async () => {
    const values = fileOf('deadline.yaml', 'deadline: 8\n');
    passes('k8s', 'run', EXAMPLE, ...FOUR, '--detach', '--values', values);
    const attached = begin('admin', 'k8s', 'attach');
    const [code] = await attached.ended;
    assert.equal(code, 3, attached.text);
    assert.match(attached.text, /DeadlineExceeded: Job was active longer than specified deadline/);
  });

  it('prints verdict, digest and what failed, whatever the run printed', async () => {
    passes('k8s', 'run', EXAMPLE, ...FOUR, '--detach');
    const attached = begin('admin', 'k8s', 'attach');
    await until(() => attached.text.includes('4 of 4 services are running'));
    const failed = ['drops 7: at most 0'];
    const outcome = {
      verdict: 'complete',
      digest: 'f'.repeat(32),
      expectations: 3,
      met: 2,
      failed,
    };
    end(podsOf('coordinator')[0]!, 1, JSON.stringify(outcome));
    const [code] = await attached.ended;
    assert.equal(code, 1, attached.text);
    assert.match(
      attached.text,
      /complete, digest f{32}; 2 of 3 expectations hold\n {2}expected drops 7: at most 0/,
    );
  });

  it('goes on where the API server refuses connections for a while', async () => {
    passes('k8s', 'run', EXAMPLE, ...FOUR, '--detach');
    const attached = begin('admin', 'k8s', 'attach');
    await until(() => attached.text.includes('4 of 4 services are running'));
    await cluster.programs.stop('apiserver', 'SIGKILL');
    await until(() => /does not answer: .*; tried again for 120 s/.test(attached.text));
    cluster.programs.start('apiserver');
    await until(() => cluster.run('kubectl', 'get', '--raw', '/readyz').code === 0);
    const outcome = {
      verdict: 'complete',
      digest: 'e'.repeat(32),
      expectations: 0,
      met: 0,
      failed: [],
    };
    end(podsOf('coordinator')[0]!, 0, JSON.stringify(outcome));
    const [code] = await attached.ended;
    assert.equal(code, 0, attached.text);
    assert.match(attached.text, /complete, digest e{32}\n/);
  });

  it('replaces services that are lost at once by the back-off of each, not of all', async () => {
    passes('k8s', 'run', EXAMPLE, ...FOUR, '--detach');
    const lost = podsOf('service');
    assert.equal(lost.length, 4);
    for (const pod of lost) end(pod, 137);
    const running = (): string[] => podsOf('service', '--field-selector=status.phase=Running');
    await until(() => running().length === 4);
    const times = ['-o', 'jsonpath={range .items[*]}{.metadata.creationTimestamp}{"\\n"}{end}'];
    const created = cluster
      .kubectl(...NAMESPACE, 'get', 'pods', '-l', 'selvage=service', ...times)
      .trim()
      .split('\n')
      .map((time) => Date.parse(time))
      .sort((a, b) => a - b);
    // One back-off of the whole Job doubles four times: 80 s.
    const apart = created.at(-1)! - created.at(-4)!;
    assert.ok(apart < 10_000, `${apart} ms`);
  });

  it('accepts the manifests of Chaos Mesh that the documentation has', (test) => {
    const definitions = chaosMeshDefinitions();
    if (definitions === null) {
      test.skip('the Go module proxy has no Chaos Mesh');
      return;
    }
    const names = ['schedules', 'networkchaos'];
    for (const name of names) {
      cluster.kubectl('create', '-f', join(definitions, `chaos-mesh.org_${name}.yaml`));
    }
    const established = ['wait', '--for=condition=Established', '--timeout=60s'];
    cluster.kubectl(...established, ...names.map((name) => `crd/${name}.chaos-mesh.org`));
    cluster.kubectl('create', 'namespace', 'selvage');
    const page = blocksOf('docs/kubernetes-reference.md');
    const { text } = page.find((block) => block.text.includes('chaos-mesh.org'))!;
    const dry = ['create', '--dry-run=server', '--validate=strict', '-f'];
    cluster.kubectl(...dry, fileOf('chaos.yaml', text));
    const wrong = cluster.run(
      'kubectl',
      ...dry,
      fileOf('no.yaml', text.replace('mode:', 'modus:')),
    );
    assert.match(wrong.text, /unknown field "spec\.podChaos\.modus"/);
    cluster.kubectl('delete', 'namespace', 'selvage');
  });

  it('starts two runs one after the other where there is room for one', async () => {
    for (const namespace of ['lab', 'selvage']) {
      if (cluster.run('kubectl', 'get', 'namespace', namespace).code !== 0) {
        cluster.kubectl('create', 'namespace', namespace);
      }
      const binding = ['--clusterrole=edit', `--user=${MEMBER}`, '-n', namespace];
      cluster.run('kubectl', 'create', 'rolebinding', 'both', ...binding);
    }
    // A user who may not list nodes sees what the scheduler says; each has a part of its pods.
    const values = fileOf('both.yaml', "service: { cpu: '1500m' }\nhold: 4\n");
    const words = ['k8s', 'run', EXAMPLE, ...FOUR, '--detach', '--values', values];
    const runs = ['lab', 'selvage'].map((namespace) => ({
      namespace,
      run: begin(MEMBER, ...words, '--namespace', namespace),
    }));
    const texts = (): string => runs.map(({ run }) => run.text).join('');
    const gaveWay = 'gives way to others, since there is room for a part of its pods only';
    await Promise.all(
      runs.map(async ({ namespace, run }) => {
        const [code] = await run.ended;
        assert.equal(code, 0, run.text);
        // The first keeps its room until the other has given way.
        await until(() => texts().includes(gaveWay), texts);
        passes('k8s', 'delete', '--namespace', namespace);
      }),
    );
    cluster.kubectl('delete', 'namespace', 'selvage');
  });
});
