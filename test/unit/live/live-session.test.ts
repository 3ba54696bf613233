import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../../services/fabric/scenario/load-scenario.js';
import { LiveSession } from '../../../services/live/live-session.js';
import { LiveFaults } from '../../../services/runtime/live-faults.js';
import type { PortSample } from '../../../services/runtime/port-sample.js';
import { Session } from '../../../services/runtime/session.js';
import { ROOT, run } from '../../kit/emulate.js';

const SLICE_MS = 1;

interface Looked {
  readonly live: LiveSession;
  readonly session: Session;
  readonly samples: PortSample[];
}

function looked(example: string, beginPaused: boolean): Looked {
  const loaded = loadScenario(join(ROOT, 'examples', `${example}.yaml`));
  const fabric = buildFabric(loaded);
  const session = new Session(fabric, { check: false });
  const live = new LiveSession(session, new LiveFaults(loaded, fabric), beginPaused);
  const samples: PortSample[] = [];
  live.listener = {
    sampled: (sample) => samples.push(sample),
    changed: () => undefined,
    publish: () => undefined,
  };
  return { live, session, samples };
}

/** Until it is paused. */
async function blocked(live: LiveSession): Promise<void> {
  while (live.status.state !== 'paused') await setImmediate();
}
const nothing = (): void => undefined;

describe('a run that is looked at', () => {
  for (const example of ['ets-shares', 'incast-pfc', 'incast-credit']) {
    it(`is the same run, watched and stepped or not: ${example}`, async () => {
      const expected = run(buildFabric(loadScenario(join(ROOT, 'examples', `${example}.yaml`))));
      const { live, session, samples } = looked(example, true);
      const driven = live.drive(SLICE_MS, nothing);
      live.watched(true);
      for (const stepPs of [7e6, 1, 13_579]) {
        await live.order({ action: 'step', stepPs });
        await blocked(live);
      }
      await live.order({ action: 'resume', stepPs: 0 });
      assert.equal(await driven, 'complete');
      assert.equal(session.results('complete').digest, expected.digest);
      const times = samples.map(({ timePs }) => timePs);
      assert.ok(times.length > 0);
      assert.deepEqual(
        [...times].sort((a, b) => a - b),
        times,
      );
      const { wireOctets, priorities } = samples.at(-1)!.columns;
      assert.deepEqual(
        [...wireOctets],
        expected.ports.flatMap((port) => {
          const sent = new Map(
            port.priorities.map((p) => [p.priority, p.txOctets + 20 * p.txFrames]),
          );
          return priorities.map((priority) => sent.get(priority) ?? 0);
        }),
      );
    });
  }

  it('stands still while it is blocked, and goes on exactly as far as it is let', async () => {
    const { live, session } = looked('ets-shares', true);
    const driven = live.drive(SLICE_MS, nothing);
    await blocked(live);
    assert.deepEqual([live.status.state, live.status.virtualPs], ['paused', 0]);
    await live.order({ action: 'step', stepPs: 50e6 });
    await blocked(live);
    assert.equal(live.status.state, 'paused');
    const { boundPs } = session;
    assert.ok(boundPs >= 50e6 && boundPs < 51e6);
    live.controller.stop();
    assert.equal(await driven, 'interrupted');
    const late = await live.order({ action: 'resume', stepPs: 0 });
    assert.deepEqual(late, { done: false, detail: 'the run has ended' });
  });

  it('is not measured without viewers', async () => {
    const { live, samples } = looked('incast-pfc', false);
    assert.equal(await live.drive(SLICE_MS, nothing), 'complete');
    assert.equal(samples.length, 0);
  });
});
