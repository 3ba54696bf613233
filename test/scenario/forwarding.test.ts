import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { flowOf, runScenario } from '../kit/emulate.js';

describe('a learning bridge', () => {
  const base = `
duration: 100us
fabric: { generator: star, hosts: 4 }
switches: { forwarding: bridged, buffer: { size: 2MB } }
`;

  it('floods what it does not know, and sends straight what it has seen', () => {
    const results = runScenario(`${base}
load:
  - { name: there, stream: { from: h1, to: h2 }, rate: 1G, frame: 1000 }
  - { name: back, stream: { from: h2, to: h1 }, rate: 1G, frame: 1000, start: 20us }
`);
    const there = flowOf(results, 'h1->h2');
    assert.equal(there.frames, 13);
    const strays = results.ports
      .filter((port) => ['h3', 'h4'].includes(port.device))
      .map((port) => port.priorities[0]!.drops['not-addressed']);
    // Frames released at 0, 8 and 16 us come before h2 has spoken at 20 us.
    assert.deepEqual(strays, [3, 3]);
  });

  const vlans = `${base}
devices:
  s1: { ports: { 1: { native: 10 }, 2: { native: 1, tagged: [10] }, 3: { native: 10 }, 4: { native: 20 } } }
`;

  it('keeps VLANs apart and tags where it should', () => {
    const results = runScenario(`${vlans}
load:
  - { name: within, stream: { from: h1, to: h2 }, rate: 1G, frame: 1000 }
`);
    assert.equal(flowOf(results, 'within/h1->h2').frames, 13);
    const port = (name: string): RunResults['ports'][number] =>
      results.ports.find((p) => p.port === name)!;
    const tagged = port('s1:p2').priorities[0]!;
    const untagged = port('s1:p3').priorities[0]!;
    assert.equal(tagged.txOctets / tagged.txFrames, 1004);
    assert.equal(untagged.txOctets / untagged.txFrames, 1000);
    assert.deepEqual(port('s1:p4').priorities, []);
  });

  it('has a scenario refused whose flow meets a port that does not carry its VLAN', () => {
    const across = '  - { name: across, stream: { from: h3, to: h4 }, rate: 1G, frame: 1000 }';
    assert.throws(() => runScenario(`${vlans}\nload:\n${across}\n`), /does not carry VLAN 10/);
  });
});

describe('a multicast group', () => {
  it('gets one copy per member, over a tree', () => {
    const results = runScenario(`
duration: 100us
fabric: { generator: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 2 }
switches: { buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc } }
groups: { g: [h2, h3, h5, h6] }
load:
  - { name: cast, stream: { from: h1, to: g }, rate: 10G, frame: 1000, priority: 3 }
`);
    const sent = results.ports.find((port) => port.device === 'h1')!.priorities[0]!.txFrames;
    for (const member of ['h2', 'h3', 'h5', 'h6']) {
      const received = results.ports.find((port) => port.device === member)!.priorities[0]!
        .rxFrames;
      assert.ok(received >= sent - 3 && received <= sent && received > 100);
    }
    for (const other of ['h4']) {
      assert.deepEqual(results.ports.find((port) => port.device === other)!.priorities, []);
    }
  });
});

describe('equal-cost paths', () => {
  const scenario = (ecmp: string): string => `
duration: 200us
fabric: { generator: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 8 }
switches: { ecmp: ${ecmp}, buffer: { size: 8MB } }
priorities: { 3: { flowControl: pfc } }
load:
  - { name: s, permutation: { hosts: all, shift: 8 }, rate: 10%, priority: 3, transport: raw }
`;
  const uplinks = (ecmp: string): number[] =>
    runScenario(scenario(ecmp))
      .ports.filter((port) => port.device === 'leaf1' && port.peer.startsWith('spine'))
      .map((port) => port.priorities[0]?.txFrames ?? 0);

  it('are shared evenly when frames are sprayed', () => {
    const frames = uplinks('packet');
    assert.ok(Math.max(...frames) - Math.min(...frames) <= 1, frames.join());
  });

  it('keep a flow on one path when chosen by flow', () => {
    const frames = uplinks('flow');
    const perFlow = Math.min(...frames.filter((count) => count > 0));
    for (const count of frames)
      assert.ok(Math.abs(count / perFlow - Math.round(count / perFlow)) < 0.05);
    assert.ok(frames.filter((count) => count > 0).length > 1);
  });
});
