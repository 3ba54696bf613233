import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyOf } from '../../services/report/why.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

const SLOTS = 682;
const TEMPORARY = 8;
const SOURCES = 5;

/** Registers that leave nothing to share: what is not of a source is kept for P7. */
function nothingShared(source: number): string {
  const rest = SLOTS - TEMPORARY - SOURCES * source;
  return `source: ${source}, classes: { 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: ${rest} }`;
}

function slotPort(results: RunResults, name: string): RunResults['slotPorts'][number] {
  return results.slotPorts.find(({ port }) => port === name)!;
}

function portOf(results: RunResults, name: string): RunResults['ports'][number] {
  return results.ports.find(({ port }) => port === name)!;
}

describe('slots behind Xoff', () => {
  const XOFF = 8;

  /**
   * h4 keeps h3's port busy with a higher class, so that nothing of h1 leaves, and PAUSE to h1 has
   * to wait for the long frames that h2 sends to it: for how long, depends on when h1 begins.
   */
  function crowd(rate: string, durationNs: number, source: number, startNs: number): RunResults {
    return runScenario(`
duration: ${durationNs}ns
fabric: { generator: star, hosts: 4, hostLink: { rate: ${rate}, length: 100m, interfaceDelay: 300ns } }
switches:
  model: mvtx2802
  pipeline: 500ns
  mvtx2802: { xoff: ${XOFF}, responseDelay: 1024ns, ${nothingShared(source)} }
devices: { s1: { ports: { 4: { flowControl: false } } } }
load:
  - { name: busy, stream: { from: h4, to: h3 }, rate: line, frame: 1518, priority: 7 }
  - { name: back, stream: { from: h2, to: h1 }, rate: line, frame: 1518, priority: 7 }
  - { name: own, stream: { from: h1, to: h3 }, rate: line, frame: 64, priority: 7, start: ${startNs}ns }
`);
  }

  for (const [rate, octetNs] of [
    ['10M', 800],
    ['100M', 80],
    ['1G', 8],
  ] as const) {
    it(`as many as the delays ask for lose nothing, a few less do (${rate})`, () => {
      const duration = 20_000 * octetNs;
      const { neededSlots } = slotPort(crowd(rate, duration, 100, 0), 's1:p1');
      const begins = [3, 3.2, 3.4, 3.6, 3.8].map((frames) => Math.round(frames * 1538 * octetNs));
      const runs = begins.map((at) => crowd(rate, duration, XOFF + neededSlots!, at));
      const peaks = runs.map((results) => slotPort(results, 's1:p1').peakSlots);
      for (const results of runs) {
        assert.equal(results.status, 'complete');
        assert.ok(portOf(results, 'h1:p1').priorities.some(({ blockedPs }) => blockedPs > 0));
      }
      const peak = Math.max(...peaks);
      // A fifth of a long frame is the step between the beginnings.
      const step = Math.ceil(1538 / 5 / 84);
      assert.ok(peak - XOFF >= neededSlots! - step - 1, `${peak - XOFF} of ${neededSlots}`);
      const few = crowd(rate, duration, peak - 1, begins[peaks.indexOf(peak)]!);
      assert.equal(few.failure?.port, 's1:p1');
    });
  }

  it('are 24 for a reaction of two quanta over 100 m, without a pipeline', () => {
    const results = runScenario(`
fabric: { generator: star, hosts: 3, hostLink: { rate: 1G, length: 100m } }
switches: { model: mvtx2802, pipeline: 0ns, mvtx2802: { responseDelay: 1024ns } }
load:
  - { name: some, stream: { from: h2, to: h1 }, bytes: 10KB, frame: 1518 }
`);
    const { neededSlots, xoffSlots, headroomSlots } = slotPort(results, 's1:p1');
    assert.deepEqual([neededSlots, xoffSlots, headroomSlots], [24, 40, 24]);
  });

  it('never pause for a single frame to a blocked port, whatever blocks it', () => {
    const results = runScenario(`
duration: 5ms
fabric: { generator: star, hosts: 4, hostLink: { rate: 1G, length: 100m } }
switches: { model: mvtx2802, mvtx2802: { xoff: 2, ${nothingShared(64)} } }
load:
  - { name: crowd, stream: { from: [h2, h4], to: h3 }, rate: line, frame: 1518 }
  - { name: single, stream: { from: h1, to: h3 }, bytes: 1000, start: 1ms, rate: line, frame: 1518 }
`);
    assert.ok(slotPort(results, 's1:p2').xoffs > 0);
    const single = slotPort(results, 's1:p1');
    assert.deepEqual([single.downgradedFrames, single.peakSlots, single.xoffs], [1, 1, 0]);
    assert.equal(flowOf(results, 'h1->h3').frames, 1);
  });
});

describe('a stop that lasts', () => {
  it('is one pause for the link partner, refreshed before it expires', () => {
    const results = runScenario(
      'examples/mvtx2802-blocking.yaml',
      'duration=100ms',
      [
        'devices.s1.mvtx2802',
        '={ flowControl: false, xoff: 41, wred: { sum: wfq, levels: [16KiB, 24KiB, 32KiB] } }',
      ].join(''),
    );
    const blocked = portOf(results, 'h1:p1').priorities[0]!;
    assert.equal(blocked.blockedCount, 1);
    // 65535 quanta are 33.55 ms; half of that after each frame comes the next, and Xon at the end.
    const repeated = Math.floor(blocked.blockedPs / 16.78e9);
    assert.ok(repeated > 1);
    assert.equal(portOf(results, 's1:p1').controlSent, 1 + repeated + 1);
  });
});

describe('head-of-line blocking', () => {
  const example = 'examples/mvtx2802-blocking.yaml';
  const LONGER = 'duration=40ms';
  const FRAME_PS = 12_304_000;

  it('binds what a flow-controlled host has for an idle port to what it has for a full one', () => {
    const results = runScenario(example, LONGER);
    const [blocked, victim] = ['blocked/h1->h3', 'victim/h1->h4'].map((name) =>
      flowOf(results, name),
    );
    const inMemory = results.slots.reduce((sum, { peak }) => sum + peak, 0);
    assert.ok(Math.abs(victim!.frames - blocked!.frames) <= inMemory);
    // h3 takes a frame of 1518 octets in ten times the time of h4, and serves both hosts by turns.
    const turns = results.virtualPs / (2 * 10 * FRAME_PS);
    assert.ok(Math.abs(blocked!.frames - turns) <= 2);
  });

  it('is laid at the door of the full port, and the idle one is no part of it', () => {
    const fabric = fabricOf(example);
    const { results, congestion } = repeatRun(fabric, null, null);
    assert.deepEqual(congestion.deadlocks, []);
    for (const { root, victims } of whyOf(fabric, results, congestion).trees) {
      assert.deepEqual([root.port, root.kind], ['s1:p3', 'queue']);
      assert.deepEqual(victims, ['victim/h1->h4']);
    }
  });

  it('does not exist for a host without flow control, nor for the same host without it', () => {
    const [own, other] = [
      flowOf(runScenario(example, LONGER), 'free/h2->h4'),
      flowOf(runScenario(example, LONGER, 'devices.s1.ports.1.flowControl=false'), 'victim/h1->h4'),
    ];
    const offered = (0.49 * 40e9) / FRAME_PS;
    for (const { frames } of [own, other]) assert.ok(frames > 0.99 * offered, String(frames));
  });

  it('gives way to drops where the option keeps the class of flow-controlled frames', () => {
    const results = runScenario(example, LONGER, 'devices.s1.mvtx2802.normalQos=true');
    assert.equal(results.status, 'complete');
    const { priorities } = portOf(results, 's1:p1');
    assert.ok(priorities.some(({ drops }) => drops['wred']! > 100));
    assert.equal(slotPort(results, 's1:p1').downgradedFrames, 0);
  });
});

describe('the class of a port', () => {
  it('holds for all that comes in there, and so does its drop precedence', () => {
    const results = (dropPrecedence: string): RunResults =>
      runScenario(`
duration: 8ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 1G, length: 100m } }
classes: { arbiter: { dwrr: { 2: 1, 5: 3 } } }
devices:
  s1:
    model: mvtx2802
    mvtx2802: { flowControl: false, wred: { sum: wfq, levels: [50KiB, 600KiB, 700KiB], x: 50% } }
    ports: { 1: { fixed: { class: 5, dropPrecedence: ${dropPrecedence} } }, 2: { fixed: { class: 2 } } }
load:
  - { name: one, stream: { from: h1, to: h3 }, rate: line, frame: 1518, priority: 0 }
  - { name: other, stream: { from: h2, to: h3 }, rate: 30%, frame: 1518, priority: 0 }
`);
    const dropped = (run: RunResults): number =>
      portOf(run, 's1:p1').priorities[0]!.drops['wred'] ?? 0;
    const low = results('low');
    const [first, second] = ['h1->h3', 'h2->h3'].map((name) => flowOf(low, name).frames);
    assert.ok(Math.abs(first! / (first! + second!) - 0.75) < 0.02, `${first} and ${second}`);
    // Between the first level and the second only high precedence is dropped.
    assert.equal(dropped(low), 0);
    assert.ok(dropped(results('high')) > 50);
  });
});

describe('multicast', () => {
  const cast = (registers: string): RunResults =>
    runScenario(`
duration: 20ms
fabric: { generator: star, hosts: 4, hostLink: { rate: 1G, length: 100m } }
switches:
  model: mvtx2802
  mvtx2802: { responseDelay: 1024ns, ${registers} }
groups: { both: [h3, h4] }
load:
  - { name: cast, stream: { from: h1, to: both }, rate: 90%, frame: 1518, priority: 5 }
  - { name: cross, stream: { from: h2, to: h3 }, rate: 90%, frame: 1518, priority: 5 }
`);

  it('unmanaged: stops the source again and again, long before its own slots', () => {
    const results = cast('multicast: unmanaged, mcc: 20');
    const { xoffs, xons, peakSlots } = slotPort(results, 's1:p1');
    assert.ok(xoffs > 1 && xoffs - xons <= 1 && peakSlots === 0);
  });

  it('off: nothing but its own slots stops the source', () => {
    const managed = cast('multicast: managed, congestion: 16');
    const off = cast('multicast: off');
    assert.ok(slotPort(managed, 's1:p1').xoffs > slotPort(off, 's1:p1').xoffs);
    assert.equal(slotPort(managed, 's1:p1').peakSlots, 0);
  });
});
