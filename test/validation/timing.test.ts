import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowOf, runScenario } from '../kit/emulate.js';

describe('line rate', () => {
  it('is reached to the bit: a full frame every 1,538 octet times', () => {
    const results = runScenario(`
duration: 1ms
fabric: { generator: pair, hostLink: { rate: 100G, length: 10m } }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, frame: 1518 }
`);
    // The last bit of frame n arrives n x 123.04 ns + 122.08 ns + 50 ns after the start.
    const arrived = Math.floor((1e9 - 1 - 122_080 - 50_000) / 123_040) + 1;
    assert.equal(flowOf(results, 'h1->h2').frames, arrived);
    assert.equal(flowOf(results, 'h1->h2').payloadOctets, arrived * 1472);
  });

  for (const [rate, octetPs] of [
    ['10M', 800_000],
    ['1G', 8000],
    ['25G', 320],
    ['400G', 20],
    ['1.6T', 5],
  ] as const) {
    it(`is exact at ${rate}`, () => {
      const duration = 1538 * octetPs * 1000;
      const results = runScenario(`
duration: ${duration}ps
fabric: { generator: pair, hostLink: { rate: ${rate}, delay: 0ns } }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, frame: 1518 }
`);
      assert.equal(flowOf(results, 'h1->h2').frames, 1000);
    });
  }
});

describe('delay of a single frame', () => {
  const scenario = (cutThrough: boolean, rates: readonly [string, string]): string => `
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: ${rates[0]}, length: 10m, interfaceDelay: 300ns }
    - { between: [s1, s2], rate: ${rates[1]}, length: 1km, interfaceDelay: 300ns }
    - { between: [s2, h2], rate: ${rates[1]}, length: 10m, interfaceDelay: 300ns }
switches: { pipeline: 450ns, cutThrough: ${cutThrough} }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, frame: 1000, bytes: 954 }
`;
  const links = 50_000 + 5_000_000 + 50_000;
  const interfaces = 3 * 300_000;
  const pipelines = 2 * 450_000;

  it('is serialisation, propagation, interfaces and pipelines to the picosecond', () => {
    const results = runScenario(scenario(false, ['100G', '25G']));
    const serialisation = 1008 * 80 + 2 * 1008 * 320;
    const expected = serialisation + links + interfaces + pipelines;
    assert.equal(flowOf(results, 'h1->h2').latencyMaxPs, expected);
    assert.equal(flowOf(results, 'h1->h2').idealPs, expected);
  });

  it('cutting through, counts 64 octets per switch instead of the whole frame', () => {
    const results = runScenario(scenario(true, ['100G', '100G']));
    const serialisation = 2 * (8 + 64) * 80 + 1008 * 80;
    const expected = serialisation + links + interfaces + pipelines;
    assert.equal(flowOf(results, 'h1->h2').latencyMaxPs, expected);
  });

  it('cannot cut through into a faster wire: the frame waits for its last bit there', () => {
    const results = runScenario(scenario(true, ['25G', '100G']));
    const serialisation = 1008 * 320 + (8 + 64) * 80 + 1008 * 80;
    const expected = serialisation + links + interfaces + pipelines;
    assert.equal(flowOf(results, 'h1->h2').latencyMaxPs, expected);
  });

  it('grows by four octets a tag', () => {
    const base = `
fabric: { generator: pair, hostLink: { rate: 10G, delay: 0ns } }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, frame: 64, bytes: 18, `;
    const latency = (vlan: string): number | null =>
      flowOf(runScenario(`${base}${vlan} }\n`), 'h1->h2').latencyMaxPs;
    assert.equal(latency('priority: 3'), 72 * 800);
    assert.equal(latency('vlan: 100'), 76 * 800);
    assert.equal(latency('vlan: { inner: 100, outer: 200 }'), 80 * 800);
  });
});

describe('completion of a message', () => {
  it('on an idle path is what the report calls ideal', () => {
    for (const transport of ['reliable', 'raw']) {
      const results = runScenario(`
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 1 }
load:
  - { name: s, stream: { from: h1, to: h2 }, rate: line, bytes: 100KB, transport: ${transport} }
`);
      const flow = flowOf(results, 'h1->h2');
      assert.equal(flow.completionPs, flow.idealPs);
      assert.equal(flow.slowdown, 1);
    }
  });

  const between = (link: string): string => `    - { between: [s1, s2], ${link} }`;
  const unlike = [
    ['rates', 'flow', ['rate: 10G', 'rate: 100G', 'rate: 25G']],
    ['lengths', 'flow', ['length: 1km', 'length: 2m', 'length: 30m']],
    ['rates and lengths', 'flow', ['rate: 400G, length: 5km', 'rate: 25G, length: 2m']],
    ['rates, frame by frame', 'packet', ['rate: 25G', 'rate: 10G', 'rate: 40G']],
    ['equal rates, frame by frame', 'packet', ['rate: 25G', 'rate: 25G', 'rate: 25G']],
  ] as const;
  for (const [name, ecmp, links] of unlike) {
    it(`is never sooner than ideal over parallel links of ${name}`, () => {
      const results = runScenario(`
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 100G }
${links.map(between).join('\n')}
    - { between: [s2, h2], rate: 100G }
switches: { ecmp: ${ecmp} }
load:
${Array.from({ length: 8 }, (_, i) => `  - { name: l${i}, stream: { from: h1, to: h2 }, rate: line, bytes: ${2 ** i * 3000}, start: ${i}ms, transport: raw }`).join('\n')}
`);
      const slowdowns = results.flows.map(({ slowdown }) => slowdown!);
      assert.equal(slowdowns.length, 8);
      assert.ok(Math.min(...slowdowns) >= 1, String(slowdowns));
      // The fastest path is one that a flow can have.
      if (ecmp === 'flow') assert.equal(Math.min(...slowdowns), 1);
    });
  }
});
