import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import { JobEvents } from '../../../services/cli/fleet/job-events.js';
import type { InfrastructureFault } from '../../../services/cli/fleet/infrastructure.js';
import { InfrastructureBreaker } from '../../../services/cli/fleet/infrastructure.js';
import type { PodApi } from '../../../services/cli/fleet/pod-api.js';
import { StruckFile } from '../../../services/cli/fleet/pod-breaker.js';
import { HALTED } from '../../../services/coordinator/coordinator-options.js';

const { RunStatus } = selvage.v1;
const { Phase } = RunStatus;
type Sent = Readonly<Record<'type' | 'reason' | 'message', string>> & {
  readonly involvedObject: { readonly name: string };
};

describe('events of a Job', () => {
  it('tell of epochs, of recoveries and of the end, each once', async () => {
    const sent: Sent[] = [];
    const send = (_method: string, path: string, body: object): Promise<void> => {
      assert.equal(path, 'events');
      sent.push(body as Sent);
      return Promise.resolve();
    };
    const api = { namespace: 'lab', send } as unknown as PodApi;
    const events = JobEvents.ofPod({ SELVAGE_JOB_UID: 'u', SELVAGE_RUN: 'demo' }, api)!;
    const lost = 'service 1 was lost';
    for (const [phase, epoch, detail] of [
      [Phase.PHASE_GATHERING, 0, ''],
      [Phase.PHASE_RUNNING, 1, ''],
      [Phase.PHASE_RUNNING, 1, ''],
      [Phase.PHASE_RECOVERING, 1, lost],
      [Phase.PHASE_RECOVERING, 2, lost],
      [Phase.PHASE_RUNNING, 2, ''],
      [Phase.PHASE_COMPLETE, 2, ''],
      [Phase.PHASE_COMPLETE, 2, ''],
    ] as const) {
      events.onStatus(RunStatus.create({ phase, epoch, detail, checkpointPs: 2_000_000 }));
    }
    await events.close();
    for (const { involvedObject } of sent) assert.equal(involvedObject.name, 'demo-coordinator');
    assert.deepEqual(
      sent.map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
      [
        'Normal EpochBegins: epoch 1 begins at 2 us of virtual time',
        `Warning Recovering: ${lost}`,
        'Normal EpochBegins: epoch 2 begins at 2 us of virtual time',
        'Normal Ended: complete at 0 of virtual time',
      ],
    );
  });

  it('are none outside of a pod', () => {
    assert.equal(JobEvents.ofPod({}), null);
  });
});

describe('infrastructure faults of pods', () => {
  const fault = (number: number): InfrastructureFault => ({
    ...{ number, process: `service ${number}`, kind: 'kill', victim: 'service', device: null },
    ...{ atPs: 1000, afterPs: null, lastsPs: 0 },
  });

  it('are injected though the run has gone on from their halt', () => {
    const killed: string[] = [];
    const fleet = {
      client: { steer: () => Promise.resolve({ done: true }) },
      signal: (name: string) => {
        killed.push(name);
      },
    };
    const breaker = new InfrastructureBreaker(fleet, [fault(0)]);
    for (const virtualPs of [999, 1001, 1002]) {
      breaker.onStatus(RunStatus.create({ phase: Phase.PHASE_RUNNING, virtualPs }));
    }
    breaker.close();
    assert.deepEqual(killed, ['service 0']);
  });

  it('are injected once, though the coordinator halts there again in another pod', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-struck-'));
    try {
      const killed: string[] = [];
      const fleet = {
        client: { steer: () => Promise.resolve({ done: true }) },
        signal: (name: string) => {
          killed.push(name);
        },
      };
      const halted = { phase: Phase.PHASE_PAUSED, detail: HALTED, virtualPs: 1000 };
      for (let pod = 0; pod < 2; pod++) {
        const struck = new StruckFile(join(folder, 'struck.json'));
        const breaker = new InfrastructureBreaker(fleet, [fault(0), fault(1)], struck);
        breaker.onStatus(RunStatus.create(halted));
        breaker.close();
      }
      assert.deepEqual(killed, ['service 0', 'service 1']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
