import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fabricOf, flowOf, run, runScenario } from '../kit/emulate.js';

const LOSSY = `
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: 10m } }
switches: { buffer: { size: 100KB } }
`;

describe('frames that are spread over equal-cost links', () => {
  const spread = (ecmp: string, transport: string, spines = 2): string => `
fabric: { generator: leaf-spine, leaves: 2, spines: ${spines}, hostsPerLeaf: 2 }
switches: { ecmp: ${ecmp} }
load:
  - { name: far, stream: { from: h1, to: h3 }, rate: line, bytes: 1MB, transport: ${transport} }
  - { name: near, stream: { from: h2, to: h1 }, rate: line, bytes: 1MB, transport: ${transport} }
`;
  const warned = (text: string): (string | null)[] =>
    fabricOf(text).warnings.map(({ load }) => load);

  it('are refused where go-back-N takes them for lost, with how many it sends again', () => {
    assert.deepEqual(warned(spread('packet', 'reliable')), ['far']);
    const [warning] = fabricOf(spread('packet', 'reliable')).warnings;
    assert.ok(warning!.isRefused);
    assert.match(
      warning!.message,
      /ecmp spreads the frames of a reliable flow of load far .*use ecmp: flow/,
    );
    const loaded = fabricOf(`
fabric: { generator: fat-tree, k: 4 }
switches: { ecmp: packet }
priorities: { 3: pfc }
load: [ { permutation: {}, bytes: 100KB, priority: 3, transport: { reliable: { mtu: 4096 } } } ]
`);
    const [about] = loaded.warnings;
    const expected = Number(/about (\d+) for each that arrives/.exec(about!.message)![1]);
    const { flows } = run(loaded);
    const sum = (key: 'retransmittedFrames' | 'frames'): number =>
      flows.reduce((total, flow) => total + flow[key], 0);
    const resent = sum('retransmittedFrames') / sum('frames');
    assert.ok(resent > expected / 6 && resent < expected, `${resent}, not ${expected}`);
  });

  it('are allowed, with a word of warning, where a flow keeps its path until it pauses', () => {
    const [warning] = fabricOf(spread('flowlet', 'reliable')).warnings;
    assert.equal(warning!.isRefused, false);
    assert.doesNotMatch(warning!.message, /about/);
  });

  it('are warned of where a receiver accepts fewer than paths may reorder, with both', () => {
    const [warning, ...others] = fabricOf(
      spread('packet', '{ selective: { window: 4, mtu: 1000 } }'),
    ).warnings;
    assert.deepEqual(others, []);
    assert.match(warning!.message, /load far may come behind (\d+) later ones .* accepts 4 before/);
    const packets = Number(/behind (\d+)/.exec(warning!.message)![1]);
    assert.deepEqual(
      warned(spread('packet', `{ selective: { window: ${packets}, mtu: 1000 } }`)),
      [],
    );
    assert.deepEqual(warned(spread('packet', 'selective')), []);
    const irn = fabricOf(spread('packet', '{ selective: { preset: irn } }')).warnings;
    assert.match(irn[0]!.message, /accepts 0 before/);
    assert.deepEqual(warned(spread('flow', 'uet')), []);
    assert.match(
      fabricOf(spread('flow', '{ uet: { window: 2, ackEvery: 1 } }')).warnings[0]!.message,
      / 2 /,
    );
    assert.deepEqual(
      warned(spread('flow', '{ uet: { window: 2, entropies: 1, ackEvery: 1 } }')),
      [],
    );
  });

  it('are refused where source flow control pauses sources for one of their paths', () => {
    const text = (ecmp: string): string =>
      `${spread(ecmp, 'selective')}priorities: { 0: { flowControl: pfc, sfc: true } }\n`;
    const [warning] = fabricOf(text('adaptive')).warnings;
    assert.ok(warning!.isRefused);
    assert.deepEqual(warning!.path, ['priorities', '0', 'sfc']);
    assert.match(warning!.message, /sfc on priority 0, whose frames ecmp spreads: .*ecmp: flow/);
    assert.deepEqual(warned(text('{ adaptive: { priorities: [3] } }')), []);
    assert.deepEqual(warned(text('flow')), []);
  });

  it('are not where one link leads on, or nothing is numbered', () => {
    assert.deepEqual(warned(spread('flow', 'reliable')), []);
    assert.deepEqual(warned(spread('packet', 'raw')), []);
    assert.deepEqual(warned(spread('packet', 'reliable', 1)), []);
  });
});

describe('the reliable transport', () => {
  it('delivers everything once and in order although the switch drops', () => {
    const results = runScenario(`${LOSSY}
load:
  - { name: s, incast: { from: [h2, h3], to: h1 }, bytes: 500KB, transport: { reliable: { mtu: 1024, timeout: 100us } } }
`);
    for (const flow of results.flows) {
      assert.equal(flow.payloadOctets, 500_000);
      assert.notEqual(flow.completionPs, null);
      assert.equal(flow.sentFrames, Math.ceil(500_000 / 1024) + flow.retransmittedFrames);
    }
    assert.ok(results.flows.some((flow) => flow.retransmittedFrames > 0));
    assert.ok(Object.values(results.priorities[0]!.drops).some((count) => count > 0));
  });

  it('sends no more than its window before the first acknowledgement', () => {
    const results = runScenario(`
duration: 9us
fabric: { generator: pair, hostLink: { rate: 100G, length: 1km } }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, transport: { reliable: { mtu: 1000, window: 7 } } }
`);
    assert.equal(flowOf(results, 'h1->h2').sentFrames, 7);
  });

  describe('retransmission timeouts', () => {
    /** Timeouts and retransmissions of one packet over a link that is down from 5 us on. */
    const outage = (settings: string, ms: number): { timeouts: number; retransmitted: number } => {
      const results = runScenario(`
duration: ${ms}ms
fabric: { generator: pair, hostLink: { rate: 100G, length: 10m } }
load:
  - name: s
    stream: { from: h1, to: h2 }
    bytes: 1000
    start: 10us
    transport: { reliable: { mtu: 1000, timeout: 100us, ${settings} } }
faults: [ { kind: loss, where: { device: h2, peer: h1 }, probability: 100% } ]
`);
      const flow = flowOf(results, 'h1->h2');
      return { timeouts: flow.timeouts, retransmitted: flow.retransmittedFrames };
    };

    it('double up to their bound while nothing is acknowledged', () => {
      // After 100, 300, 700, 1500, 3100 us, then each 1600 us: 4700, 6300, 7900, 9500.
      assert.deepEqual(outage('', 10), { timeouts: 9, retransmitted: 9 });
      assert.deepEqual(outage('maxTimeout: 400us', 2), { timeouts: 6, retransmitted: 6 });
      assert.deepEqual(outage('maxTimeout: 100us', 1), { timeouts: 9, retransmitted: 9 });
    });

    it('are reset by progress, so a second outage is noticed as fast as the first', () => {
      const results = runScenario(`
duration: 20ms
fabric: { generator: pair, hostLink: { rate: 10G, length: 10m } }
load:
  - name: s
    stream: { from: h1, to: h2 }
    bytes: 20MB
    transport: { reliable: { mtu: 1000, window: 16, timeout: 100us, maxTimeout: 1600us } }
faults:
  - { kind: loss, where: { device: h2, peer: h1 }, probability: 100%, at: 1ms, for: 1ms }
  - { kind: loss, where: { device: h2, peer: h1 }, probability: 100%, at: 5ms, for: 50us }
`);
      const flow = flowOf(results, 'h1->h2');
      // The first outage costs timeouts at 0.1, 0.3, 0.7 and 1.5 ms, the second one of 0.1 ms.
      assert.equal(flow.timeouts, 5);
      const idealPs = (20_000 * 1082 * 8e12) / 10e9;
      assert.ok(flow.completionPs! < idealPs + 1.5e9 + 0.1e9 + 0.1e9, `${flow.completionPs}`);
    });

    it('start over as soon as a part is acknowledged, not when the long timer expires', () => {
      // The 4th timeout waits until 1.5 ms; then half of the packets get through.
      const results = runScenario(`
duration: 10ms
fabric: { generator: pair, hostLink: { rate: 10G, length: 10m } }
load:
  - name: s
    stream: { from: h1, to: h2 }
    bytes: 16000
    transport: { reliable: { mtu: 1000, timeout: 100us, maxTimeout: 1600us } }
faults:
  - { kind: loss, where: { device: h2, peer: h1 }, probability: 100%, at: 0ns, for: 1ms }
  - { kind: loss, where: { device: h2, peer: h1 }, probability: 100%, at: 1508us, for: 50us }
`);
      const flow = flowOf(results, 'h1->h2');
      assert.ok(flow.completionPs !== null && flow.completionPs < 1.7e9, `${flow.completionPs}`);
      assert.equal(flow.timeouts, 5);
    });
  });

  it('keeps to its own rate', () => {
    const results = runScenario(`
duration: 1ms
fabric: { generator: pair, hostLink: { rate: 100G, length: 10m } }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, transport: { reliable: { mtu: 938, rate: 20G } } }
`);
    // 938 octets of payload make a frame of 1,000, which costs 1,020 on the wire.
    const expected = (20e9 * 938) / 1020;
    assert.ok(Math.abs(flowOf(results, 'h1->h2').goodputBps / expected - 1) < 0.002);
  });

  it('acknowledges as often as configured, and always the end of a message', () => {
    const acks = (ackEvery: number): number => {
      const results = runScenario(`
fabric: { generator: pair }
load:
  - { name: s, stream: { from: h1, to: h2 }, bytes: 100000, rate: line, transport: { reliable: { mtu: 1000, ackEvery: ${ackEvery} } } }
`);
      return results.ports.find((port) => port.device === 'h2')!.priorities[0]!.txFrames;
    };
    assert.equal(acks(1), 100);
    assert.equal(acks(8), 13);
    assert.equal(acks(1000), 1);
  });
});

describe('collective operations', () => {
  for (const algorithm of ['ring', 'halving-doubling', 'tree']) {
    it(`${algorithm} all-reduce finishes, and no step starts before what it needs`, () => {
      const results = runScenario(`
fabric: { generator: star, hosts: 8, hostLink: { rate: 100G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc } }
load:
  - { name: r, all-reduce: { algorithm: ${algorithm}, hosts: all, chunks: 2 }, bytes: 800KB, priority: 3 }
`);
      assert.ok(results.flows.every((flow) => flow.completionPs !== null));
      // Each host must pass on at least 2 (N-1)/N of the vector in ring and halving-doubling.
      const wire = 800_000 * 8 * 10;
      const least = algorithm === 'tree' ? wire : wire * 2 * (7 / 8);
      assert.ok(results.virtualPs > least, `${results.virtualPs} > ${least}`);
    });
  }
});

describe('ECN', () => {
  it('marks capable frames of a long queue, by step and by curve, and no others', () => {
    const marks = (ecn: string, ect: boolean): number =>
      runScenario(`
duration: 200us
fabric: { generator: star, hosts: 3 }
switches: { buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, ecn: ${ecn} } }
load:
  - { name: s, stream: { from: [h2, h3], to: h1 }, rate: line, priority: 3, ect: ${ect} }
`).priorities[0]!.markedFrames;
    const step = marks('{ step: 100KB }', true);
    const curve = marks('{ min: 50KB, max: 5MB, probability: 50% }', true);
    assert.ok(step > 1000);
    assert.ok(curve > 50 && curve < step);
    assert.equal(marks('{ step: 100KB }', false), 0);
    assert.equal(marks('{ step: 100MB }', true), 0);
    assert.ok(marks('{ step: 100KB, at: enqueue }', true) > 1000);
  });
});
