/** The Helm chart beside `selvage k8s render`: they make the same run. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { goProgram, whyNo } from '../kit/go-programs.js';
import type { Manifest } from '../kit/manifests.js';
import { kustomize, manifestsOf, parseManifests, skipWithoutKubectl } from '../kit/manifests.js';
import { violationsOf } from '../kit/manifest-rules.js';
import { MAIN } from '../kit/pods.js';

const CHART = join(ROOT, 'k8s');
const HELM = goProgram('helm');
const skip = whyNo('helm', HELM);
const VALUES = `
image: registry.example/selvage:7
serviceImage: registry.example/selvage:7-slim
brokerImage: registry.example/nats:2
imagePullPolicy: Always
imagePullSecrets: [registry]
labels: { team: fabric }
annotations: { owner: me }
nodeSelector: { pool: emulation }
tolerations: [{ key: emulation, operator: Exists }]
affinity: { nodeAffinity: { own: 1 } }
priorityClass: low
user: 2000
group: none
seccomp: Localhost/profiles/selvage.json
spread: zones
antiAffinity: true
storageClass: fast
runsStorage: 3Gi
brokerStorage: 4Gi
service: { cpu: '3', cpuLimit: '4', memory: 2Gi, memoryLimit: 3Gi }
coordinator: { memory: 1Gi, memoryLimit: 2Gi }
broker: { cpu: 400m, cpuLimit: '1', memory: 1Gi, memoryLimit: 2Gi }
queue: lab
deadline: 3600000
startWithin: 60
hold: 10
retain: 100
logs: json
events: true
finish: true
metrics: annotations
otlp: grpc://collector.observability:4317
`;

/** A run, by the options of `k8s render` and by values of the chart. */
interface Made {
  readonly render: readonly string[];
  readonly set: readonly string[];
  /** A file of values for both. */
  readonly values?: string;
  readonly example?: string;
}

describe('the Helm chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-chart-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const helm = (...words: string[]): { code: number | null; out: string; err: string } => {
    const all = [
      'template',
      'tuesday',
      CHART,
      '--namespace',
      'selvage',
      '--kube-version',
      '1.33.0',
    ];
    const run = spawnSync(HELM!, [...all, ...words], { encoding: 'utf8', maxBuffer: 1 << 26 });
    return { code: run.status, out: run.stdout, err: run.stderr };
  };

  /** Objects by kind and name, without what differs from run to run. */
  const comparable = (manifests: readonly Manifest[]): Record<string, unknown> => {
    const all: Record<string, unknown> = {};
    for (const object of manifests) {
      const { kind, metadata, data, stringData, ...rest } = object;
      const names = Object.keys(data ?? stringData ?? {}).sort();
      const secret = { type: 'Opaque', ...rest, metadata, names };
      if (kind === 'Namespace') continue;
      all[`${kind} ${metadata.name}`] = kind === 'Secret' ? secret : object;
    }
    return all;
  };

  const same = (name: string, { render, set, values = '', example = 'incast-pfc' }: Made): void => {
    const out = join(folder, name);
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, values);
    const scenario = join(ROOT, 'examples', `${example}.yaml`);
    const words = ['--run', 'tuesday', '--values', file, '--out', out, ...render];
    const rendered = spawnSync(process.execPath, [MAIN, 'k8s', 'render', scenario, ...words]);
    assert.equal(rendered.status, 0, rendered.stderr.toString());
    const ours = render.includes('--cluster') ? kustomize(out) : manifestsOf(out);
    const { data } = ours.find(({ kind }) => kind === 'ConfigMap')!;
    const texts = Object.entries(data!).map(([key, text]): string => {
      const path = join(folder, `${name}-${key}`);
      writeFileSync(path, text);
      return key === 'scenario.yaml'
        ? `scenario=${path}`
        : `files.${key.replaceAll('.', '\\.')}=${path}`;
    });
    const files = texts.flatMap((text) => ['--set-file', text]);
    const more = ['devices=10', ...set].flatMap((text) => ['--set', text]);
    const { code, out: text, err } = helm('--values', file, ...files, ...more);
    assert.equal(code, 0, err);
    const theirs = parseManifests(text);
    const violations = violationsOf([...theirs, namespaceOf(ours)]).sort();
    assert.deepEqual(violations, violationsOf(ours).sort());
    assert.deepEqual(comparable(theirs), comparable(ours));
  };
  const namespaceOf = (all: readonly Manifest[]): Manifest =>
    all.find(({ kind }) => kind === 'Namespace')!;

  it('makes the run that `k8s render` makes', { skip }, () => {
    same('plain', { render: ['--services', '2'], set: ['services=2', 'devicesPerService=9'] });
    const alone = ['services=2', 'devicesPerService=1', 'devices=2'];
    same('alone', { render: ['--services', '2'], set: alone, example: 'pair-line-rate' });
  });

  it('puts the same values into it, and threads', { skip }, () => {
    same('valued', {
      render: ['--services', '2', '--threads', '4'],
      set: ['services=2', 'devicesPerService=9', 'threads=4'],
      values: VALUES,
    });
    same('threaded', {
      render: ['--services', '2', '--threads', '4'],
      set: ['services=2', 'devicesPerService=9', 'threads=4'],
    });
  });

  it('gives the coordinator the same rights and ways out', { skip }, () => {
    const words = ['--services', '2'];
    const set = ['services=2', 'devicesPerService=9'];
    const values = 'metrics: podMonitor\notlp: http://collector:80/v1\n';
    same('observed', { render: words, set, values });
    const stored =
      'results: s3://runs/nightly/\ns3: { endpoint: "http://minio.storage:9000", region: eu, ' +
      'style: path, secret: minio, insecure: true }\n';
    same('stored', { render: words, set, values: stored });
    same('at-aws', { render: words, set, values: 'results: s3://runs\ns3: { secret: aws }\n' });
    const breaking = [...words, '--set', 'infrastructure=[{ kind: kill, of: broker, after: 1s }]'];
    same('broken', { render: breaking, set: [...set, 'infrastructure=true'] });
  });

  it('makes the same three brokers', { skip: skip === false ? skipWithoutKubectl : skip }, () => {
    const set = ['services=2', 'devicesPerService=9', 'cluster=true'];
    same('cluster', { render: ['--services', '2', '--cluster'], set });
    same('labelled', { render: ['--services', '2', '--cluster'], set, values: 'labels: { a: b }' });
  });

  it('refuses values that are none, and a run without a scenario', { skip }, () => {
    const wrong = helm('--set', 'scenario=x,spread=racks');
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /spread/);
    assert.match(helm('--set', 'scenario=x,colour=red').err, /colour/);
    assert.match(helm().err, /--set-file scenario=FILE names the scenario/);
  });
});
