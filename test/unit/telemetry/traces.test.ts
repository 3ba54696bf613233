import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planParts } from '../../../services/fabric/placement/part-plan.js';
import { placeInServices } from '../../../services/fabric/placement/placement.js';
import { markOf } from '../../../services/fabric/assembly/observer-plan.js';
import { whyFlow } from '../../../services/report/flow-why.js';
import { repeatRun } from '../../../services/runtime/repeat-run.js';
import type { FlowResult } from '../../../services/runtime/results/results.js';
import { Session } from '../../../services/runtime/session.js';
import { ThreadsRun } from '../../../services/runtime/threads/run-threads.js';
import type { FrameTrace, TracePart } from '../../../services/telemetry/traces/frame-trace.js';
import { latencyOf } from '../../../services/telemetry/traces/frame-trace.js';
import { frameTraces } from '../../../services/telemetry/traces/frame-traces.js';
import { fabricOf } from '../../kit/emulate.js';

const ALL = { share: 1, priorities: 0xff, flows: null, named: [], slowest: 0, dropped: false };

interface Traced {
  readonly traces: readonly FrameTrace[];
  readonly flows: readonly FlowResult[];
}

function tracesOf(example: string, ...set: string[]): Traced {
  const fabric = fabricOf(`examples/${example}`, ...set);
  const { results, hops, congestion } = repeatRun(fabric, null, ALL);
  const traces = [...frameTraces(fabric, hops, congestion.episodes, results.virtualPs)];
  return { traces, flows: results.flows };
}

/** The parts of all steps up to one. */
function partsOfWay(trace: FrameTrace, last: number): TracePart[] {
  const step = trace.steps[last];
  return step === undefined ? [] : [...partsOfWay(trace, step.before), ...step.parts];
}

const CASES: readonly (readonly [string, ...string[]])[] = [
  ['incast-pfc.yaml', 'load.0.bytes=40KB'],
  ['incast-credit.yaml', 'load.0.bytes=40KB'],
  ['incast-sfc.yaml', 'load.0.bytes=40KB'],
  ['victim-behind-pfc.yaml', 'duration=60us'],
  ['victim-behind-pfc.yaml', 'duration=60us', 'switches.cutThrough=true'],
  ['incast-lossy.yaml', 'load.0.bytes=100KB'],
  ['nic-groups.yaml', 'duration=200us'],
  ['slow-receiver.yaml', 'duration=250us'],
  ['mvtx2802-multicast.yaml', 'duration=3ms'],
];

describe('the way of a frame', () => {
  for (const [example, ...set] of CASES) {
    it(`is filled by its parts to the picosecond: ${example} ${set.join(' ')}`, () => {
      const { traces, flows } = tracesOf(example, ...set);
      const longest = new Map<string, number>();
      let delivered = 0;
      for (const trace of traces) {
        trace.steps.forEach((step, place) => {
          let at = step.startPs;
          for (const part of step.parts) {
            assert.equal(part.startPs, at);
            assert.ok(part.endPs > at);
            at = part.endPs;
          }
          const before = trace.steps[step.before];
          if (before !== undefined) assert.equal(step.startPs, before.endPs);
          if (step.end !== 'sent' || step.endPs > at) assert.equal(step.endPs, at);
          if (step.end !== 'delivered') return;
          delivered++;
          const parts = partsOfWay(trace, place);
          const sum = parts.reduce((total, { startPs, endPs }) => total + endPs - startPs, 0);
          assert.equal(sum, step.endPs - trace.bornPs);
        });
        const latencyPs = latencyOf(trace) ?? 0;
        longest.set(trace.flow, Math.max(longest.get(trace.flow) ?? 0, latencyPs));
      }
      assert.ok(delivered > 100, `${delivered} of ${traces.length}`);
      // Receivers measure it by themselves.
      for (const { name, latencyMaxPs } of flows) {
        if (latencyMaxPs !== null) assert.equal(longest.get(name), latencyMaxPs, name);
      }
    });
  }

  it('is whole from a run in several places', async () => {
    const set = ['duration=100us', 'observe.traces.share=2%', 'observe.traces.slowest=3'];
    const fabric = fabricOf('examples/victim-behind-pfc.yaml', ...set);
    const session = new Session(fabric, { check: true });
    while (session.advance(1000) === 'running');
    const { episodes } = session.congestion()!;
    const alone = [...frameTraces(fabric, session.hops()!, episodes, 100e6)];
    const plans = planParts(fabric, placeInServices(fabric.topology, 4));
    const { hops, congestion } = await new ThreadsRun(fabric, plans, {
      check: true,
      from: null,
    }).run();
    assert.deepEqual(hops!.slowest, session.hops()!.slowest);
    assert.deepEqual([...frameTraces(fabric, hops!, congestion!.episodes, 100e6)], alone);
    assert.ok(alone.length > 10);
    assert.equal(hops!.slowest.length, 2 * 3);
  });
});

describe('the time of a flow', () => {
  const slow = '{ kind: slow-receiver, where: { device: h1 }, rate: 10G, at: 5us, for: 100us }';
  for (const [example, ...set] of [
    ['incast-pfc.yaml', 'load.0.bytes=250KB'],
    ['incast-pfc.yaml', 'load.0.bytes=250KB', 'load.0.transport=raw'],
    ['incast-pfc.yaml', 'load.0.bytes=250KB', 'hosts={ nic: { model: 82599 } }'],
    ['incast-pfc.yaml', 'load.0.bytes=40KB', `faults=[${slow}]`],
    ['incast-credit.yaml', 'load.0.bytes=60KB'],
    ['incast-credit.yaml', 'load.0.bytes=40KB', 'load.0.transport=raw'],
  ] as const) {
    it(`adds up to its completion time: ${example} ${set.join(' ')}`, () => {
      const fabric = fabricOf(`examples/${example}`, ...set);
      let heldFlows = 0;
      for (const flow of fabric.flows.keys()) {
        const sampling = { ...ALL, flows: [markOf(fabric, flow)] };
        const { results, hops, congestion } = repeatRun(fabric, null, sampling);
        const why = whyFlow(fabric, results.flows[flow]!, hops, congestion)!;
        const sum = why.shares.reduce((total, { ps }) => total + ps, 0);
        assert.equal(sum, results.flows[flow]!.completionPs);
        assert.ok(why.shares.every(({ ps }) => ps > 0));
        if (why.shares.some(({ cause }) => cause === 'held')) heldFlows++;
      }
      assert.ok(heldFlows > 1);
    });
  }
});
