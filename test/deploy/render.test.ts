import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { quantityToScalar } from '@kubernetes/client-node/dist/util.js';
import { coordinatorFootprint, serviceFootprint } from '../../services/cli/kubernetes/footprint.js';
import { ROOT } from '../kit/emulate.js';
import type { Manifest } from '../kit/manifests.js';
import { kustomize, manifestsOf, skipWithoutKubectl } from '../kit/manifests.js';
import { NAMES_A_CLUSTER, refusalsOf } from '../kit/real-cluster.js';
import { violationsOf } from '../kit/manifest-rules.js';
import { reachOf } from '../kit/selectors.js';
import { schemaFaults, skipWithoutSchemas } from '../kit/schemas.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');

/** A leaf-spine of one spine, and how many devices it has. */
const FABRICS = [
  { devices: 4, leaves: 1, hostsPerLeaf: 2 },
  { devices: 64, leaves: 7, hostsPerLeaf: 8 },
  { devices: 1024, leaves: 31, hostsPerLeaf: 32 },
];

describe('selvage k8s render', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-render-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const render = (scenario: string, ...words: string[]): { code: number | null; err: string } => {
    const all = [MAIN, 'k8s', 'render', scenario, ...words];
    const { status, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' });
    return { code: status, err: stderr };
  };
  const job = (all: readonly Manifest[], name: string): Manifest =>
    all.find(({ kind, metadata }) => kind === 'Job' && metadata.name.endsWith(`-${name}`))!;

  for (const { devices, leaves, hostsPerLeaf } of FABRICS) {
    const file = join(folder, `fabric${devices}.yaml`);
    writeFileSync(
      file,
      JSON.stringify({
        selvage: 1,
        fabric: {
          generator: 'leaf-spine',
          leaves,
          hostsPerLeaf,
          oversubscription: hostsPerLeaf,
          hostLink: { rate: '100G', length: '5m' },
          fabricLink: { rate: '100G', length: '50m' },
        },
        load: [{ name: 'one', stream: { from: 'h1', to: 'h2' }, bytes: '1KB' }],
      }),
    );

    it(`gives each of ${devices} devices a pod, by the rules`, () => {
      const out = join(folder, `alone${devices}`);
      const alone = ['--devices-per-service', '1'];
      assert.deepEqual(render(file, '--out', out, ...alone), { code: 0, err: '' });
      const all = manifestsOf(out);
      assert.deepEqual(violationsOf(all), []);
      assert.equal(job(all, 'services').spec?.['completions'], devices);
      assert.equal(job(all, 'services').spec?.['parallelism'], devices);
    });

    it(`puts ${devices} devices into two pods, every one in one of them`, () => {
      const out = join(folder, `two${devices}`);
      assert.deepEqual(render(file, '--out', out, '--services', '2'), { code: 0, err: '' });
      const all = manifestsOf(out);
      assert.deepEqual(violationsOf(all), []);
      assert.equal(job(all, 'services').spec?.['completions'], 2);
      const { args } = job(all, 'coordinator').spec!.template!.spec.containers[0]!;
      assert.ok(args.includes('--services=2') && args.includes('/scenario/scenario.yaml'));
      const map = all.find(({ kind }) => kind === 'ConfigMap');
      const placed = (parse(map!.data!['placement.yaml']!) as string[]).flatMap((names) =>
        names.split(' '),
      );
      assert.equal(placed.length, devices);
      assert.equal(new Set(placed).size, devices);
    });

    it(`is taken by the schemas of Kubernetes for ${devices} devices`, (test) => {
      if (skipWithoutSchemas !== false) {
        test.skip(skipWithoutSchemas);
        return;
      }
      assert.deepEqual(schemaFaults(manifestsOf(join(folder, `alone${devices}`))), []);
    });

    if (NAMES_A_CLUSTER) {
      it(`is taken by the API server of KUBECONFIG for ${devices} devices`, async () => {
        const name = `selvage-test-${devices}-${process.pid}`;
        assert.deepEqual(await refusalsOf(manifestsOf(join(folder, `alone${devices}`)), name), []);
      });
    }

    it(`is taken by Kustomize, with a cluster of brokers, for ${devices} devices`, (test) => {
      if (skipWithoutKubectl !== false) {
        test.skip(skipWithoutKubectl);
        return;
      }
      const out = join(folder, `cluster${devices}`);
      const words = ['--out', out, '--cluster', '--devices-per-service', '16'];
      assert.deepEqual(render(file, ...words), { code: 0, err: '' });
      const all = kustomize(out);
      assert.deepEqual(violationsOf(all), []);
      assert.equal(job(all, 'services').spec?.['completions'], Math.ceil(devices / 16));
    });
  }

  if (NAMES_A_CLUSTER) {
    it('would not be taken by the API server of KUBECONFIG if it may be root', async () => {
      const all = manifestsOf(join(folder, 'alone4'));
      job(all, 'services').spec!.template!.spec.securityContext = {};
      const refusals = await refusalsOf(all, `selvage-test-root-${process.pid}`);
      assert.equal(refusals.length, 1);
      assert.match(refusals[0]!, /violates PodSecurity "restricted/);
    });
  }

  it('requests less than it limits, for any number of devices in any number of pods', () => {
    const amount = (text: string | undefined): number => Number(quantityToScalar(text!));
    for (const devices of [1, 4, 26, 64, 1024, 10_000]) {
      for (const { memory, memoryLimit } of [
        serviceFootprint(devices),
        coordinatorFootprint(devices),
      ]) {
        assert.ok(amount(memory) < amount(memoryLimit), `${devices}: ${memory} of ${memoryLimit}`);
      }
    }
    const file = join(folder, 'fabric64.yaml');
    for (const services of ['1', '2', '5', '64']) {
      const out = join(folder, `split${services}`);
      assert.deepEqual(render(file, '--out', out, '--services', services), { code: 0, err: '' });
      for (const name of ['services', 'coordinator']) {
        const { resources } = job(manifestsOf(out), name).spec!.template!.spec.containers[0]!;
        const { requests, limits } = resources;
        assert.ok(amount(requests!['memory']) < amount(limits!['memory']), `${services} ${name}`);
        if (services !== '64') assert.equal(requests!['cpu'], name === 'services' ? '1' : '500m');
      }
    }
  });

  it('gives a large fabric a pod for each node with its cores, or for 64 devices', () => {
    const file = join(folder, 'fabric1024.yaml');
    const values = join(folder, 'nodes.yaml');
    writeFileSync(values, 'nodes: { count: 3, cores: 8 }\n');
    const placed = (name: string, ...words: string[]): (string | number)[] => {
      const out = join(folder, name);
      assert.deepEqual(render(file, '--out', out, ...words), { code: 0, err: '' });
      const all = manifestsOf(out);
      const { args } = job(all, 'coordinator').spec!.template!.spec.containers[0]!;
      const { spec } = job(all, 'services');
      const own = args.filter((word) => /^--(services|threads|devices-per-service)=/.test(word));
      return [spec!['completions'] as number, ...own];
    };
    assert.deepEqual(placed('unknown'), [16, '--devices-per-service=64']);
    const known = ['--values', values];
    assert.deepEqual(placed('known', ...known), [3, '--services=3', '--threads=8']);
    const words = [...known, '--threads', '2'];
    assert.deepEqual(placed('threaded', ...words), [3, '--services=3', '--threads=2']);
    assert.deepEqual(placed('asked', ...known, '--services', '5'), [5, '--services=5']);
  });

  it('keeps services apart as values want it', () => {
    const values = join(folder, 'apart.yaml');
    writeFileSync(
      values,
      'spread: zones\nantiAffinity: true\naffinity: { nodeAffinity: { own: 1 } }\n',
    );
    const out = join(folder, 'apart');
    const example = join(ROOT, 'examples/incast-pfc.yaml');
    assert.deepEqual(render(example, '--out', out, '--values', values), { code: 0, err: '' });
    const all = manifestsOf(out);
    const { affinity, topologySpreadConstraints: spread } = job(all, 'services').spec!.template!
      .spec as unknown as Record<string, Record<string, unknown>>;
    assert.deepEqual(affinity!['nodeAffinity'], { own: 1 });
    assert.match(
      JSON.stringify([affinity, spread]),
      /"podAntiAffinity":.*hostname.*"topologyKey":"topology.kubernetes.io\/zone"/,
    );
    const { spec } = job(all, 'coordinator').spec!.template as unknown as { spec: object };
    assert.deepEqual((spec as typeof spec & { affinity: object }).affinity, {
      nodeAffinity: { own: 1 },
    });
  });

  it('gives pods no user and no profile where the cluster does, and the one right to end', () => {
    const values = join(folder, 'assigned.yaml');
    const resources = "service: { cpuLimit: '2' }\nbroker: { cpuLimit: 500m }\n";
    writeFileSync(values, `user: none\ngroup: none\nseccomp: none\nfinish: true\n${resources}`);
    const out = join(folder, 'assigned');
    const example = join(ROOT, 'examples/incast-pfc.yaml');
    assert.deepEqual(render(example, '--out', out, '--values', values), { code: 0, err: '' });
    const all = manifestsOf(out);
    for (const { spec } of all) {
      if (spec?.template === undefined) continue;
      assert.deepEqual(spec.template.spec.securityContext, { runAsNonRoot: true });
      const { name, resources: own } = spec.template.spec.containers[0]!;
      const limits: Record<string, string> = { service: '2', nats: '500m' };
      assert.equal(own.limits?.['cpu'], limits[name]);
    }
    const role = all.find(({ kind }) => kind === 'Role') as unknown as { rules: object[] };
    assert.deepEqual(role.rules, [
      {
        apiGroups: ['apps'],
        resources: ['statefulsets/scale'],
        resourceNames: ['incast-pfc-nats'],
        verbs: ['patch'],
      },
    ]);
  });

  it('puts values into every pod, and says which key of them is wrong', () => {
    const values = join(folder, 'values.yaml');
    writeFileSync(
      values,
      'nodeSelector: { pool: emulation }\nstorageClass: fast\nimagePullSecrets: [registry]\n' +
        'labels: { team: fabric }\nspread: nodes\ndeadline: 600\nqueue: lab\n' +
        'service: { cpu: 2, memory: 1Gi, memoryLimit: 2Gi }\n',
    );
    const out = join(folder, 'valued');
    const example = join(ROOT, 'examples/incast-pfc.yaml');
    const wrongCpu = `${values}: service.cpu: Invalid input: expected string, received number`;
    const { code, err } = render(example, '--out', out, '--values', values);
    assert.deepEqual([code, err.startsWith(wrongCpu)], [2, true], err);
    writeFileSync(values, readFileSync(values, 'utf8').replace('cpu: 2', "cpu: '2'"));
    assert.deepEqual(render(example, '--out', out, '--values', values), { code: 0, err: '' });
    const all = manifestsOf(out);
    assert.deepEqual(violationsOf(all), []);
    for (const { spec, metadata } of all) {
      assert.equal(metadata.labels?.['team'], 'fabric', metadata.name);
      assert.ok(metadata.labels['app.kubernetes.io/instance'] !== undefined, metadata.name);
      if (spec?.template === undefined) continue;
      const pod = spec.template.spec as unknown as Record<string, unknown>;
      assert.deepEqual(pod['nodeSelector'], { pool: 'emulation' });
      assert.deepEqual(pod['imagePullSecrets'], [{ name: 'registry' }]);
      assert.equal(spec.template.metadata.labels['team'], 'fabric');
    }
    const services = job(all, 'services');
    assert.equal(services.spec?.['activeDeadlineSeconds'], 600);
    assert.equal(services.metadata.labels?.['kueue.x-k8s.io/queue-name'], 'lab');
    assert.match(JSON.stringify(services.spec), /"topologySpreadConstraints"/);
    assert.deepEqual(services.spec.template!.spec.containers[0]!.resources, {
      requests: { cpu: '2', memory: '1Gi' },
      limits: { memory: '2Gi' },
    });
    assert.match(JSON.stringify(all), /"storageClassName":"fast"/);
  });

  const argsOf = (all: readonly Manifest[]): string[][] =>
    all.flatMap(({ spec }) => (spec?.template ? [spec.template.spec.containers[0]!.args] : []));
  const secretOf = (all: readonly Manifest[], name: string): Record<string, string> =>
    all.find(({ kind, metadata }) => kind === 'Secret' && metadata.name.endsWith(`-${name}`))!
      .stringData!;

  it('encrypts every connection, with certificates of this run alone', () => {
    const [own, other] = ['one', 'two'].map((name) => {
      const out = join(folder, `tls-${name}`);
      render(join(ROOT, 'examples/incast-pfc.yaml'), '--out', out);
      return manifestsOf(out);
    });
    assert.ok(!argsOf(own!).flat().includes('--insecure'));
    for (const args of argsOf(own!)) {
      const isBroker = args.includes('--config=/tls/nats.conf');
      const isClient = args.includes('--nats-ca=/tls/ca.crt');
      assert.ok(isBroker !== isClient && isClient === args.includes('--control-ca=/tls/ca.crt'));
    }
    const files = secretOf(own!, 'tls');
    const [authority, leaf] = ['ca.crt', 'tls.crt'].map(
      (name) => new X509Certificate(files[name]!),
    );
    assert.ok(leaf!.verify(authority!.publicKey));
    for (const role of ['nats', 'coordinator']) {
      const name = `incast-pfc-${role}`;
      assert.equal(leaf!.checkHost(name), name);
    }
    const stranger = new X509Certificate(secretOf(other!, 'tls')['tls.crt']!);
    assert.ok(!stranger.verify(authority!.publicKey));
    assert.match(files['nats.conf']!, /verify: true/);
  });

  it('encrypts the routes between brokers, too', (test) => {
    if (skipWithoutKubectl !== false) {
      test.skip(skipWithoutKubectl);
      return;
    }
    const out = join(folder, 'tls-cluster');
    render(join(ROOT, 'examples/incast-pfc.yaml'), '--out', out, '--cluster');
    const all = kustomize(out);
    const broker = argsOf(all).find((args) => args.includes('--jetstream'))!;
    assert.ok(
      broker.includes('--config=/tls/nats.conf') && broker.includes('--cluster_name=selvage'),
    );
    assert.match(secretOf(all, 'tls')['nats.conf']!, /cluster \{\ntls \{[^}]*verify: true\n\}/);
  });

  it('requests a core and memory for each thread of a service', () => {
    const out = join(folder, 'threads');
    const file = join(folder, 'fabric64.yaml');
    const words = ['--services', '2', '--threads', '4', '--out', out];
    assert.deepEqual(render(file, ...words), { code: 0, err: '' });
    const all = manifestsOf(out);
    const { args } = job(all, 'coordinator').spec!.template!.spec.containers[0]!;
    assert.ok(args.includes('--threads=4') && args.includes('--services=2'));
    const { resources } = job(all, 'services').spec!.template!.spec.containers[0]!;
    const { memory } = serviceFootprint(32, 4);
    assert.equal(resources.requests!['cpu'], '4');
    assert.ok(quantityToScalar(resources.requests!['memory']!) >= quantityToScalar(memory));
    assert.ok(quantityToScalar(memory) > quantityToScalar(serviceFootprint(32).memory));
  });

  const replaying = (name: string, flows: number): string => {
    const file = join(folder, `${name}.yaml`);
    const line = (i: number): string => `${i}ns,h1,h2,${1000 + ((i * 7919) % 9973)}\n`;
    const lines = Array.from({ length: flows }, (_, i) => line(i));
    writeFileSync(
      join(folder, `${name} of h1.csv`),
      `time,source,destination,bytes\n${lines.join('')}`,
    );
    const load = [{ name: 'again', replay: `${name} of h1.csv` }];
    const fabric = { generator: 'pair', hostLink: { rate: '100G', length: '5m' } };
    writeFileSync(file, JSON.stringify({ selvage: 1, fabric, load }));
    return file;
  };

  it('puts files that a scenario names beside it', () => {
    const file = replaying('few', 3);
    const out = join(folder, 'few');
    assert.deepEqual(render(file, '--out', out), { code: 0, err: '' });
    const { data } = manifestsOf(out).find(({ kind }) => kind === 'ConfigMap')!;
    const name = '0-few_of_h1.csv';
    assert.match(data!['scenario.yaml']!, new RegExp(`replay: ${name}`));
    assert.match(data![name]!, /^time,source,destination,bytes\n0ns,h1,h2,1000\n/);
  });

  it('cuts what no ConfigMap holds into pieces, which a pod puts together', () => {
    const file = replaying('many', 280_000);
    const out = join(folder, 'many');
    assert.deepEqual(render(file, '--out', out), { code: 0, err: '' });
    const all = manifestsOf(out);
    assert.deepEqual(violationsOf(all), []);
    const pod = job(all, 'coordinator').spec!.template!.spec;
    assert.deepEqual(
      pod.initContainers!.map(({ args }) => args),
      [['unpack', '/pieces', '/scenario']],
    );
    const maps = all.filter(({ kind }) => kind === 'ConfigMap');
    assert.ok(maps.length > 1, `${maps.length}`);
    const pieces = join(folder, 'pieces');
    const into = join(folder, 'unpacked');
    mkdirSync(pieces);
    mkdirSync(into);
    for (const { binaryData } of maps) {
      for (const [name, text] of Object.entries(binaryData!)) {
        writeFileSync(join(pieces, name), Buffer.from(text, 'base64'));
      }
    }
    assert.equal(spawnSync(process.execPath, [MAIN, 'unpack', pieces, into]).status, 0);
    const text = readFileSync(join(into, '0-many_of_h1.csv'), 'utf8');
    assert.equal(text, readFileSync(join(folder, 'many of h1.csv'), 'utf8'));
    const { load } = parse(readFileSync(join(into, 'scenario.yaml'), 'utf8')) as {
      load: { replay: string }[];
    };
    assert.equal(load[0]!.replay, '0-many_of_h1.csv');
  });

  it('names every object but the namespace by the run, whatever the scenario is called', () => {
    const names = ['', '--run=other'].map((word, i) => {
      const out = join(folder, `named-${i}`);
      const set = [
        '--set',
        'name=2nd of March',
        '--set',
        'infrastructure=[{ kind: kill, of: broker, after: 1s }]',
      ];
      const values = join(folder, 'all.yaml');
      writeFileSync(values, 'events: true\nmetrics: podMonitor\notlp: grpc://collector:4317\n');
      const words = ['--values', values, ...set, ...(word === '' ? [] : [word])];
      const example = join(ROOT, 'examples/incast-pfc.yaml');
      assert.deepEqual(render(example, '--out', out, ...words), { code: 0, err: '' });
      const all = manifestsOf(out);
      assert.deepEqual(reachOf(all), []);
      return all.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [] : [metadata.name]));
    });
    for (const name of names[0]!) assert.match(name, /^run-2nd-of-march-/);
    for (const name of names[1]!) assert.match(name, /^other-/);
  });

  it('draws another key every time', () => {
    const keys = ['a', 'b'].map((name) => {
      const out = join(folder, `key-${name}`);
      render(join(ROOT, 'examples/incast-pfc.yaml'), '--out', out);
      return JSON.stringify(manifestsOf(out).find(({ kind }) => kind === 'Secret'));
    });
    assert.match(keys[0]!, /"SELVAGE_KEY":"[0-9a-f]{32}"/);
    assert.notEqual(keys[0], keys[1]);
  });

  const example = join(ROOT, 'examples/incast-pfc.yaml');
  const wrong: readonly (readonly [string[], string])[] = [
    [['--out', folder], `--out ${folder}: exists already`],
    [['--image', 'selvage'], '--image selvage: name a version, such as selvage:0.1.0'],
    [
      ['--image', 'me/selvage:latest'],
      '--image me/selvage:latest: name a version, such as selvage:0.1.0',
    ],
    ...['My Run', '2nd', 'last-', 'x'.repeat(41)].map((run): [string[], string] => [
      ['--run', run],
      `--run ${run}: a letter, then up to 39 of a-z, 0-9 and - name a run, the last no -`,
    ]),
    [['--services', '0'], '--services 0: not a number of 1 or more'],
  ];
  for (const [words, said] of wrong) {
    it(`says what is wrong with ${words.join(' ')}`, () => {
      const out = words.includes('--out') ? [] : ['--out', join(folder, 'never')];
      assert.deepEqual(render(example, ...words, ...out), { code: 2, err: `${said}\n` });
    });
  }
});
