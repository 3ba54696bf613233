/** What the policies of a namespace say of a run, before anything of it is made. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cluster } from '../../../../services/cli/kubernetes/cluster.js';
import { ClusterError, FORBIDDEN } from '../../../../services/cli/kubernetes/cluster.js';
import type { Manifest } from '../../../../services/cli/kubernetes/manifests.js';
import { manifestsIn } from '../../../../services/cli/kubernetes/manifests.js';
import { checkPolicies } from '../../../../services/cli/kubernetes/policies.js';

interface Policies {
  readonly hard?: Readonly<Record<string, string>>;
  readonly used?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly limits?: readonly object[];
}

/** Six pods: a broker, a coordinator, four services. */
const run = (change: (all: Manifest[]) => void = () => undefined): Manifest[] => {
  const all = [...manifestsIn('base', 'run').values()].flat();
  const others = all.filter(({ kind }) => kind !== 'Namespace');
  change(others);
  return others;
};
const refusals = async (policies: Policies, manifests = run()): Promise<string[]> => {
  const { hard, used = {}, spec, limits } = policies;
  const quota = { metadata: { name: 'small' }, spec, status: { hard, used } };
  const range = { metadata: { name: 'narrow' }, spec: { limits } };
  const cluster = {
    namespace: 'lab',
    quotas: () => Promise.resolve(hard === undefined ? [] : [quota]),
    limitRanges: () => Promise.resolve(limits === undefined ? [] : [range]),
  };
  try {
    await checkPolicies(cluster as unknown as Cluster, manifests);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

describe('quotas of a namespace', () => {
  it('are compared with all that a run counts for, each of them', async () => {
    const hard = {
      pods: '3',
      'requests.cpu': '500m',
      'requests.storage': '2Gi',
      persistentvolumeclaims: '1',
      services: '2',
      'count/jobs.batch': '1',
      'count/networkpolicies.networking.k8s.io': '2',
      secrets: '9',
    };
    const found = await refusals({ hard, used: { pods: '1' } });
    assert.deepEqual(
      found.map((line) =>
        /leaves (\S+) of (\S+) (\S+), and the run needs (\S+):/.exec(line)!.slice(1),
      ),
      [
        ['2', '3', 'pods', '6'],
        ['0.5', '500m', 'requests.cpu', '0.9'],
        ['2147483648', '2Gi', 'requests.storage', '3221225472'],
        ['1', '1', 'persistentvolumeclaims', '2'],
        ['1', '1', 'count/jobs.batch', '2'],
        ['2', '2', 'count/networkpolicies.networking.k8s.io', '5'],
      ],
    );
  });

  it('of a class of storage or of a priority count what is in it', async () => {
    const gold = 'gold.storageclass.storage.k8s.io/requests.storage';
    assert.deepEqual(await refusals({ hard: { [gold]: '1Gi' } }), []);
    const inGold = run((all) => {
      for (const { kind, spec } of all) {
        if (kind === 'PersistentVolumeClaim') Object.assign(spec!, { storageClassName: 'gold' });
      }
    });
    assert.deepEqual(await refusals({ hard: { [gold]: '1Gi' } }, inGold), []);
    assert.equal((await refusals({ hard: { [gold]: '1Mi' } }, inGold)).length, 1);
    const selected = { scopeName: 'PriorityClass', operator: 'In', values: ['low'] };
    const spec = { scopeSelector: { matchExpressions: [selected] } };
    assert.deepEqual(await refusals({ hard: { pods: '0' }, spec }), []);
    const low = run((all) => {
      for (const { spec: own } of all) {
        if (own?.template !== undefined) own.template.spec.priorityClassName = 'low';
      }
    });
    assert.equal((await refusals({ hard: { pods: '0' }, spec }, low)).length, 1);
    assert.deepEqual(await refusals({ hard: { pods: '0' }, spec: { scopes: ['BestEffort'] } }), []);
  });

  it('of CPU limits want limits that pods have not, unless a range has a default', async () => {
    const hard = { 'limits.cpu': '10' };
    assert.deepEqual(await refusals({ hard }), [
      'quota small of namespace lab counts limits.cpu, and pods of coordinator, nats, service have ' +
        'none: set cpuLimit of these in --values',
    ]);
    const limits = [{ type: 'Container', default: { cpu: '1' }, _default: { cpu: '1' } }];
    assert.deepEqual(await refusals({ hard, limits }), []);
  });

  it('that the user may not read refuse nothing here', async () => {
    const forbidden = (): Promise<never> => Promise.reject(new ClusterError('no', FORBIDDEN));
    const cluster = { namespace: 'lab', quotas: forbidden, limitRanges: forbidden };
    await checkPolicies(cluster as unknown as Cluster, run());
  });
});

describe('ranges of limits', () => {
  it('refuse containers, pods and claims beyond them', async () => {
    const limits = [
      { type: 'Container', max: { memory: '500Mi' }, min: { cpu: '150m' } },
      { type: 'Container', maxLimitRequestRatio: { memory: '3' } },
      { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
    ];
    const found = await refusals({ limits });
    for (const said of [
      /^LimitRange narrow: run-nats: memory of 1073741824, and a Container has at most 500Mi/,
      /^LimitRange narrow: run-coordinator: memory of 1073741824, .* at most 500Mi/,
      /^LimitRange narrow: run-services: cpu of 0\.1, and a Container has at least 150m/,
      /^LimitRange narrow: run-services: its limit of memory is 3\.25 times its request/,
      /^LimitRange narrow: run-nats: storage of 2147483648, and a PersistentVolumeClaim has at most/,
    ]) {
      assert.ok(
        found.some((line) => said.test(line)),
        `${String(said)}\n${found.join('\n')}`,
      );
    }
    assert.deepEqual(await refusals({ limits: [{ type: 'Pod', max: { memory: '2Gi' } }] }), []);
    const [line] = await refusals({ limits: [{ type: 'Container', max: { cpu: '2' } }] });
    assert.match(
      line!,
      /has no limit of cpu, and a Container has at most 2: change it in --values/,
    );
  });
});
