import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planPartitions } from '../../../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../../../services/fabric/placement/parts.js';
import { Session } from '../../../../services/runtime/session.js';
import { ThreadsRun } from '../../../../services/runtime/threads/run-threads.js';
import type { Congestion } from '../../../../services/telemetry/congestion/congestion.js';
import { fabricOf } from '../../../kit/emulate.js';

const OBSERVED = 'observe.episodes=true';

function sessionOf(example: string, ...set: string[]): Session {
  const session = new Session(fabricOf(`examples/${example}`, ...set), { check: true });
  while (session.advance(1000) === 'running');
  return session;
}

function congestionIn(example: string): Congestion {
  return sessionOf(example, OBSERVED).congestion()!;
}

describe('episodes', () => {
  for (const example of ['victim-behind-pfc.yaml', 'incast-credit.yaml', 'ring-deadlock.yaml']) {
    const { episodes } = congestionIn(example);

    it(`begin after what caused them, which is there: ${example}`, () => {
      const byId = new Map(episodes.map((episode) => [episode.id, episode]));
      assert.equal(byId.size, episodes.length);
      for (const { id, parent, reason, startPs, endPs } of episodes) {
        assert.equal(parent === null, reason !== null, id);
        if (parent !== null) assert.ok(byId.get(parent)!.startPs <= startPs, id);
        assert.ok(endPs === null || endPs >= startPs, id);
      }
    });
  }

  it('are the same from one place and from several', async () => {
    const fabric = fabricOf('examples/victim-behind-pfc.yaml', OBSERVED);
    const plans = planPartitions(fabric, placeInServices(fabric, 4));
    const merged = await new ThreadsRun(fabric, plans, { check: true, from: null }).run();
    assert.deepEqual(merged.congestion, congestionIn('victim-behind-pfc.yaml'));
  });

  it('last as long in all as the ports themselves say that they were blocked', () => {
    const session = sessionOf('victim-behind-pfc.yaml', OBSERVED);
    const { ports, virtualPs } = session.results('complete');
    const blocked = session.congestion()!.episodes.filter(({ kind }) => kind === 'blocked');
    for (const { port, priorities } of ports) {
      for (const { priority, blockedPs, blockedCount } of priorities) {
        const own = blocked.filter((e) => e.port === port && e.priority === priority);
        const total = own.reduce((sum, e) => sum + (e.endPs ?? virtualPs) - e.startPs, 0);
        assert.deepEqual([own.length, total], [blockedCount, blockedPs], port);
      }
    }
  });

  it('change nothing by being observed', () => {
    const digest = (...set: string[]): string =>
      sessionOf('incast-pfc.yaml', ...set).results('complete').digest;
    assert.equal(digest(OBSERVED), digest());
  });
});
