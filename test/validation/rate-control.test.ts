import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';
import { isLong, skipUnlessLong } from '../kit/long-suite.js';
import { assertFair, sharesOf } from '../kit/shares.js';

describe('DCQCN', () => {
  for (const variant of ['nic', 'paper']) {
    it(`brings two flows to fair shares within 5 %, though one came later (${variant})`, () => {
      const flow = (host: string, start: string): string =>
        `  - { stream: { from: ${host}, to: h1 }, priority: 3, transport: reliable,
      congestion: dcqcn, start: ${start} }`;
      const fabric = fabricOf(`
duration: 60ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 40G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, ecn: { step: 60KB } } }
dcqcn: { variant: ${variant} }
load:
${flow('h2', '0ns')}
${flow('h3', '2ms')}
`);
      const shares = sharesOf(fabric, 20, 50);
      assertFair(shares);
      // Of 37.0 Gb/s that the link has for payload.
      assert.ok(shares.gbps[0]! + shares.gbps[1]! > 36);
    });
  }

  for (const variant of ['nic', 'paper']) {
    it(`brings two flows to fair shares within 5 % as published, marking too (${variant})`, () => {
      const fabric = fabricOf(`
duration: 150ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 40G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, ecn: { min: 5KB, max: 200KB, probability: 1% } } }
dcqcn: { variant: ${variant} }
load:
  - { stream: { from: h2, to: h1 }, priority: 3, transport: { reliable: { mtu: 4096 } },
      congestion: dcqcn }
  - { stream: { from: h3, to: h1 }, priority: 3, transport: { reliable: { mtu: 4096 } },
      congestion: dcqcn, start: 2ms }
`);
      // Shares wander for milliseconds, since few packets are marked; over a tenth of a second not.
      const shares = sharesOf(fabric, 50, 150);
      assertFair(shares);
      assert.ok(shares.gbps[0]! + shares.gbps[1]! > 38);
    });
  }

  it('pauses less in an incast than PFC alone, and takes about as long', () => {
    const fabric = 'examples/incast-dcqcn.yaml';
    const results = run(fabricOf(fabric));
    const alone = run(fabricOf(fabric, 'load.0.congestion=none'));
    const blocked = ({ ports }: RunResults): number =>
      ports.flatMap((port) => port.priorities).reduce((sum, { blockedPs }) => sum + blockedPs, 0);
    const done = ({ flows }: RunResults): number =>
      Math.max(...flows.map(({ completionPs }) => completionPs!));
    assert.ok(blocked(alone) > 0);
    assert.ok(blocked(results) < 0.2 * blocked(alone), `${blocked(results)} of ${blocked(alone)}`);
    assert.ok(done(results) < 1.05 * done(alone));
  });

  it('receives one notification per interval and connection, and none is lost', () => {
    const { rates } = run(fabricOf('examples/incast-dcqcn.yaml', 'dcqcn.cnpInterval=100us'));
    for (const { notifications, notificationsSent } of rates) {
      assert.equal(notifications, notificationsSent);
      // The run takes some 700 us.
      assert.ok(notifications >= 2 && notifications <= 8, `${notifications}`);
    }
  });
});

describe('TIMELY', () => {
  it('brings two flows to fair shares within 5 %, though one came later', () => {
    const flow = (host: string, start: string): string =>
      `  - { stream: { from: ${host}, to: h1 }, priority: 3, transport: reliable,
      congestion: timely, start: ${start} }`;
    const fabric = fabricOf(`
duration: 60ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 40G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
load:
${flow('h2', '0ns')}
${flow('h3', '2ms')}
`);
    const shares = sharesOf(fabric, 15, 50);
    assertFair(shares);
    assert.ok(shares.gbps[0]! + shares.gbps[1]! > 35);
  });
});

describe('a limited rate', () => {
  it('spaces frames by their octets on the wire, to the picosecond', () => {
    // Cut to half at the first mark, and left there.
    const fabric = fabricOf(`
duration: 2ms
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
priorities: { 3: { ecn: { step: 1B } } }
dcqcn: { cnpInterval: 1s, raisePeriod: 1s, raiseBytes: 1TB }
load: [{ stream: { from: h2, to: h1 }, frame: 1480, priority: 3, congestion: dcqcn }]
`);
    const shares = sharesOf(fabric, 1, 2);
    // 1 ms at 50 Gb/s holds 4 166.67 frames of 1 500 octets on the wire, 1 434 of them payload.
    const frames = (shares.gbps[0]! * 1e6) / 8 / 1434;
    assert.ok(frames === 4166 || frames === 4167, `${frames}`);
  });
});

describe('QCN', () => {
  for (const sources of isLong ? [2, 4, 8] : [2, 8]) {
    it(`settles ${sources} sources at fair shares within 5 %, the queue at its set point`, () => {
      const fabric = fabricOf(`
duration: 4s
fabric: { generator: star, hosts: ${sources + 1}, hostLink: { rate: 10G, length: 10m } }
switches: { buffer: { size: 2MB } }
priorities: { 3: pfc }
qcn: { priorities: [3], sampleBase: 30KB, byteReset: 30KB, timeReset: 3ms }
load: [{ stream: { from: h2..h${sources + 1}, to: h1 }, frame: 4000, priority: 3, congestion: qcn }]
`);
      const shares = sharesOf(fabric, 2000, 3000);
      assertFair(shares);
      const { meanQueue } = shares;
      assert.ok(meanQueue > 0.7 * 26_000 && meanQueue < 1.3 * 26_000, `${meanQueue} octets`);
      assert.ok(shares.gbps.reduce((a, b) => a + b, 0) > 9.7);
    });
  }

  const published = (sources: number, frame: number, seconds: number): string => `
duration: ${seconds}s
fabric: { generator: star, hosts: ${sources + 1}, hostLink: { rate: 10G, length: 10m } }
switches: { buffer: { size: 2MB } }
priorities: { 3: pfc }
qcn: { priorities: [3] }
load: [{ stream: { from: h2..h${sources + 1}, to: h1 }, frame: ${frame}, priority: 3, congestion: qcn }]
`;

  // With more sources, each gets fewer messages, and shares vary longer about their mean.
  for (const [sources, frame, seconds] of [
    [2, 9000, 6],
    [4, 4000, 40],
    [8, 4000, 80],
  ] as const) {
    const skip = seconds < 40 ? false : skipUnlessLong;
    it(
      `brings ${sources} sources to fair shares within 5 % with the periods of the standard, over ${seconds} s`,
      { skip },
      () => {
        const fabric = fabricOf(published(sources, frame, seconds + 2));
        const shares = sharesOf(fabric, 2000, 2000 + 1000 * seconds);
        assertFair(shares);
        assert.ok(shares.gbps.reduce((a, b) => a + b, 0) > 9.8);
      },
    );
  }

  it('keeps the queue at its set point with the periods of the standard', () => {
    const { gbps, meanQueue } = sharesOf(fabricOf(published(2, 1518, 3)), 1000, 3000);
    assert.ok(meanQueue > 0.7 * 26_000 && meanQueue < 1.3 * 26_000, `${meanQueue} octets`);
    assert.ok(gbps[0]! + gbps[1]! > 9.5);
  });
});
