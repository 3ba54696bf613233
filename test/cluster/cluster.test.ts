/**
 * Runs on a real node: kubelet, containerd and runc, and an API server that judges and schedules.
 * The long suite has them, since the components of Kubernetes are built first (main.ts).
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { EXIT } from '../../services/cli/exit.js';
import { goProgram, whyNo } from '../kit/go-programs.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';
import { skipUnlessLong } from '../kit/long-suite.js';
import { ACCESS, BUCKET, noGateway } from '../kit/object-storage.js';
import { blocksOf } from '../kit/page.js';
import { EXAMPLE, MAIN } from '../kit/pods.js';
import { commandsOf, until } from './commands.js';
import { fabricIn } from './fabrics.js';
import { startWithImages } from './images.js';
import { digestIn, ENDLESS, LONG, SHORT, SMALL } from './runs.js';
import type { TestCluster } from './test-cluster.js';
import { whyNoNode } from './test-cluster.js';

const STORAGE_PORT = 7070;
/** Of the example's name. */
const RUN = 'leaf-spine-all-to-all';
const BURST = {
  priorities: { 3: { flowControl: 'pfc' } },
  load: [{ name: 'burst', incast: { from: 'h2..h9', to: 'h1' }, bytes: '20KB', priority: 3 }],
};

/** A pod of which kubectl prints how it ended. */
interface EndedPod {
  readonly metadata: { readonly creationTimestamp: string };
  readonly status: {
    readonly containerStatuses: readonly {
      readonly state: { readonly terminated: { startedAt: string; finishedAt: string } };
    }[];
  };
}

/** Work of which the log of a coordinator says that it was lost with a service. */
interface Loss {
  /** From the checkpoint that the run returned to, or from its return, to the loss. */
  readonly ms: number;
  /** Checkpoints that were written in between. */
  readonly missed: number;
}

function lossesIn(log: string): Loss[] {
  const losses: Loss[] = [];
  const written = new Map<string, { readonly at: number; readonly index: number }>();
  let lost: { readonly at: number; readonly checkpoints: number } | null = null;
  let begunAt = 0;
  for (const line of log.split('\n').sort()) {
    const at = Date.parse(line.slice(0, line.indexOf(' ')));
    const [, checkpoint = ''] = / checkpoint=(\S+)/.exec(line) ?? [];
    if (line.includes('checkpoint is written')) {
      written.set(checkpoint, { at, index: written.size + 1 });
    } else if (line.includes('service is lost')) {
      lost ??= { at, checkpoints: written.size };
    } else if (line.includes('epoch begins')) {
      const from = written.get(checkpoint);
      if (lost !== null && from !== undefined) {
        const since = Math.max(from.at, begunAt);
        losses.push({ ms: lost.at - since, missed: lost.checkpoints - from.index });
      }
      begunAt = at;
      lost = null;
    }
  }
  return losses;
}

const HELM = goProgram('helm');
const skipWithoutHelm = whyNo('helm', HELM);
const skip = skipUnlessLong === false ? (whyNoNode() ?? false) : skipUnlessLong;

describe('Selvage on a node of Kubernetes', { skip, timeout: 3_600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-on-node-'));
  let cluster: TestCluster;
  const { selvage, passes } = commandsOf(() => cluster);

  before(async () => {
    cluster = await startWithImages(folder, 1);
  });

  /** A test that fails leaves no run to the next. */
  afterEach(() => {
    selvage('k8s', 'delete');
  });

  after(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  });

  it('a run has the digest of one process, and leaves nothing behind', () => {
    const out = join(folder, 'demo');
    const text = passes('k8s', 'run', EXAMPLE, '--services', '4', ...SMALL, '--out', out);
    const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
    assert.match(text, new RegExp(`complete, digest ${digest}; 3 of 3 expectations hold`));
    assert.equal(digestIn(out), digest);
    assert.equal(passes('k8s', 'list'), 'no runs\n');
    assert.doesNotMatch(cluster.kubectl('get', 'namespaces'), /selvage/);
    const [name] = readdirSync(out);
    assert.equal(statSync(join(out, name!, 'digest')).uid, process.getuid!());
  });

  it('runs again at once, and prints the expectations that fail', () => {
    const failing = 'expect=[{ metric: completion.p99, load: shuffle, max: 1us }]';
    for (const name of ['first', 'second']) {
      const words = ['--services', '2', ...SMALL, '--set', failing, '--out', join(folder, name)];
      const { code, text } = selvage('k8s', 'run', EXAMPLE, ...words);
      assert.equal(code, EXIT.EXPECTATIONS_FAILED, text);
      assert.match(
        text,
        /complete, digest [0-9a-f]{32}; 0 of 1 expectations hold\n {2}expected completion\.p99/,
      );
    }
  });

  it('runs two at once one after the other, where there is room for one', async () => {
    const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
    const words = ['k8s', 'run', EXAMPLE, '--services', '2', '--cpu', '500m'];
    const runs = await Promise.all(
      ['selvage', 'lab'].map(async (namespace) => {
        const out = ['--namespace', namespace, '--out', join(folder, `one-of-two-${namespace}`)];
        const child = cluster.start(process.execPath, MAIN, ...words, ...out);
        let text = '';
        child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        const [code] = (await once(child, 'close')) as [number | null];
        assert.equal(code, 0, text);
        return text;
      }),
    );
    for (const text of runs) assert.match(text, new RegExp(`complete, digest ${digest}`));
    assert.match(runs.join(''), /no room yet for its 4 pods/);
  });

  it('keeps results in S3-compatible storage, and fetches them there', { skip: noGateway }, () => {
    const file = join(folder, 'storage.yaml');
    const endpoint = cluster.startStorage(STORAGE_PORT, BUCKET);
    writeFileSync(file, `results: s3://${BUCKET}/nightly\ns3: { insecure: true }\n`);
    const keys = Object.entries({ ...ACCESS, AWS_ENDPOINT_URL: endpoint });
    const variables = keys.map(([name, value]) => `${name}=${value}`);
    const withKeys = (...words: string[]): string => {
      const { code, text } = cluster.run('env', ...variables, process.execPath, MAIN, ...words);
      assert.equal(code, 0, text);
      return text;
    };
    const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
    const [out, again, later] = ['stored', 'again', 'later'].map((name) => join(folder, name));
    const words = ['--services', '2', ...SMALL, '--values', file, '--out', out!, '--keep'];
    const text = withKeys('k8s', 'run', EXAMPLE, ...words);
    assert.match(text, new RegExp(`complete, digest ${digest}`));
    const claims = cluster.kubectl('-n', 'selvage', 'get', 'pvc', '-o', 'name');
    assert.doesNotMatch(claims, /-runs$/m);
    const unhealthy = ['get', 'events', '--field-selector=reason=Unhealthy', '-o', 'name'];
    assert.equal(cluster.kubectl('-n', 'selvage', ...unhealthy), '');
    passes('k8s', 'fetch', '--out', again!);
    passes('k8s', 'delete');
    const place = `s3://${BUCKET}/nightly/leaf-spine-all-to-all`;
    withKeys('download', place, later!, '--insecure');
    const digests = [digestIn(out!), digestIn(again!)];
    digests.push(readFileSync(join(later!, 'digest'), 'utf8').trim());
    assert.deepEqual(digests, [digest, digest, digest]);
  });

  it('does what the guide says, word for word', () => {
    const place = join(folder, 'guide');
    mkdirSync(join(place, 'bin'), { recursive: true });
    symlinkSync(join(ROOT, 'examples'), join(place, 'examples'));
    const program = `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`;
    writeFileSync(join(place, 'bin/selvage'), program, { mode: 0o755 });
    const blocks = blocksOf('docs/kubernetes.md').filter(({ language }) => language === 'sh');
    const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
    for (const { text } of blocks) {
      const script = `cd ${place}\nPATH=${place}/bin:$PATH\n${text}`;
      const { code, text: printed } = cluster.run('bash', '-ec', script);
      assert.equal(code, 0, printed);
      if (text.includes('k8s')) assert.match(printed, new RegExp(`complete, digest ${digest}`));
    }
    for (const name of ['results', 'fetched']) {
      const out = join(place, name);
      assert.equal(digestIn(out), digest);
      const directory = readdirSync(out).find((one) => !one.endsWith('.cluster'))!;
      assert.ok(existsSync(join(out, directory, 'report.html')));
    }
    assert.equal(passes('k8s', 'list'), 'no runs\n');
  });

  it('is steered, looked at and fetched by commands that know its namespace', () => {
    passes('k8s', 'run', EXAMPLE, '--services', '2', ...SMALL, '--detach', ...ENDLESS);
    assert.match(passes('k8s', 'list'), /leaf-spine-all-to-all +selvage .* 2 of 2 services/);
    passes('k8s', 'pause');
    assert.match(passes('k8s', 'status'), /paused, .*2 of 2 services, epoch 1/);
    assert.match(passes('k8s', 'step', '--for', '5us'), /goes on for 5 us/);
    const fault = ['--fault', 'link-down', '--where', 'leaf1:p1', '--for', '3us'];
    assert.match(passes('k8s', 'inject', ...fault), /fault1 begins at/);
    passes('k8s', 'resume');
    passes('k8s', 'checkpoint');
    assert.match(passes('k8s', 'logs', '--role', 'coordinator'), /info coordinator: /);
    passes('k8s', 'stop');
    const { code, text } = selvage('k8s', 'attach');
    assert.equal(code, EXIT.INTERRUPTED, text);
    assert.match(text, /interrupted, digest [0-9a-f]{32}/);
    const out = join(folder, 'fetched');
    passes('k8s', 'fetch', '--out', out);
    assert.match(digestIn(out), /^[0-9a-f]{32}$/);
    assert.ok(readdirSync(join(out, 'leaf-spine-all-to-all.cluster')).includes('scenario.yaml'));
    passes('k8s', 'delete');
    assert.equal(passes('k8s', 'list'), 'no runs\n');
  });

  /** A run that is disturbed has the digest of one process. */
  const disturbed = async (
    what: string,
    disturb: () => Promise<void> | void,
    more: readonly string[] = [],
  ): Promise<void> => {
    passes('k8s', 'run', EXAMPLE, '--services', '2', ...SMALL, '--detach', ...LONG, ...more);
    await until(() => /running|paused/.test(selvage('k8s', 'status').text));
    await disturb();
    // What comes after the end disturbs nothing.
    assert.doesNotMatch(passes('k8s', 'list'), /complete/);
    ends(what, LONG);
  };
  /** The same with a run that is paused meanwhile: it waits for however long that takes. */
  const disturbedInPause = async (
    what: string,
    disturb: () => Promise<void> | void,
  ): Promise<void> => {
    passes('k8s', 'run', EXAMPLE, '--services', '2', ...SMALL, '--detach', ...SHORT);
    passes('k8s', 'pause');
    await until(() => selvage('k8s', 'status').text.includes('paused'));
    await disturb();
    selvage('k8s', 'resume');
    ends(what, SHORT);
  };
  const ends = (what: string, settings: readonly string[]): void => {
    const { text } = selvage('k8s', 'attach');
    const out = join(folder, what.replaceAll(' ', '-'));
    passes('k8s', 'fetch', '--out', out);
    passes('k8s', 'delete');
    assert.equal(digestIn(out), digestHere(settings), text);
  };
  const digests = new Map<readonly string[], string>();
  const digestHere = (settings: readonly string[]): string => {
    const known = digests.get(settings);
    if (known !== undefined) return known;
    const out = join(folder, `here-${digests.size}`);
    passes('run', EXAMPLE, '--quiet', '--out', out, ...settings);
    const digest = readFileSync(join(out, 'digest'), 'utf8').trim();
    digests.set(settings, digest);
    return digest;
  };
  const lose = (role: string): void => {
    const only = ['-n', 'selvage', 'delete', 'pod', '-l', `selvage=${role}`];
    cluster.kubectl(...only, '--force', '--grace-period=0');
  };

  for (const role of ['service', 'coordinator', 'nats']) {
    it(`has the same digest where its pods of role ${role} are killed`, () =>
      disturbed(`killed ${role}`, () => {
        lose(role);
      }));
  }

  it('is followed and fetched after its client was killed', async () => {
    const words = ['k8s', 'run', EXAMPLE, '--services', '2', ...SMALL, ...LONG];
    const client = cluster.start(process.execPath, MAIN, ...words);
    await until(() => selvage('k8s', 'status').text.includes('running'));
    client.kill('SIGKILL');
    assert.match(passes('k8s', 'attach'), new RegExp(`complete, digest ${digestHere(LONG)}`));
    const out = join(folder, 'without-client');
    passes('k8s', 'fetch', '--out', out);
    assert.equal(digestIn(out), digestHere(LONG));
  });

  it('fetches results though the collecting pod is killed', async () => {
    const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
    const words = ['--services', '2', ...SMALL, '--keep', '--out', join(folder, 'kept')];
    passes('k8s', 'run', EXAMPLE, ...words);
    const out = join(folder, 'collected-again');
    const fetching = cluster.start(process.execPath, MAIN, 'k8s', 'fetch', '--out', out);
    let text = '';
    fetching.stderr!.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    const collecting = ['-n', 'selvage', 'get', `pod/${RUN}-collect`];
    await until(() => cluster.run('kubectl', ...collecting).code === 0);
    lose('collect');
    const [code] = (await once(fetching, 'close')) as [number | null];
    assert.equal(code, 0, text);
    assert.match(text, /pod \S+-collect .*; tried again/);
    assert.equal(digestIn(out), digest);
  });

  for (const name of ['apiserver', 'kubelet', 'scheduler']) {
    it(`has the same digest where the ${name} is restarted`, () =>
      disturbed(`restarted ${name}`, () => cluster.restart(name)));
  }

  it('loses at most one checkpoint interval for each pod of a drain', async (test) => {
    await disturbed('drained', async () => {
      const list = ['-n', 'selvage', 'get', 'pods', '-o', 'name', '-l', 'selvage=service'];
      for (const pod of cluster
        .kubectl(...list)
        .trim()
        .split('\n')) {
        cluster.kubectl('-n', 'selvage', 'delete', pod);
        await setTimeout(1_000);
      }
    });
    const kept = join(folder, 'drained', 'leaf-spine-all-to-all.cluster');
    const logs = readdirSync(kept).filter((name) => /-coordinator.*\.log$/.test(name));
    const costs = lossesIn(logs.map((name) => readFileSync(join(kept, name), 'utf8')).join(''));
    assert.ok(costs.length > 0);
    for (const { missed } of costs) assert.equal(missed, 0);
    test.diagnostic(`work lost, in ms: ${costs.map(({ ms }) => ms).join(', ')}`);
  });

  it('goes on in another number of pods, with other threads', () =>
    disturbedInPause('scaled', () => {
      const text = passes('k8s', 'scale', '--services', '3', '--threads', '2', ...SMALL);
      assert.match(text, /goes on in 3 services/);
      assert.match(passes('k8s', 'status'), /3 of 3 services/);
    }));

  it('waits for a service that stays pending, and says why', () =>
    disturbedInPause('cordoned', async () => {
      cluster.kubectl('cordon', 'node1');
      const service = ['-l', 'selvage=service,batch.kubernetes.io/job-completion-index=1'];
      cluster.kubectl('-n', 'selvage', 'delete', 'pod', ...service);
      const why = 'service: 0/1 nodes are available';
      await until(() => selvage('k8s', 'status').text.includes(why));
      assert.match(selvage('k8s', 'status').text, /recovering, .*1 of 2 services/);
      cluster.kubectl('uncordon', 'node1');
    }));

  it('shows the live page through the API server', () =>
    disturbedInPause('watched', async () => {
      const page = cluster.start(process.execPath, MAIN, 'k8s', 'ui');
      let printed = '';
      for (const stream of [page.stdout!, page.stderr!]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text;
        });
      }
      const address = (): string => /http:\S+/.exec(printed)?.[0] ?? '';
      await until(() => address() !== '');
      const show = `fetch('${address()}').then((page) => page.text()).then(console.log)`;
      assert.match(cluster.run(process.execPath, '-e', show).text, /<title>[^]*<script/);
      page.kill('SIGINT');
    }));

  it('breaks pods as the scenario says, writes events, and serves metrics', () => {
    const values = join(folder, 'observed.yaml');
    writeFileSync(values, 'events: true\nmetrics: annotations\n');
    const infrastructure = [
      'service, device: h1',
      'coordinator',
      'broker',
      'service, device: h9',
    ].map((victim, index) => `{ kind: kill, of: ${victim}, at: ${5 * (index + 1)}ms }`);
    const more = ['--values', values, '--set', `infrastructure=[${infrastructure.join(', ')}]`];
    const address = ['-o', 'jsonpath={.items[0].status.podIP}', '-l', 'selvage=coordinator'];
    const scraped = (): string => {
      const pod = cluster.kubectl('-n', 'selvage', 'get', 'pods', ...address);
      const get = `fetch('http://${pod}:9464/metrics').then((page) => page.text())`;
      return cluster.run(process.execPath, '-e', `${get}.then(console.log)`).text;
    };
    let events = '';
    return disturbed(
      'broken by its scenario',
      async () => {
        await until(() => scraped().includes('selvage_virtual_time'));
        const list = ['-n', 'selvage', 'get', 'events', '--field-selector=source=selvage'];
        const named = ['-o', 'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}'];
        await until(() => {
          events = cluster.kubectl(...list, ...named);
          return /EpochBegins epoch [45] begins/.test(events);
        });
        assert.match(events, /Recovering service \d was lost/);
        assert.match(
          cluster.kubectl('-n', 'selvage', 'describe', 'job', `${RUN}-coordinator`),
          /EpochBegins/,
        );
      },
      more,
    );
  });

  it('runs a release of the chart', { skip: skipWithoutHelm }, () => {
    const values = join(folder, 'chart.yaml');
    writeFileSync(values, 'service: { cpu: 50m }\n');
    const release = ['release', '--namespace', 'charted', '--create-namespace', '--wait=false'];
    const scenario = [
      '--set-file',
      `scenario=${EXAMPLE}`,
      '--set',
      'services=2,devicesPerService=10',
    ];
    const chart = join(ROOT, 'k8s');
    const { code, text } = cluster.run(
      HELM!,
      'install',
      ...release,
      ...scenario,
      '-f',
      values,
      chart,
    );
    assert.equal(code, 0, text);
    const { digest } = run(fabricOf('examples/leaf-spine-all-to-all.yaml'));
    assert.match(passes('k8s', 'attach', '--namespace', 'charted'), new RegExp(digest));
    cluster.run(HELM!, 'uninstall', 'release', '--namespace', 'charted');
    cluster.kubectl('delete', 'namespace', 'charted');
  });

  it('says what a quota leaves, and that an image is missing', () => {
    cluster.kubectl('create', 'namespace', 'narrow');
    const narrow = ['--namespace', 'narrow'];
    cluster.kubectl('-n', 'narrow', 'create', 'quota', 'small', '--hard=pods=3');
    const full = selvage('k8s', 'run', EXAMPLE, '--services', '4', ...narrow);
    assert.equal(full.code, 2, full.text);
    assert.match(
      full.text,
      /the quota of namespace narrow leaves 3 of 3 pods, and the run needs 6/,
    );
    const missing = ['--image', 'nowhere/selvage:9', '--services', '1', ...SMALL];
    const { code, text } = selvage('k8s', 'run', EXAMPLE, ...missing, ...narrow);
    assert.equal(code, 3, text);
    assert.match(text, /cannot start: (ImagePullBackOff|ErrImagePull)/);
    assert.equal(cluster.kubectl('-n', 'narrow', 'get', 'jobs', '-o', 'name'), '');
  });

  it('has one digest in a pod for each of 36 devices and in four', () => {
    const file = join(folder, 'devices.yaml');
    writeFileSync(
      file,
      JSON.stringify({ selvage: 1, name: 'devices', ...fabricIn(5, 6), ...BURST }),
    );
    const pods = (services: string): string => {
      const out = join(folder, `in-${services}`);
      const words = ['--devices-per-service', services, '--cpu', '20m', '--out', out];
      passes('k8s', 'run', file, ...words, '--start-within', '900');
      return digestIn(out);
    };
    const own = join(folder, 'in-process');
    passes('run', file, '--quiet', '--out', own);
    const digest = readFileSync(join(own, 'digest'), 'utf8').trim();
    assert.deepEqual([pods('1'), pods('9')], [digest, digest]);
  });

  it('starts and ends 64 pods of one device', (test) => {
    const file = join(folder, 'many.yaml');
    writeFileSync(file, JSON.stringify({ selvage: 1, name: 'many', ...fabricIn(7, 8), ...BURST }));
    const out = join(folder, 'many');
    const words = ['--devices-per-service', '1', '--cpu', '10m', '--out', out, '--keep'];
    passes('k8s', 'run', file, ...words, '--start-within', '1800');
    const own = join(folder, 'many-here');
    passes('run', file, '--quiet', '--out', own);
    assert.equal(digestIn(out), readFileSync(join(own, 'digest'), 'utf8').trim());
    const { items } = JSON.parse(
      cluster.kubectl('-n', 'selvage', 'get', 'pods', '-o', 'json', '-l', 'selvage=service'),
    ) as { items: EndedPod[] };
    assert.equal(items.length, 64);
    const ended = items.map(({ status }) => status.containerStatuses[0]!.state.terminated);
    const created = items.map(({ metadata }) => Date.parse(metadata.creationTimestamp));
    const since = (times: readonly string[]): string => {
      const seconds = times.map((time) => (Date.parse(time) - Math.min(...created)) / 1000);
      return `${Math.min(...seconds)} to ${Math.max(...seconds)} s`;
    };
    const [started, finished] = [
      since(ended.map(({ startedAt }) => startedAt)),
      since(ended.map(({ finishedAt }) => finishedAt)),
    ];
    test.diagnostic(`since the first was created: start ${started}, end ${finished}`);
  });

  it('executes sweeps and hunts as pods', () => {
    const values = join(folder, 'values.yaml');
    writeFileSync(values, 'point: { cpu: 50m, memory: 160Mi, memoryLimit: 400Mi }\n');
    const words = ['sweep', EXAMPLE, '--vary', 'seed=1,2,3', '--set', 'duration=50us'];
    const own = passes(...words);
    const pods = passes(...words, '--k8s', '--values', values);
    assert.ok(pods.includes(own), pods);
    const hunt = ['hunt', '--worlds', '4', '--out', join(folder, 'hunted')];
    const hunted = passes(...hunt, '--k8s', '--pods', '2', '--values', values);
    assert.match(hunted, /4 runs, nothing failed\n/);
    assert.equal(passes('k8s', 'list'), 'no runs\n');
  });
});
