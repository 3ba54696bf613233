import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';
import { assertFair, sharesOf } from '../kit/shares.js';

const twoFlows = (control: string, more = ''): string => `
duration: 24ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 40G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
load:
  - { stream: { from: h2, to: h1 }, priority: 3, transport: reliable, congestion: ${control} }
  - { stream: { from: h3, to: h1 }, priority: 3, transport: reliable, congestion: ${control},
      start: 2ms }
${more}`;

function blocked({ ports }: RunResults): number {
  return ports
    .flatMap((port) => port.priorities)
    .reduce((sum, { blockedPs }) => sum + blockedPs, 0);
}

describe('HPCC', () => {
  it('brings two flows to fair shares within 5 % of 95 % of the link, with next to no queue', () => {
    const shares = sharesOf(fabricOf(twoFlows('hpcc')), 10, 24);
    assertFair(shares);
    // Of 95 % of 40 Gb/s, 1 000 octets of payload in 1 150 on the wire are 33.0 Gb/s.
    const sum = shares.gbps.reduce((a, b) => a + b, 0);
    assert.ok(sum > 32 && sum < 34.5, String(sum));
    // A packet or two.
    assert.ok(shares.meanQueue < 3_000, String(shares.meanQueue));
  });

  it('takes an incast without a pause, where PFC alone pauses, and leaves a short queue', () => {
    const results = run(fabricOf('examples/incast-hpcc.yaml'));
    const alone = run(fabricOf('examples/incast-hpcc.yaml', 'load.0.congestion=none'));
    assert.ok(blocked(alone) > 1e9);
    assert.equal(blocked(results), 0);
    const done = ({ flows }: RunResults): number =>
      Math.max(...flows.map(({ completionPs }) => completionPs!));
    assert.ok(done(results) < 1.2 * done(alone));
    // What eight senders have under way in the round trip before they know: 8 x 62.5 kB.
    const peak = Math.max(
      ...results.ports.flatMap(({ priorities }) => priorities.map((p) => p.peakQueueOctets)),
    );
    assert.ok(peak < 1.1 * 8 * 62_500, String(peak));
  });

  it('reads what every switch on the way wrote, the busiest of which counts', () => {
    const results = run(
      fabricOf(`
duration: 4ms
fabric: { generator: dumbbell, left: 2, right: 2, hostLink: { rate: 100G }, fabricLink: { rate: 40G } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
load:
  - { stream: { from: h1, to: h3 }, priority: 3, transport: reliable, congestion: hpcc }
  - { stream: { from: h2, to: h4 }, priority: 3, transport: reliable, congestion: hpcc }
`),
    );
    const sum = results.flows.reduce((total, { goodputBps }) => total + goodputBps, 0);
    assert.ok(sum > 0.9 * 33e9 && sum < 35e9, String(sum));
  });
});

describe('Swift', () => {
  it('brings two flows to fair shares within 5 %, at a round trip near the target', () => {
    const shares = sharesOf(fabricOf(twoFlows('swift')), 10, 24);
    assertFair(shares);
    assert.ok(shares.gbps.reduce((a, b) => a + b, 0) > 35);
    // 23 us and flow scaling at 40 Gb/s are 115 to 200 kB.
    assert.ok(shares.meanQueue > 60_000 && shares.meanQueue < 220_000, String(shares.meanQueue));
  });

  it('has less than a packet under way each where a hundred send at once, and loses nothing', () => {
    const fabric = fabricOf(`
duration: 20ms
fabric: { generator: star, hosts: 101, hostLink: { rate: 10G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
load:
  - { incast: { from: h2..h101, to: h1 }, priority: 3, transport: reliable, congestion: swift,
      bytes: 1GB }
`);
    const results = run(fabric);
    const shares = results.rates.map(({ rateBps }) => rateBps);
    // A hundredth of 10 Gb/s each: in 129 us, the longest target, 1.5 packets; of 20 us 0.2.
    assert.ok(Math.min(...results.rates.map(({ leastBps }) => leastBps)) < 100e6);
    // Their sum swings around that: from 0.8 to 2 times the rate of the link.
    assert.ok(shares.reduce((a, b) => a + b, 0) < 2.5 * 10e9);
    assert.equal(blocked(results), 0);
    const sum = results.flows.reduce((total, { payloadOctets }) => total + payloadOctets, 0);
    assert.ok((sum * 8) / 20e-3 > 8e9, String(sum));
  });
});
