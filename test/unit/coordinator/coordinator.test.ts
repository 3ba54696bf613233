import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { selvage } from '#contracts';
import { CoordinatorScript, SILENT_LOG } from '../../kit/coordinator-script.js';
import { MemoryStorage } from '../../kit/memory-storage.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;

describe('a coordinator', () => {
  let lines: string[];
  let script: CoordinatorScript;
  const status = (): selvage.v1.RunStatus.$Properties => {
    let last: selvage.v1.RunStatus.$Properties = {};
    script.coordinator.watch((now) => {
      last = now;
    })();
    return last;
  };
  const make = async (patienceMs: number): Promise<void> => {
    const note = (event: string, fields = {}): void => {
      lines.push([event, ...Object.values(fields)].join(' '));
    };
    const log = { ...SILENT_LOG, warn: note, info: note };
    script = new CoordinatorScript(new MemoryStorage(), { patienceMs, log });
    await script.begin();
    await script.ready();
  };
  beforeEach(() => {
    lines = [];
  });
  afterEach(() => {
    script.coordinator.fail('the test is over');
  });

  it('replaces services that are connected and do not answer, and names them', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    await make(4000);
    script.report(await script.next('round'), 1e6);
    const { epoch, round } = await script.next('round');
    script.from(0, { report: { epoch: epoch!, round: round!, nextPs: 2e6, handedOverPs: 2e6 } });
    for (; script.dropped.length === 0 && now < 20_000; now += 1000) {
      script.from(0, { alive: { epoch: epoch!, executedPs: 1e6 } });
      t.mock.timers.tick(1000);
    }
    assert.deepEqual(script.dropped, [1]);
    const { phase, detail, missing } = status();
    assert.deepEqual(
      { phase, detail, missing },
      {
        phase: Phase.PHASE_RECOVERING,
        detail: 'services 1 have not answered for 4 s',
        missing: [1],
      },
    );
    script.connect(1);
    assert.equal((await script.next('assignment')).epoch, 2);
    assert.ok(lines.includes('round is late 1 1'));
    assert.ok(lines.includes('services do not answer and are replaced 1'));
    assert.ok(lines.includes('epoch begins 2 none 0'));
  });

  it('replaces no service because it was stopped itself', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    await make(4000);
    for (const stoppedMs of [0, 45_000, 0, 0]) {
      now += 1000 + stoppedMs;
      t.mock.timers.tick(1000);
    }
    assert.deepEqual(script.dropped, []);
  });

  it('gives a run up in which services are replaced again and again', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    await make(2000);
    for (; !script.coordinator.isOver() && now < 60_000; now += 1000) {
      t.mock.timers.tick(1000);
      for (const service of script.dropped.splice(0)) script.connect(service);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(status().phase, Phase.PHASE_FAILED);
    assert.match(status().detail!, /^services 0, 1 do not answer, though they were replaced$/);
  });

  it('knows the virtual time of every round, not only of checkpoints', async () => {
    await make(1e6);
    for (const nextPs of [1e6, 2e6, 3e6]) {
      const round = await script.next('round');
      script.report(round, nextPs);
      assert.equal(status().virtualPs, round.endPs);
    }
  });

  it('steps, pauses and takes a snapshot by the controller of every run', async () => {
    await make(1e6);
    const { coordinator } = script;
    const first = await script.next('round');
    coordinator.steer(Action.ACTION_STEP, 3e6);
    assert.equal(status().phase, Phase.PHASE_RUNNING);
    script.report(first, 1e6);
    const second = await script.next('round');
    assert.ok(second.endPs! <= first.endPs! + 3e6);
    script.report(second, 9e6);
    assert.deepEqual(
      [status().phase, status().virtualPs],
      [Phase.PHASE_PAUSED, first.endPs! + 3e6],
    );
    const looked = coordinator.snapshot();
    const { epoch } = await script.next('show');
    const damaged = { octets: Buffer.of(1), last: true, hash: Buffer.of(2) };
    script.from(0, { shown: { epoch: epoch!, ...damaged } });
    await assert.rejects(looked, /the state of service 0 came damaged/);
    assert.equal(status().phase, Phase.PHASE_PAUSED);
  });
});
