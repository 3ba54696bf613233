/** Manifests as they lie in k8s/: what a cluster will see, and what it will not allow. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Manifest } from '../kit/manifests.js';
import { K8S, kustomize, manifestsOf, skipWithoutKubectl } from '../kit/manifests.js';
import { connectionsOf, violationsOf } from '../kit/manifest-rules.js';
import { reachOf } from '../kit/selectors.js';
import { schemaFaults, skipWithoutSchemas } from '../kit/schemas.js';

const OVERLAYS = readdirSync(join(K8S, 'overlays'));

describe('manifests of the base', () => {
  const base = (): Manifest[] => manifestsOf(join(K8S, 'base'));

  it('keep every rule', () => {
    assert.deepEqual(violationsOf(base()), []);
  });

  it('connect only the components that exchange messages', () => {
    assert.deepEqual([...connectionsOf(base())].sort(), [
      'coordinator > nats:4222',
      'service > coordinator:7400',
      'service > nats:4222',
    ]);
  });

  const container = (all: Manifest[], name: string): Record<string, unknown> =>
    all.find(({ metadata, spec }) => metadata.name === `demo-${name}` && spec?.template)!.spec!
      .template!.spec.containers[0]! as unknown as Record<string, unknown>;
  const MISTAKES: readonly (readonly [string, (all: Manifest[]) => void])[] = [
    [
      'service may write its root file system',
      (all) => {
        const context = container(all, 'services')['securityContext'] as Record<string, unknown>;
        context['readOnlyRootFilesystem'] = false;
      },
    ],
    [
      'nats uses nats:latest, which names no version',
      (all) => {
        container(all, 'nats')['image'] = 'nats:latest';
      },
    ],
    [
      'coordinator has no livenessProbe',
      (all) => {
        delete container(all, 'coordinator')['livenessProbe'];
      },
    ],
    [
      'service has a secret in its environment',
      (all) => {
        container(all, 'services')['envFrom'] = [{ secretRef: { name: 'demo-key' } }];
      },
    ],
    [
      'service has a token',
      (all) => {
        const job = all.find(
          ({ metadata, kind }) => kind === 'Job' && metadata.name === 'demo-services',
        );
        job!.spec!.template!.spec.automountServiceAccountToken = true;
      },
    ],
    [
      'service > nats:4222 is not let out',
      (all) => {
        const policy = all.find(
          ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'demo-service',
        );
        (policy!.spec!['egress'] as unknown[]).shift();
      },
    ],
    [
      'service > coordinator:7400 is let in idly',
      (all) => {
        container(all, 'services')['args'] = ['service', '--nats=nats://demo-nats:4222'];
      },
    ],
  ];
  const SELECTORS: readonly (readonly [string, (all: Manifest[]) => void])[] = [
    [
      'NetworkPolicy demo-nothing-else: spec.podSelector selects {}',
      (all) => {
        (named(all, 'NetworkPolicy', 'nothing-else').spec as { podSelector: object }).podSelector =
          {};
      },
    ],
    [
      'Service demo-nats: spec.selector selects {"selvage":"nats"}',
      (all) => {
        named(all, 'Service', 'nats').spec!['selector'] = { selvage: 'nats' };
      },
    ],
    [
      'NetworkPolicy demo-names: spec.podSelector selects ' +
        '{"app.kubernetes.io/name":"web","app.kubernetes.io/instance":"demo"}',
      (all) => {
        const matchLabels = { 'app.kubernetes.io/instance': 'demo' };
        named(all, 'NetworkPolicy', 'names').spec!['podSelector'] = { matchLabels };
      },
    ],
    [
      'StatefulSet demo-nats: spec.selector selects nothing',
      (all) => {
        const matchLabels = { selvage: 'broker', 'app.kubernetes.io/instance': 'demo' };
        named(all, 'StatefulSet', 'nats').spec!['selector'] = { matchLabels };
      },
    ],
  ];
  const named = (all: Manifest[], what: string, name: string): Manifest =>
    all.find(({ kind, metadata }) => kind === what && metadata.name === `demo-${name}`)!;
  for (const [reason, mistake] of [...MISTAKES, ...SELECTORS]) {
    it(`would be refused: ${reason}`, () => {
      const all = base();
      mistake(all);
      assert.ok(violationsOf(all).includes(reason), violationsOf(all).join('\n'));
    });
  }

  it('count the parts that the coordinator waits for', () => {
    const all = base();
    const services = all.find(
      ({ kind, metadata }) => kind === 'Job' && metadata.name === 'demo-services',
    );
    assert.equal(services?.spec?.['completions'], 4);
    assert.equal(services.spec['parallelism'], 4);
    assert.ok((container(all, 'coordinator')['args'] as string[]).includes('--services=4'));
  });
});

describe('manifests of sweeps and hunts', () => {
  it('select no pods of others', () => {
    assert.deepEqual(reachOf(manifestsOf(join(K8S, 'points'))), []);
  });
});

describe('the schemas of Kubernetes', { skip: skipWithoutSchemas }, () => {
  const wrong = (change: (spec: Record<string, unknown>) => void): string[] => {
    const jobs = manifestsOf(join(K8S, 'base')).filter(({ kind }) => kind === 'Job');
    change(jobs[0]!.spec!);
    return schemaFaults(jobs);
  };

  it('refuse a number that is none, in every version', () => {
    const faults = wrong((spec) => (spec['backoffLimit'] = 'six'));
    assert.equal(faults.length, 3);
    for (const fault of faults) assert.match(fault, /spec\.backoffLimit: 'six' is not of type/);
  });

  it('refuse a field that there is not', () => {
    assert.match(wrong((spec) => (spec['backofLimit'] = 6))[0]!, /'backofLimit' was unexpected/);
  });
});

for (const overlay of OVERLAYS) {
  describe(`overlay ${overlay}`, { skip: skipWithoutKubectl }, () => {
    it('keeps every rule after Kustomize has put it together', () => {
      assert.deepEqual(violationsOf(kustomize(join(K8S, 'overlays', overlay))), []);
    });

    it('is taken by the schemas of Kubernetes', { skip: skipWithoutSchemas }, () => {
      assert.deepEqual(schemaFaults(kustomize(join(K8S, 'overlays', overlay))), []);
    });
  });
}

describe('overlay cluster with Kustomize', { skip: skipWithoutKubectl }, () => {
  it('has three brokers on three nodes that speak to each other', () => {
    const all = kustomize(join(K8S, 'overlays', 'cluster'));
    const nats = all.find(({ kind }) => kind === 'StatefulSet')!;
    assert.equal(nats.spec?.['replicas'], 3);
    assert.ok([...connectionsOf(all)].some((one) => one.startsWith('nats > nats:6222')));
    assert.ok(all.some(({ kind }) => kind === 'PodDisruptionBudget'));
    assert.ok(JSON.stringify(nats).includes('requiredDuringSchedulingIgnoredDuringExecution'));
  });
});
