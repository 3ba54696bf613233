import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatRun } from '../../../services/runtime/repeat-run.js';
import { rootsOf } from '../../../services/telemetry/congestion/congestion-trees.js';
import { planDeadlocks, planEpisodes } from '../../../services/telemetry/otlp/plan-episodes.js';
import { planFrames } from '../../../services/telemetry/otlp/plan-frames.js';
import { clockUpTo, fixedClock, shownTime } from '../../../services/telemetry/otlp/span-clock.js';
import { frameTraces } from '../../../services/telemetry/traces/frame-traces.js';
import { fabricOf } from '../../kit/emulate.js';

const ALL = { share: 1, priorities: 0xff, flows: null, named: [], slowest: 0, dropped: false };

describe('spans', () => {
  it('of a deadlock are errors, at each device of the cycle, with links to what holds it', () => {
    const fabric = fabricOf('examples/ring-deadlock.yaml');
    const { results, congestion } = repeatRun(fabric, null, null);
    const { episodes, deadlocks } = congestion;
    const roots = rootsOf(episodes);
    const nowPs = results.virtualPs;
    const spans = planDeadlocks('digest', deadlocks, { episodes, roots, nowPs });
    const [deadlock] = deadlocks;
    assert.ok(deadlock !== undefined && deadlock.ring.length > 2);
    const [whole, ...steps] = spans;
    assert.equal(whole!.name, 'deadlock');
    assert.deepEqual(
      steps.slice(0, deadlock.ring.length).map(({ device }) => device),
      deadlock.ring.map(({ device }) => device),
    );
    const planned = planEpisodes('digest', episodes, roots, nowPs);
    const blocked = new Map(planned.map((span) => [span.id, span]));
    for (const { error, links, parent, device } of steps) {
      assert.deepEqual([error, parent], ['deadlock', whole!.id]);
      assert.ok(links.length > 0);
      for (const { id } of links) {
        assert.deepEqual([blocked.get(id)!.name, blocked.get(id)!.device], ['blocked', device]);
      }
    }
  });

  it('of dropped frames are errors, with the reason', () => {
    const fabric = fabricOf('examples/incast-lossy.yaml', 'duration=100us');
    const { results, hops } = repeatRun(fabric, null, ALL);
    const traces = [...frameTraces(fabric, hops, results.virtualPs)];
    const spans = planFrames('digest', traces, new Map());
    const dropped = traces.filter(({ steps }) => steps.some(({ end }) => end === 'dropped'));
    assert.ok(dropped.length > 0);
    for (const name of ['frame', 'hop']) {
      const wrong = spans.filter((span) => span.name === name && span.error !== null);
      assert.equal(wrong.length, dropped.length);
      assert.ok(wrong.every(({ error }) => error!.startsWith('egress-')));
    }
  });

  it('are shown from an epoch on, so many times as long', () => {
    assert.deepEqual(shownTime(fixedClock(1), 1_999), [946_684_800, 1]);
    assert.deepEqual(shownTime(fixedClock(1000), 1_999), [946_684_800, 1_999]);
    const now = clockUpTo(1_700_000_000_500, 2e12, 1);
    assert.deepEqual(shownTime(now, 2e12), [1_700_000_000, 500_000_000]);
    assert.deepEqual(shownTime(now, 0), [1_699_999_998, 500_000_000]);
    // A thousand seconds, a million times as long.
    assert.deepEqual(shownTime(fixedClock(1e6), 1e15), [946_684_800 + 1e9, 0]);
  });
});
