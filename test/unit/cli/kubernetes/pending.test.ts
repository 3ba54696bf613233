import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CoreV1Event, V1Job, V1Node, V1Pod } from '@kubernetes/client-node';
import { jobEnd, lastEnd } from '../../../../services/cli/kubernetes/job-end.js';
import { outcomeOf, outcomeText } from '../../../../services/cli/kubernetes/outcome.js';
import { leaveOutcome } from '../../../../services/cli/termination-message.js';
import type { NodeChoice } from '../../../../services/cli/kubernetes/room.js';
import { fits, roomOf } from '../../../../services/cli/kubernetes/room.js';
import {
  lacksRoom,
  whyHopeless,
  whyPending,
} from '../../../../services/cli/kubernetes/why-pending.js';

/** Tests give what the code looks at, and not every field of a type. */
function of(partial: object): never {
  return partial as never;
}

const pod = (role: string, status: object): V1Pod =>
  of({ metadata: { name: `${role}-x`, labels: { selvage: role } }, status });
const none = { pods: [], jobs: [], claims: [], events: [] };
const event = (kind: string, name: string, reason: string, message: string): CoreV1Event =>
  of({ involvedObject: { kind, name }, reason, message, metadata: {} });

describe('why a run is pending', () => {
  it('is what the scheduler says', () => {
    const message = '0/1 nodes are available: 1 Insufficient cpu.';
    const conditions = [{ type: 'PodScheduled', status: 'False', message }];
    const pods = [pod('service', { phase: 'Pending', conditions })];
    const lines = whyPending({ ...none, pods });
    assert.deepEqual(lines, [`service: ${message}`]);
    assert.ok(lines.every(lacksRoom));
    assert.equal(whyHopeless(pods), null);
  });

  it('is what the runtime says of the image, which is hopeless once it backs off', () => {
    const waiting = (reason: string): V1Pod[] => {
      const containerStatuses = [{ state: { waiting: { reason, message: 'denied' } } }];
      return [pod('coordinator', { phase: 'Pending', containerStatuses })];
    };
    const pods = waiting('ErrImagePull');
    assert.deepEqual(whyPending({ ...none, pods }), ['coordinator: ErrImagePull: denied']);
    assert.equal(whyHopeless(pods), null);
    const hopeless = 'pod coordinator-x cannot start: ImagePullBackOff: denied';
    assert.equal(whyHopeless(waiting('ImagePullBackOff')), hopeless);
    assert.deepEqual(whyPending({ ...none, pods: waiting('ContainerCreating') }), []);
  });

  it('is a quota that refuses a Job its pods, as long as it lacks some', () => {
    const events = [event('Job', 'services', 'FailedCreate', 'exceeded quota: small')];
    const job = (active: number): V1Job =>
      of({
        metadata: { name: 'services' },
        spec: { parallelism: 4 },
        status: { active },
      });
    const lines = whyPending({ ...none, jobs: [job(3)], events });
    assert.deepEqual(lines, ['Job services: exceeded quota: small']);
    assert.ok(lines.every(lacksRoom));
    assert.deepEqual(whyPending({ ...none, jobs: [job(4)], events }), []);
  });

  it('is a volume that no StorageClass provides', () => {
    const words = 'no persistent volumes available for this claim and no storage class is set';
    const events = [event('PersistentVolumeClaim', 'runs', 'FailedBinding', words)];
    const claims = [of({ metadata: { name: 'runs' }, status: { phase: 'Pending' } })];
    const lines = whyPending({ ...none, claims: claims, events });
    assert.deepEqual(lines, [`PersistentVolumeClaim runs: ${words}`]);
    assert.ok(!lines.some(lacksRoom));
  });
});

describe('room on nodes', () => {
  const node = (name: string, cpu: string, more: object = {}): V1Node =>
    of({
      metadata: { name },
      spec: more,
      status: {
        allocatable: { cpu, memory: '4Gi', pods: '10' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
  const used = (nodeName: string, cpu: string): V1Pod =>
    of({ spec: { nodeName, containers: [{ resources: { requests: { cpu } } }] } });
  const need = (cpu: number): Map<string, number> =>
    new Map([
      ['cpu', cpu],
      ['pods', 1],
    ]);

  it('is what other pods leave, on nodes that take pods', () => {
    const nodes = [
      node('a', '2'),
      node('b', '2', { unschedulable: true }),
      node('c', '2', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
    ];
    const room = roomOf(nodes, [used('a', '500m')], {});
    assert.equal(room.length, 1);
    assert.ok(fits([need(1), need(0.5)], room));
    assert.ok(!fits([need(1), need(0.6)], room));
  });

  it('is on nodes that the run selects, and whose taints it tolerates', () => {
    const tainted = (effect: string): V1Node => {
      const one = node('d', '2', { taints: [{ key: 'pool', value: 'emulation', effect }] });
      one.metadata!.labels = { pool: 'emulation' };
      return one;
    };
    const count = (choice: NodeChoice, effect = 'NoSchedule'): number =>
      roomOf([node('a', '2'), tainted(effect)], [], choice).length;
    const equal = { key: 'pool', operator: 'Equal', value: 'emulation' };
    assert.equal(count({}), 1);
    assert.equal(count({}, 'PreferNoSchedule'), 2);
    assert.equal(count({ tolerations: [{ operator: 'Exists' }] }), 2);
    assert.equal(count({ tolerations: [{ key: 'pool', operator: 'Exists' }] }), 2);
    assert.equal(count({ tolerations: [{ key: 'pool', value: 'emulation' }] }), 2);
    assert.equal(count({ tolerations: [{ ...equal, effect: 'NoSchedule' }] }), 2);
    assert.equal(count({ tolerations: [{ ...equal, effect: 'NoExecute' }] }), 1);
    assert.equal(count({ tolerations: [{ ...equal, value: 'other' }] }), 1);
    assert.equal(count({ tolerations: [equal], nodeSelector: { pool: 'emulation' } }), 1);
    assert.equal(count({ nodeSelector: { pool: 'emulation' } }), 0);
  });

  it('is not what two nodes have together', () => {
    const room = roomOf([node('a', '1'), node('b', '1')], [], {});
    assert.ok(fits([need(1), need(0.5), need(0.5)], room));
    assert.ok(!fits([need(1.5)], room));
  });
});

describe('the end of a Job', () => {
  it('is its condition, with the reason', () => {
    const status = (type: string): V1Job =>
      of({ status: { conditions: [{ type, status: 'True', reason: 'BackoffLimitExceeded' }] } });
    assert.deepEqual(jobEnd(status('Failed')), { succeeded: false, why: 'BackoffLimitExceeded' });
    assert.equal(jobEnd(status('Suspended')), null);
  });

  it('has verdict, digest and failed expectations from the last pod', () => {
    const failed = ['drops = 0: is 12'];
    const outcome = { verdict: 'complete', digest: 'abc', expectations: 2, met: 1, failed };
    const ended = (message: string, at: string): V1Pod => {
      const terminated = { exitCode: 1, message, finishedAt: new Date(at) };
      return pod('coordinator', { containerStatuses: [{ state: { terminated } }] });
    };
    const pods = [ended(JSON.stringify(outcome), '2026-01-02'), ended('', '2026-01-01')];
    const end = lastEnd(pods, 'coordinator');
    assert.equal(
      outcomeText(outcomeOf(end)!),
      'complete, digest abc; 1 of 2 expectations hold\n  expected drops = 0: is 12',
    );
    assert.equal(outcomeOf(lastEnd([ended('killed', '2026-01-01')], 'coordinator')), null);
  });

  it('has as many of the failed expectations as Kubernetes keeps', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-message-'));
    const file = join(folder, 'message');
    const failed = Array.from({ length: 12 }, (_, index) => ({
      ...{ ok: false, text: `${index} ${'ü'.repeat(300)}`, metric: 'drops', actual: 1 },
      reason: 'long',
    }));
    const record = { results: { status: 'complete', digest: 'abc' }, expectations: failed };
    leaveOutcome(record as never, { SELVAGE_TERMINATION_LOG: file });
    const message = readFileSync(file, 'utf8');
    rmSync(folder, { recursive: true });
    assert.ok(Buffer.byteLength(message) <= 4096);
    const outcome = outcomeOf({ pod: 'coordinator', code: 1, message })!;
    assert.deepEqual([outcome.expectations, outcome.failed.length], [12, 6]);
    assert.match(outcomeText(outcome), /; 0 of 12 expectations hold\n[^]*\n {2}and 6 more$/);
  });
});
