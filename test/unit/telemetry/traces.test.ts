import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planPartitions } from '../../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../../services/fabric/placement/parts.js';
import type { Fabric } from '../../../services/fabric/assembly/fabric.js';
import { markOf } from '../../../services/fabric/assembly/observer-plan.js';
import { NO_HOPS } from '../../../services/engine/analysis/trace/hop-recorder.js';
import { warnOfUnkept } from '../../../services/cli/traced-frames.js';
import { whyFlow } from '../../../services/report/flow-why.js';
import { repeatRun } from '../../../services/runtime/repeat-run.js';
import type { FlowResult } from '../../../services/runtime/results/results.js';
import { Session } from '../../../services/runtime/session.js';
import { ThreadsRun } from '../../../services/runtime/threads/run-threads.js';
import type { Episode } from '../../../services/telemetry/congestion/congestion.js';
import type { FrameTrace, TracePart } from '../../../services/telemetry/traces/frame-trace.js';
import { latencyOf } from '../../../services/telemetry/traces/frame-trace.js';
import { frameTraces } from '../../../services/telemetry/traces/frame-traces.js';
import { fabricOf } from '../../kit/emulate.js';

const ALL = { share: 1, priorities: 0xff, flows: null, named: [], slowest: 0, dropped: false };

interface Traced {
  readonly fabric: Fabric;
  readonly traces: readonly FrameTrace[];
  readonly episodes: readonly Episode[];
  readonly flows: readonly FlowResult[];
}

function tracesOf(example: string, ...set: string[]): Traced {
  const fabric = fabricOf(`examples/${example}`, ...set);
  const { results, hops, congestion } = repeatRun(fabric, null, ALL);
  const traces = [...frameTraces(fabric, hops, results.virtualPs)];
  return { fabric, traces, episodes: congestion.episodes, flows: results.flows };
}

/**
 * What blocked frames: each was an episode around that time, at the port, and has the link partner.
 */
function holdersOf({ fabric, traces, episodes }: Traced): string {
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const ends = new Map(fabric.linkEnds.flat().map((end) => [end.name, end]));
  const holders = new Set<string>();
  for (const { egress, parts } of traces.flatMap(({ steps }) => steps)) {
    for (const { kind, hold, startPs, endPs } of parts) {
      assert.equal(hold !== null, kind === 'blocked');
      if (hold === null) continue;
      holders.add(hold.mechanism);
      const { port, mechanism, ...episode } = byId.get(hold.episode)!;
      assert.deepEqual([port, mechanism], [egress, hold.mechanism]);
      assert.ok(episode.startPs <= startPs && endPs <= (episode.endPs ?? Infinity));
      const { peerDevice, peerPort } = ends.get(egress)!;
      assert.equal(hold.linkPartner, fabric.linkEnds[peerDevice]![peerPort]!.name);
    }
  }
  return [...holders].sort().join(' ');
}

/** The parts of all steps up to one. */
function partsOfWay(trace: FrameTrace, last: number): TracePart[] {
  const step = trace.steps[last];
  return step === undefined ? [] : [...partsOfWay(trace, step.before), ...step.parts];
}

/** What holds frames, in which example. */
const CASES: readonly (readonly [string, string, ...string[]])[] = [
  ['', 'incast-pfc.yaml', 'load.0.bytes=40KB'],
  ['credit', 'incast-credit.yaml', 'load.0.bytes=40KB'],
  ['sfc', 'incast-sfc.yaml', 'load.0.bytes=150KB'],
  ['pfc', 'victim-behind-pfc.yaml', 'duration=60us'],
  ['pfc', 'victim-behind-pfc.yaml', 'duration=60us', 'switches.cutThrough=true'],
  ['', 'incast-lossy.yaml', 'load.0.bytes=100KB'],
  ['', 'nic-groups.yaml', 'duration=200us'],
  ['pfc', 'slow-receiver.yaml', 'duration=250us'],
  ['pause', 'mvtx2802-multicast.yaml', 'duration=3ms'],
];

describe('the way of a frame', () => {
  for (const [holders, example, ...set] of CASES) {
    it(`is filled by its parts to the picosecond: ${example} ${set.join(' ')}`, () => {
      const traced = tracesOf(example, ...set);
      const { traces, flows } = traced;
      assert.equal(holdersOf(traced), holders);
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

  it('is there for all frames of a flow that is named, unless a share is given', () => {
    const shareOf = (traces: string): number =>
      fabricOf('examples/victim-behind-pfc.yaml', `observe={ traces: ${traces} }`).scenario.observe
        .traces!.share;
    assert.equal(shareOf("{ flows: ['victim/*'] }"), 1);
    assert.equal(shareOf("{ flows: ['victim/*'], share: 2% }"), 0.02);
    assert.equal(shareOf('{ priorities: [3] }'), 0.001);
  });

  it('is reported as incomplete where something was not kept', (t) => {
    const told: unknown[] = [];
    t.mock.method(process.stderr, 'write', (text: unknown) => told.push(text));
    warnOfUnkept(NO_HOPS);
    warnOfUnkept({ ...NO_HOPS, omitted: 3 });
    t.mock.restoreAll();
    assert.equal(told.length, 1);
    assert.match(String(told[0]), /^3 steps of frames, and pauses, were not kept: .* 200000 steps/);
  });

  it('is whole from a run in several places', async () => {
    const set = ['duration=100us', 'observe={ traces: { share: 2%, slowest: 3 } }'];
    const fabric = fabricOf('examples/victim-behind-pfc.yaml', ...set);
    const session = new Session(fabric, { check: true });
    while (session.advance(1000) === 'running');
    const alone = [...frameTraces(fabric, session.hops()!, 100e6)];
    const plans = planPartitions(fabric, placeInServices(fabric, 4));
    const { hops } = await new ThreadsRun(fabric, plans, {
      check: true,
      from: null,
    }).run();
    assert.deepEqual(hops!.slowest, session.hops()!.slowest);
    assert.deepEqual([...frameTraces(fabric, hops!, 100e6)], alone);
    assert.ok(alone.length > 10);
    assert.equal(hops!.slowest.length, 2 * 3);
  });
});

/** Frames take twice as long, or arrive much later, than the links of the path explain. */
const LATE =
  '{ kind: slow-link, where: { port: "h*:p1" }, rate: 50G }, ' +
  '{ kind: delay, where: { port: "s1:p1" }, delay: 30us, jitter: 5us }';

describe('the time of a flow', () => {
  const slow = '{ kind: slow-receiver, where: { device: h1 }, rate: 10G, at: 5us, for: 100us }';
  for (const [example, ...set] of [
    ['incast-pfc.yaml', 'load.0.bytes=250KB'],
    ['incast-pfc.yaml', 'load.0.bytes=250KB', 'load.0.transport=raw'],
    ['incast-pfc.yaml', 'load.0.bytes=250KB', 'hosts={ nic: { model: 82599 } }'],
    ['incast-pfc.yaml', 'load.0.bytes=40KB', `faults=[${slow}]`],
    ['incast-credit.yaml', 'load.0.bytes=60KB'],
    ['incast-credit.yaml', 'load.0.bytes=40KB', 'load.0.transport=raw'],
    ['incast-pfc.yaml', 'load.0.bytes=250KB', `faults=[${LATE}]`],
  ] as const) {
    it(`adds up to its completion time: ${example} ${set.join(' ')}`, () => {
      const fabric = fabricOf(`examples/${example}`, ...set);
      let blockedFlows = 0;
      for (const flow of fabric.flows.keys()) {
        const sampling = { ...ALL, flows: [markOf(fabric, flow)] };
        const repeated = repeatRun(fabric, null, sampling);
        const { results } = repeated;
        const why = whyFlow(fabric, results.flows[flow]!, repeated)!;
        const sum = why.shares.reduce((total, { ps }) => total + ps, 0);
        assert.equal(sum, results.flows[flow]!.completionPs);
        assert.ok(why.shares.every(({ ps }) => ps > 0));
        if (why.shares.some(({ cause }) => cause === 'blocked')) blockedFlows++;
      }
      assert.ok(blockedFlows > 1);
    });
  }
});
