import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

/** A permutation over a fat-tree whose switches have one bandwidth-delay product (160 KB) a port. */
const sprayed = (k: number, permutation: string, transport: string): string => `
fabric:
  generator: fat-tree
  k: ${k}
  hostLink: { rate: 100G, length: 200m }
  fabricLink: { rate: 100G, length: 200m }
switches: { ecmp: packet, buffer: { size: ${160 * k}KB } }
priorities: { 3: pfc }
load:
  - name: p
    permutation: ${permutation}
    bytes: 2MB
    priority: 3
    transport: ${transport}
`;

const LOSSY = (transport: string, more = ''): string => `
fabric: { generator: star, hosts: 5, hostLink: { rate: 100G, length: 100m } }
switches: { buffer: { size: 200KB } }
load:
  - { name: s, incast: { from: h2..h5, to: h1 }, bytes: 500KB, transport: ${transport} }
${more}
`;

describe('selective repeat under packet spraying', () => {
  for (const [k, shift] of [
    [4, 5],
    [8, 17],
  ] as const) {
    it(`ends a permutation at its ideal time, k=${k}: nothing is lost or resent`, () => {
      const permutation = `{ shift: ${shift} }`;
      const results = runScenario(sprayed(k, permutation, '{ selective: { mtu: 4096 } }'));
      for (const flow of results.flows) {
        assert.ok(flow.slowdown !== null && flow.slowdown < 1.15, `${flow.name} ${flow.slowdown}`);
        assert.equal(flow.retransmittedFrames, 0);
        assert.equal(flow.transport, 'selective');
      }
      assert.deepEqual(results.priorities[0]!.drops, {});
      assert.deepEqual(results.warnings, []);
    });
  }

  it('stores what comes early, within a window, and counts it', () => {
    const text = sprayed(4, '{}', '{ selective: { mtu: 4096, window: 60, ackEvery: 4 } }');
    const { flows } = runScenario(text);
    assert.ok(flows.some(({ outOfOrderFrames }) => outOfOrderFrames > 100));
    for (const flow of flows) {
      const { outOfOrderFrames: outOfOrder, duplicateFrames: duplicates } = flow;
      const { reorderPeakFrames: peakPackets, reorderPeakOctets: peakOctets } = flow;
      const p99Packets = flow.reorderP99Frames;
      assert.equal(duplicates, 0);
      assert.ok(peakPackets < 60 && p99Packets <= peakPackets);
      assert.ok(peakOctets <= peakPackets * 4096 && peakOctets >= (peakPackets - 1) * 4096);
      assert.equal(outOfOrder > 0, peakPackets > 0);
    }
    assert.ok(flows.every(({ retransmittedFrames }) => retransmittedFrames === 0));
  });

  it('resends in vain where any gap is a loss', () => {
    const { flows } = runScenario(sprayed(4, '{}', '{ selective: { preset: irn, mtu: 4096 } }'));
    const sum = (of: (flow: (typeof flows)[number]) => number): number =>
      flows.reduce((total, flow) => total + of(flow), 0);
    const resent = sum(({ retransmittedFrames }) => retransmittedFrames);
    assert.ok(resent > 500);
    // Nothing is lost, so all of them had come already.
    assert.equal(
      sum(({ duplicateFrames }) => duplicateFrames),
      resent,
    );
    assert.ok(flows.every(({ payloadOctets }) => payloadOctets === 2_000_000));
  });
});

describe('selective repeat where switches drop', () => {
  it('delivers each octet once, and resends less than go-back-N', () => {
    const resentBy = (transport: string): number => {
      const { flows, priorities } = runScenario(LOSSY(transport));
      const dropped = Object.values(priorities[0]!.drops).reduce((a, b) => a + b, 0);
      assert.ok(dropped > 0);
      for (const flow of flows) {
        assert.equal(flow.payloadOctets, 500_000);
        assert.notEqual(flow.completionPs, null);
        assert.equal(flow.sentFrames, Math.ceil(500_000 / 1024) + flow.retransmittedFrames);
      }
      const resent = flows.reduce((sum, flow) => sum + flow.retransmittedFrames, 0);
      const vain = flows.reduce((sum, { duplicateFrames }) => sum + duplicateFrames, 0);
      // What was sent and did not arrive was dropped, answers included.
      if (transport.includes('selective')) assert.ok(resent - vain <= dropped);
      return resent;
    };
    const windows = 'window: 64, timeout: 100us';
    const irn = resentBy('{ selective: { preset: irn, window: 64 } }');
    assert.ok(2 * irn < resentBy(`{ reliable: { ${windows} } }`), `${irn}`);
  });

  it('recovers from the loss of a tail by the timeout for few packets', () => {
    const tail = (settings: string): number => {
      const text = `
fabric: { generator: pair, hostLink: { rate: 100G, length: 10m } }
load:
  - name: s
    stream: { from: h1, to: h2 }
    bytes: 2000
    transport: { selective: { mtu: 1000, ${settings} } }
faults: [ { kind: loss, where: { device: h2, peer: h1 }, probability: 100%, at: 0ns, for: 5us } ]
`;
      return flowOf(runScenario(text), 'h1->h2').completionPs!;
    };
    const within = (ps: number, us: number): boolean => ps > us * 1e6 && ps < (us + 5) * 1e6;
    assert.ok(within(tail('preset: irn'), 100));
    assert.ok(within(tail('preset: irn, fewPackets: 2'), 320));
    assert.ok(within(tail('timeout: 50us'), 50));
  });

  it('passes losses to rate controls, and combines with any of them', () => {
    const marked = 'priorities: { 0: { ecn: { min: 20KB, max: 80KB, probability: 50% } } }';
    for (const congestion of ['dcqcn', 'timely', 'swift', 'hpcc']) {
      const text = LOSSY('{ selective: { preset: irn } }', marked);
      const { flows } = runScenario(text, `load.s.congestion=${congestion}`);
      assert.ok(
        flows.every(({ completionPs }) => completionPs !== null),
        congestion,
      );
    }
  });

  it('completes messages in order, each with the time of its own release', () => {
    const text = `
fabric: { generator: leaf-spine, leaves: 4, spines: 4, hostsPerLeaf: 1 }
switches: { ecmp: packet, buffer: { size: 60KB } }
load:
  - name: ring
    all-reduce: { hosts: h1..h4, chunks: 8 }
    bytes: 400KB
    transport: { selective: { preset: irn, mtu: 256 } }
  - { name: other, incast: { from: [h1, h2, h3], to: h4 }, bytes: 200KB, transport: selective }
`;
    const results = runScenario(text, 'observe.events=true');
    const ring = results.flows.filter(({ load }) => load === 'ring');
    assert.ok(ring.some(({ outOfOrderFrames }) => outOfOrderFrames > 0));
    for (const flow of ring) {
      assert.equal(flow.payloadOctets, flow.offeredOctets);
      assert.notEqual(flow.completionPs, null);
    }
  });
});

describe('the settings of selective repeat', () => {
  const refused = (settings: string): string => {
    try {
      fabricOf(`
fabric: { generator: pair }
load: [ { stream: { from: h1, to: h2 }, bytes: 1KB, transport: { selective: { ${settings} } } } ]
`);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('are refused where they contradict each other, with place and remedy', () => {
    assert.match(
      refused('window: 0'),
      /:\d+:\d+: load.*window: .*: 0; write a whole number from 1 to 65536/,
    );
    assert.match(
      refused('window: 70000'),
      /window: .*: 70000; write a whole number from 1 to 65536/,
    );
    assert.match(refused('preset: roce'), /preset: unknown: roce; one of irn/);
    assert.match(refused('lowTimeout: 5ms'), /:\d+:\d+: .*lowTimeout is above timeout/);
    assert.match(refused('timeout: 2ms, maxTimeout: 1ms'), /maxTimeout is below timeout/);
    assert.equal(refused('preset: irn, timeout: 1ms'), '');
  });
});
