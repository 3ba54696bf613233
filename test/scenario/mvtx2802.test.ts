import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

describe('an MVTX2802 with VLANs', () => {
  /** h1's VLAN goes to h3 and h4; h2 and h3 have one of their own. */
  const results = runScenario(`
duration: 10ms
fabric: { generator: star, hosts: 4, hostLink: { rate: 1G, length: 100m } }
switches:
  model: mvtx2802
  forwarding: bridged
  mvtx2802: { multicast: managed, congestion: 8, responseDelay: 1024ns }
devices:
  s1: { ports: { 1: { native: 10 }, 2: { native: 20 }, 3: { native: 10, tagged: [20] }, 4: { native: 10 } } }
groups: { both: [h3, h4] }
load:
  - { name: hello, stream: { from: h3, to: h2 }, bytes: 64, frame: 64, priority: 6, vlan: 20 }
  - { name: cast, stream: { from: h1, to: both }, rate: 90%, frame: 1000, priority: 5, start: 10us }
  - { name: cross, stream: { from: h2, to: h3 }, rate: 90%, frame: 1000, priority: 5, start: 10us }
`);

  it('is stopped by a congested destination of the VLAN of the frame', () => {
    const [first, ...others] = results.slotPorts.map(({ xoffs }) => xoffs);
    assert.ok(first! > 5);
    assert.deepEqual(others, [0, 0, 0]);
    assert.equal(results.status, 'complete');
    assert.deepEqual(results.priorities.find(({ priority }) => priority === 5)!.drops, {});
  });

  it('has frames of several sizes at a port, as tags come and go', () => {
    assert.ok(flowOf(results, 'cross/h2->h3').frames > 500);
    const tx = results.ports.find(({ port }) => port === 's1:p3')!.priorities;
    const { txOctets, txFrames } = tx.find(({ priority }) => priority === 5)!;
    const mean = txOctets / txFrames;
    assert.ok(mean > 1000 && mean < 1004);
  });
});

describe('two of them that carry multicast both ways', () => {
  const scenario = (multicast: string): string => `
fabric: { generator: dumbbell, left: 2, right: 2, link: { rate: 1G } }
switches: { model: mvtx2802, mvtx2802: { multicast: ${multicast} } }
groups: { left: [h1, h2], right: [h3, h4] }
load:
  - { name: to, stream: { from: [h1, h2], to: right }, rate: line, bytes: 200KB, frame: 500 }
  - { name: fro, stream: { from: [h3, h4], to: left }, rate: line, bytes: 200KB, frame: 500 }
`;

  it('lock each other up by a count of all frames, and the run says so', () => {
    const { failure, slotPorts } = runScenario(scenario('unmanaged, mcc: 3'));
    assert.match(failure!.reason, /^deadlock: s1:p3 waits for s2:p3, and so round$/);
    const between = slotPorts.filter(({ port }) => port.endsWith(':p3'));
    assert.ok(between.every(({ xoffs, xons }) => xoffs === 1 && xons === 0));
    const { deadlocks } = repeatRun(fabricOf(scenario('unmanaged, mcc: 3')), null, null).congestion;
    assert.deepEqual(
      deadlocks.map(({ ring }) => ring.map(({ ingress, egress }) => [ingress, egress])),
      [
        [
          ['s1:p3', 's1:p3'],
          ['s2:p3', 's2:p3'],
        ],
      ],
    );
  });

  it('do not by the queues of destinations', () => {
    const results = runScenario(scenario('managed, congestion: 3'));
    assert.equal(results.status, 'complete');
    assert.ok(results.slotPorts.some(({ xoffs }) => xoffs > 10));
    const { congestion } = repeatRun(fabricOf(scenario('managed, congestion: 3')), null, null);
    assert.deepEqual(congestion.deadlocks, []);
  });
});

describe('beside a switch with a shared buffer', () => {
  const scenario = (pause: boolean): string => `
fabric: { generator: dumbbell, left: 3, right: 3, link: { rate: 1G, length: 100m } }
switches: { buffer: { size: 60KB } }
pause: ${pause}
devices: { s1: { model: mvtx2802, mvtx2802: { source: 120, xoff: 20 } } }
load:
  - { name: there, incast: { from: h1..h3, to: h4 }, bytes: 400KB, transport: raw }
  - { name: back, incast: { from: [h2, h4], to: h1 }, bytes: 400KB, transport: raw }
`;

  it('that has PAUSE too, neither loses a frame', () => {
    const results = runScenario(scenario(true));
    assert.equal(results.status, 'complete');
    assert.deepEqual(results.priorities[0]!.drops, {});
    assert.deepEqual(
      results.buffers.map(({ device }) => device),
      ['s2'],
    );
  });

  it('that has none, the other responds and loses what it cannot hold', () => {
    const results = runScenario(scenario(false));
    assert.equal(results.status, 'complete');
    const droppers = results.ports.filter(({ priorities }) =>
      priorities.some(({ drops }) => Object.keys(drops).length > 0),
    );
    assert.ok(droppers.length > 0 && droppers.every(({ device }) => device === 's2'));
    assert.ok(results.ports.find(({ port }) => port === 's2:p4')!.controlReceived > 0);
  });
});

describe('an MVTX2802 that is hurt', () => {
  it('has every slot back after a reboot, and its books balance', () => {
    const faults = [
      '{ kind: link-down, where: { device: s1, peer: h3 }, at: 1ms, for: 300us, every: 1ms }',
      '{ kind: control, where: { kind: host }, frames: pause, action: lose, probability: 30% }',
      '{ kind: reboot, where: { device: s1 }, at: 3ms, for: 200us }',
    ];
    const setting = `faults=[${faults.join(', ')}]`;
    const results = runScenario('examples/mvtx2802-multicast.yaml', setting);
    assert.equal(results.failure, null);
    assert.ok(results.priorities[0]!.drops['device-reset']! > 0);
  });
});
