/** Why pods end, as a run, its status and its last message have it. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from '../../../../services/cli/kubernetes/cluster.js';
import { LostNodes, lostNodesText } from '../../../../services/cli/kubernetes/lost-nodes.js';
import { whyEnded } from '../../../../services/cli/kubernetes/pod-reasons.js';
import { leaveMemory } from '../../../../services/cli/termination-message.js';

const INDEX = 'batch.kubernetes.io/job-completion-index';

function of(partial: object): never {
  return partial as never;
}

interface Given {
  readonly name: string;
  readonly role?: string;
  readonly status: object;
  readonly at?: string;
  readonly deleted?: string;
}

const pod = ({ name, role = 'service', status, at = '2026-01-01', deleted }: Given): V1Pod =>
  of({
    metadata: {
      ...{ name, namespace: 'lab', uid: `uid-${name}`, creationTimestamp: at },
      ...{ labels: { selvage: role, 'app.kubernetes.io/instance': 'run' } },
      ...(role === 'service' && { annotations: { [INDEX]: '1' } }),
      ...(deleted !== undefined && { deletionTimestamp: deleted }),
    },
    spec: {
      nodeName: 'node3',
      containers: [{ name: role, resources: { limits: { memory: '416Mi' } } }],
    },
    status,
  });
const ended = (terminated: object, phase = 'Failed'): object => ({
  phase,
  containerStatuses: [{ ready: false, state: { terminated } }],
});
const lines = (pods: V1Pod[], events: CoreV1Event[] = []): string[] => whyEnded({ pods, events });
const running = (ready: 'True' | 'False', more: object = {}): object => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: ready }],
  containerStatuses: [{ ready: true, state: { running: {} } }],
  ...more,
});

describe('why a pod ended', () => {
  it('is its memory, with the limit, what was measured, and the value to raise', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-memory-'));
    const file = join(folder, 'message');
    leaveMemory({ SELVAGE_TERMINATION_LOG: file });
    const message = readFileSync(file, 'utf8');
    rmSync(folder, { recursive: true });
    const killed = { exitCode: 137, reason: 'OOMKilled' };
    const pods = [
      pod({ name: 'b', status: ended({ ...killed, message }), at: '2026-01-03' }),
      pod({ name: 'a', status: ended(killed) }),
    ];
    const [line, ...more] = lines(pods);
    assert.deepEqual(more, []);
    assert.match(
      line!,
      /^service-1: OOMKilled 2 times: its memory limit is 416Mi, and at most \d+ MiB were measured before; raise service\.memoryLimit of --values \(pod b on node node3\)$/,
    );
    const broker: object = {
      phase: 'Running',
      containerStatuses: [{ lastState: { terminated: killed } }],
    };
    assert.match(
      lines([pod({ name: 'run-nats-0', role: 'nats', status: broker })])[0]!,
      /^nats-0: OOMKilled: its memory limit is 416Mi; raise broker\.memoryLimit/,
    );
  });

  const REASONS: readonly (readonly [string, object, string])[] = [
    [
      'an eviction by its node',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      'service-1: Evicted: The node was low on resource: memory. (pod a on node node3)',
    ],
    [
      'a drain',
      running('True', {
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
      }),
      'service-1: evicted (pod a on node node3)',
    ],
    [
      'a node that is not ready',
      running('False'),
      'service-1: its node is not ready (pod a on node node3)',
    ],
    [
      'a code of no run',
      ended({ exitCode: 134, reason: 'Error' }),
      'service-1: ended with code 134 (pod a on node node3)',
    ],
    [
      'its deadline',
      { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active too long' },
      'service-1: DeadlineExceeded: Pod was active too long (pod a on node node3)',
    ],
  ];
  for (const [what, status, said] of REASONS) {
    it(`is ${what}`, () => {
      assert.deepEqual(lines([pod({ name: 'a', status })]), [said]);
    });
  }

  it('is a probe that failed, of which events alone speak', () => {
    const event = (reason: string, message: string): CoreV1Event =>
      of({ involvedObject: { kind: 'Pod', name: 'a' }, reason, message, metadata: {} });
    const events = [
      event('Unhealthy', 'Readiness probe failed: no'),
      event('Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 503'),
      event('Killing', 'Container service failed liveness probe, will be restarted'),
    ];
    const pods = [pod({ name: 'a', status: ended({ exitCode: 137, reason: 'Error' }) })];
    const failed = 'service-1: failed its probe: Liveness probe failed: HTTP probe failed with';
    assert.ok(lines(pods, events)[0]!.startsWith(failed), lines(pods, events)[0]);
    assert.doesNotMatch(lines(pods)[0]!, /probe/);
  });

  it('is nothing where it runs, or ended as it should', () => {
    const pods = [
      pod({ name: 'a', status: running('True') }),
      pod({ name: 'b', status: ended({ exitCode: 143 }) }),
      pod({ name: 'c', status: ended({ exitCode: 0 }, 'Succeeded') }),
      pod({ name: 'd', role: 'coordinator', status: ended({ exitCode: 1 }) }),
    ];
    assert.deepEqual(lines(pods), []);
  });
});

describe('pods of a node that is lost', () => {
  const deleted = '2026-01-01T00:01:00Z';
  const now = Date.parse(deleted);
  const cleared = async (given: Given, atMs: number): Promise<string[]> => {
    const removed: string[] = [];
    const remove = ({ metadata }: V1Pod, grace: number): Promise<void> => {
      removed.push(`${metadata!.name} within ${grace} s`);
      return Promise.resolve();
    };
    const notes: string[] = [];
    const lost = new LostNodes({ remove } as unknown as Cluster, (words) => notes.push(words));
    const pods = [pod(given)];
    await lost.clear(pods, atMs);
    await lost.clear(pods, atMs);
    return [...notes, ...removed];
  };
  const evicted = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' };

  it('are deleted once the cluster has evicted them, each once, with the name of the node', async () => {
    const gone = ['node node3 is not ready: pod a is deleted, for another one', 'a within 0 s'];
    assert.deepEqual(
      await cleared({ name: 'a', status: running('False'), deleted }, now - 9e3),
      gone,
    );
    const silent = { name: 'a', status: running('True', { conditions: [evicted] }), deleted };
    assert.deepEqual(await cleared(silent, now + 1_000), []);
    assert.deepEqual(await cleared(silent, now + 11_000), gone);
  });

  it('are left alone while they may run, or their kubelet ends them', async () => {
    assert.deepEqual(await cleared({ name: 'a', status: running('False') }, now), []);
    assert.deepEqual(
      await cleared({ name: 'a', status: running('True'), deleted }, now + 60e3),
      [],
    );
  });

  it('are named by the state of a run, with the command that replaces them', () => {
    const pods = ['a', 'b'].map((name) => pod({ name, status: running('False') }));
    assert.deepEqual(lostNodesText(pods), [
      'node node3 is not ready, with pods a, b: `selvage k8s attach` replaces what the cluster ' +
        'evicts from it',
    ]);
    assert.deepEqual(lostNodesText([pod({ name: 'a', status: running('True') })]), []);
  });
});
