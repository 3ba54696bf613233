import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runsAlike } from '../kit/alike.js';
import { fabricOf, flowOf, runScenario, sourceOf } from '../kit/emulate.js';

const STAR = 'fabric: { generator: star, hosts: 4, hostLink: { rate: 1G, length: 100m } }\n';

function dropsOf(results: RunResults, reason: string): number {
  const all = results.priorities.map(({ drops }) => (drops as Record<string, number>)[reason] ?? 0);
  return all.reduce((sum, count) => sum + count, 0);
}

function managedSum(scenario: string, untilPs: number, name: string): number {
  const fabric = fabricOf(scenario);
  const engine = wholeEngine(fabric);
  new Windows(engine, fabric.cluster).run(untilPs);
  return engine.devices
    .filter(({ spec }) => spec.kind === 'switch')
    .flatMap(({ place, spec }) =>
      spec.ports.flatMap((_, port) =>
        engine.switching.parts(place).chip!.managedValues(port, untilPs),
      ),
    )
    .filter((one) => one.name === name)
    .reduce((sum, { value }) => sum + value, 0);
}

describe('delay bounds of an MVTX2802', () => {
  /** Each class alone has less than the port; together they have 108 % of it. */
  const classes = [7, 6, 5, 4, 3, 2]
    .map(
      (priority, i) =>
        `  - { name: p${priority}, stream: { from: ${i % 2 === 0 ? 'h1' : 'h2'}, to: h3 }, ` +
        `rate: 18%, frame: ${200 + 200 * i}, priority: ${priority}, arrivals: poisson }\n`,
    )
    .join('');
  const scenario = `duration: 30ms\n${STAR}switches:
  model: mvtx2802
  mvtx2802: { flowControl: false, scheduler: SCHEDULER, memory: 2MB }
load:\n${classes}`;
  const BOUNDS_US: Readonly<Record<number, number>> = {
    ...{ 7: 160, 6: 160, 5: 320, 4: 640, 3: 1280, 2: 2560 },
  };

  it('are kept but for what exceeds the thresholds of WRED, though the port has too much', () => {
    const results = runScenario(scenario.replace('SCHEDULER', 'delay-bound'));
    assert.ok(dropsOf(results, 'wred') > 100);
    const late = Object.entries(BOUNDS_US).map(([priority, boundUs]) => {
      const flow = results.flows.find(({ name }) => name.startsWith(`p${priority}/`))!;
      return flow.latencyMaxPs! / 1e6 - boundUs;
    });
    // The thresholds of the classes add up to a load of 384 KiB, and the bounds are of 320 KB.
    assert.ok(Math.max(...late) < 400, late.join());
    assert.ok(managedSum(scenario.replace('SCHEDULER', 'delay-bound'), 20e9, 'lateFrames') > 0);
  });

  it('are not what round robin keeps', () => {
    const results = runScenario(
      `${scenario.replace('SCHEDULER', 'classes')}classes: { arbiter: round-robin }\n`,
    );
    const flow = results.flows.find(({ name }) => name.startsWith('p7/'))!;
    assert.ok(flow.latencyMaxPs! > 205e6, String(flow.latencyMaxPs));
  });

  it('are longer at slower ports, as the same octets take longer there', () => {
    const slow = `${STAR.replace('1G', '100M')}switches: { model: mvtx2802, mvtx2802: { scheduler: strict-delay-bound } }\n`;
    const [chip] = fabricOf(slow).specs.filter(({ kind }) => kind === 'switch');
    assert.deepEqual(chip!.ports[0]!.arbiter, {
      kind: 'due-dates',
      strict: 0xc0,
      boundsPs: [null, null, 25.6e9, 12.8e9, 6.4e9, 3.2e9, null, null],
      weights: [0, 0, 0, 0, 0, 0, 0, 0],
    });
  });

  it('order frames alike in every runner', async () => {
    const fabric = fabricOf(
      scenario.replace('30ms', '2ms').replace('SCHEDULER', 'strict-delay-bound'),
    );
    await runsAlike(fabric, 2e9, [0.7e9, 1.3e9]);
  });
});

describe('weights of an MVTX2802', () => {
  it('are parts of 64 of the port', () => {
    const load = [5, 2, 0]
      .map(
        (priority, i) =>
          `  - { name: p${priority}, stream: { from: h${[1, 2, 4][i]!}, to: h3 }, rate: 90%, ` +
          `frame: 1000, priority: ${priority} }\n`,
      )
      .join('');
    const results = runScenario(`duration: 40ms\n${STAR}switches:
  model: mvtx2802
  mvtx2802: { flowControl: false, scheduler: strict-wfq, weights: { 5: 30, 4: 1, 3: 1, 2: 20, 1: 2, 0: 10 } }
load:\n${load}`);
    const [high, middle, low] = ['p5', 'p2', 'p0'].map(
      (name) => results.loads.find(({ load: one }) => one === name)!.goodputBps,
    );
    assert.ok(Math.abs(high! / low! - 3) < 0.06, `${high} ${low}`);
    assert.ok(Math.abs(middle! / low! - 2) < 0.04, `${middle} ${low}`);
  });
});

describe('the shaper of an MVTX2802', () => {
  const scenario = (shaper: string): string => `duration: 40ms
${STAR}switches:
  model: mvtx2802
  mvtx2802: { flowControl: false, scheduler: strict-wfq, shaper: ${shaper} }
load:
  - { name: ef, stream: { from: h1, to: h3 }, rate: 60%, frame: 1000, priority: 6 }
  - { name: rest, stream: { from: h2, to: h3 }, rate: 30%, frame: 1000, priority: 2 }
  - { name: elsewhere, stream: { from: h2, to: h4 }, rate: 20%, frame: 1000, priority: 6 }
`;
  const goodput = (results: RunResults, load: string): number =>
    results.loads.find((one) => one.load === load)!.goodputBps;

  it('holds P6 to its average rate, on a port that is idle', () => {
    const results = runScenario(scenario('{ peak: 32, average: 16 }'));
    const free = runScenario(scenario('off'));
    const ratio = goodput(results, 'ef') / goodput(free, 'ef');
    // 250 of 600 Mb/s, in octets of the wire.
    assert.ok(Math.abs(ratio - 250 / 600) < 0.01, String(ratio));
    assert.ok(goodput(results, 'rest') > 0.99 * goodput(free, 'rest'));
    assert.ok(goodput(results, 'elsewhere') > 0.99 * goodput(free, 'elsewhere'));
    // A strict class is only dropped for want of a slot: its queue grows as long as there are any.
    assert.equal(dropsOf(free, 'no-slot'), 0);
    assert.ok(dropsOf(results, 'no-slot') > 0);
    assert.equal(dropsOf(results, 'wred'), 0);
  });

  it('lets it have its peak rate for the burst', () => {
    const peak = runScenario(scenario('{ peak: 32, average: 16, burst: 4MB }'));
    const free = runScenario(scenario('off'));
    const ratio = goodput(peak, 'ef') / goodput(free, 'ef');
    assert.ok(Math.abs(ratio - 500 / 600) < 0.01, String(ratio));
  });

  it('shapes alike in every runner', async () => {
    const text = scenario('{ peak: 40, average: 7, burst: 3KB }').replace('40ms', '2ms');
    await runsAlike(fabricOf(text), 2e9, [0.3e9, 1.1e9]);
    assert.ok(managedSum(text, 2e9, 'shapedTimePs') > 1e9);
  });
});

describe('the CPU of an MVTX2802', () => {
  const scenario = `duration: 6ms
fabric: { generator: star, hosts: 5, hostLink: { rate: 1G, length: 100m } }
switches:
  model: mvtx2802
  mvtx2802: { cpuPort: 5, source: 110, xoff: 8, responseDelay: 1024ns, multicast: managed, congestion: 4 }
groups: { both: [h2, h5] }
load:
  - { name: up, stream: { from: [h1, h2, h3], to: h5 }, rate: 60%, frame: 1000, priority: 5 }
  - { name: cast, stream: { from: h4, to: both }, rate: 20%, frame: 500, priority: 5 }
  - { name: down, stream: { from: h5, to: h1 }, rate: 40%, frame: 800, priority: 7 }
`;

  it('sends and receives as a fifth port, and is never paused', () => {
    const results = runScenario(scenario);
    assert.equal(results.status, 'complete');
    const cpu = results.slotPorts.find(({ port }) => port === 's1:p5')!;
    assert.equal(cpu.flowControl, false);
    assert.equal(cpu.xoffs, 0);
    const up = results.loads.find(({ load }) => load === 'up')!;
    assert.ok(up.goodputBps > 700e6, String(up.goodputBps));
    assert.ok(flowOf(results, 'h5->h1').frames > 250);
    for (const name of ['h1:p1', 'h2:p1', 'h3:p1']) {
      assert.ok(results.slotPorts.some(({ port, xoffs }) => port !== name && xoffs > 0));
    }
  });

  it('does not stop multicast by its queue, which the port map has no bit for', () => {
    const xoffs = (text: string): number =>
      runScenario(text).slotPorts.find(({ port }) => port === 's1:p4')!.xoffs;
    const alone = scenario.replace('source: 110', 'source: 100, memory: 2MB');
    assert.equal(xoffs(alone), 0);
    const asPort = alone.replace('cpuPort: 5', 'cpuPort: 3');
    assert.ok(xoffs(asPort) > 0);
  });

  it('takes part alike in every runner', async () => {
    await runsAlike(fabricOf(scenario.replace('6ms', '1ms')), 1e9, [0.4e9]);
  });
});

describe('temporary slots of an MVTX2802', () => {
  const scenario = (temporary: number): string => `duration: 3ms
${STAR}switches: { model: mvtx2802, mvtx2802: { temporary: ${temporary}, responseDelay: 1024ns } }
load:
  - { name: ring, permutation: { hosts: all, shift: 1 }, rate: 90%, frame: 1000, transport: raw }
  - { name: short, stream: { from: h1, to: h4 }, rate: 5%, frame: 64, arrivals: poisson }
`;

  it('are enough by default, and fewer lose frames at their first bit, with a warning', () => {
    const enough = runScenario(scenario(8));
    assert.equal(dropsOf(enough, 'no-temporary-slot'), 0);
    const few = runScenario(scenario(2));
    assert.ok(dropsOf(few, 'no-temporary-slot') > 100);
    const { fabric } = sourceOf(scenario(2));
    assert.match(
      fabric.warnings.map(({ message }) => message).join(),
      /^s1: temporary slots for 2 frames, and 8 may be coming in at once.*write temporary: 8/,
    );
  });

  it('are counted by port, and alike in every runner', async () => {
    await runsAlike(fabricOf(scenario(3).replace('3ms', '500us')), 0.5e9, [0.1e9, 0.33e9]);
    assert.ok(managedSum(scenario(2), 1e9, 'framesWithoutTemporarySlot') > 30);
  });
});

describe('thresholds of VLANs of an MVTX2802', () => {
  const scenario = (registers: string, duration = '10ms'): string => `duration: ${duration}
${STAR}switches:
  model: mvtx2802
  forwarding: bridged
  mvtx2802: { multicast: managed, congestion: 8, source: 120, responseDelay: 1024ns${registers} }
devices:
  s1: { ports: { 1: { native: 10 }, 2: { native: 20 }, 3: { native: 10, tagged: [20] }, 4: { native: 10 } } }
groups: { both: [h3, h4] }
load:
  - { name: hello, stream: { from: h3, to: h2 }, bytes: 64, frame: 64, priority: 6, vlan: 20 }
  - { name: cast, stream: { from: h1, to: both }, rate: 60%, frame: 1000, priority: 5, start: 10us }
  - { name: cross, stream: { from: h2, to: h3 }, rate: 60%, frame: 1000, priority: 5, start: 10us }
`;
  const xoffs = (registers: string): number[] =>
    runScenario(scenario(registers)).slotPorts.map((port) => port.xoffs);

  it('are those of the VLAN of the frame', () => {
    const [alike] = xoffs('');
    const [high] = xoffs(', vlanCongestion: { 10: 40 }');
    const [other] = xoffs(', vlanCongestion: { 20: 40 }');
    assert.ok(alike! > 5);
    assert.ok(high! < alike! / 2, `${high} of ${alike}`);
    assert.equal(other, alike);
  });

  it('have one digest in every runner, saved and restored', () => {
    const fabric = fabricOf(scenario(', vlanCongestion: { 10: 5, 20: 12 }', '1ms'));
    for (const seed of [1, 2]) assert.equal(whatIsWrong(fabric, seed), null);
  });
});
