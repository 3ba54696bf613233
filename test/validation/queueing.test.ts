import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowOf, runScenario } from '../kit/emulate.js';

describe('M/D/1', () => {
  // Poisson arrivals on fast wires meet a fixed service time on a slow one. The mean wait is
  // rho / (2 (1 - rho)) services (Pollaczek and Khinchine).
  for (const load of [0.5, 0.8]) {
    it(`waits as long as it should at a load of ${load}`, () => {
      const results = runScenario(`
duration: 700ms
seed: 5
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: s1, kind: switch }
  links:
    - { between: [h1, s1], rate: 1.6T, delay: 0ns }
    - { between: [s1, h2], rate: 10G, delay: 0ns }
switches: { pipeline: 0ns, buffer: { size: 64MB } }
load:
  - { name: s, stream: { from: h1, to: h2 }, arrivals: poisson, rate: ${load * 9800}M, frame: 980 }
`);
      const flow = flowOf(results, 'h1->h2');
      const service = 1000 * 800;
      const fixed = 988 * 5 + 988 * 800;
      // The fast wire is itself such a queue, with a service 160 times shorter.
      const small = (1000 * 5 * (load / 160)) / (2 * (1 - load / 160));
      const wait = flow.latencyMeanPs! - fixed - small;
      const expected = (service * load) / (2 * (1 - load));
      assert.ok(Math.abs(wait / expected - 1) < 0.02, `${wait / expected}`);
    });
  }
});

describe('ETS', () => {
  it('shares a link within one percent, whatever the frame sizes', () => {
    const results = runScenario('examples/ets-shares.yaml');
    const wire = (name: string, frame: number, payload: number): number =>
      (results.flows.find((flow) => flow.load === name)!.payloadOctets / payload) * (frame + 20);
    const octets = [wire('bulk', 1518, 1472), wire('jumbo', 9018, 8972), wire('small', 256, 210)];
    const total = octets.reduce((a, b) => a + b, 0);
    [0.5, 0.3, 0.2].forEach((share, i) => {
      assert.ok(Math.abs(octets[i]! / total / share - 1) < 0.01);
    });
  });
});

describe('arbiters at a switch', () => {
  it('strict leaves nothing to a lower priority while a higher one fills the wire', () => {
    const results = runScenario(`
duration: 300us
fabric: { generator: star, hosts: 3 }
switches: { buffer: { size: 4MB } }
priorities: { all: { flowControl: pfc, alpha: 0.2 } }
classes: { arbiter: strict }
load:
  - { name: low, stream: { from: h1, to: h3 }, rate: line, priority: 1 }
  - { name: high, stream: { from: h2, to: h3 }, rate: line, priority: 6 }
`);
    assert.ok(flowOf(results, 'h1->h3').frames < 10);
    assert.ok(flowOf(results, 'h2->h3').goodputBps > 95e9);
  });

  // Which frame finds room is drawn for each: a share of n frames spreads by the root of n. At 25G
  // one round in four finds any room.
  for (const [senders, rate] of [
    [2, '100G'],
    [4, '100G'],
    [4, '25G'],
    [8, '100G'],
    [12, '40G'],
    [24, '100G'],
  ] as const) {
    it(`${senders} in step get equal shares of a lossy queue that sends ${rate}`, () => {
      const hosts = Array.from({ length: senders + 1 }, (_, i) => `h${i + 1}`);
      const device = (host: string): string => `    - { name: ${host}, kind: host }`;
      const link = (host: string): string =>
        `    - { between: [${host}, s1], rate: ${host === 'h1' ? rate : '100G'}, length: 10m }`;
      const results = runScenario(`
duration: 2ms
fabric:
  devices:
    - { name: s1, kind: switch }
${hosts.map(device).join('\n')}
  links:
${hosts.map(link).join('\n')}
switches: { buffer: { size: 500KB } }
load:
  - { name: s, stream: { from: h2..h${senders + 1}, to: h1 }, rate: line }
`);
      const frames = results.flows.map((flow) => flow.frames);
      const mean = frames.reduce((a, b) => a + b, 0) / frames.length;
      for (const count of frames) {
        assert.ok(Math.abs(count - mean) < 4 * Math.sqrt(mean), frames.join());
      }
    });
  }
});
