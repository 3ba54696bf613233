import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';
import { fc } from '../kit/properties.js';

const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** No switch of these has more than four ports. */
const fabric = pick(
  ['generator: star, hosts: 4', 4],
  ['generator: dumbbell, left: 3, right: 3', 6],
  ['generator: leaf-spine, leaves: 3, spines: 1, hostsPerLeaf: 2', 6],
) as fc.Arbitrary<readonly [string, number]>;

const load = fc.record({
  kind: pick(
    'incast: { from: h2..LAST, to: h1 }, bytes: 40KB',
    'permutation: { hosts: all, shift: 1 }, rate: line, bytes: 60KB, transport: raw',
    'all-to-all: { hosts: all }, bytes: 4KB',
    'stream: { from: [h1, h2], to: group }, rate: line, bytes: 30KB, frame: 64',
    'stream: { from: h3, to: group }, rate: 70%, bytes: 90KB, frame: 1518',
    'stream: { from: h1, to: h3 }, arrivals: poisson, rate: 60%, bytes: 50KB, frame: 200',
  ),
  priority: pick(0, 2, 5, 7),
});

const scenario = fc.record({
  fabric,
  rates: pick(['1G', '1G'], ['1G', '100M']),
  length: pick('5m', '100m', '2km'),
  interfaceDelay: pick('0ns', '300ns'),
  pipeline: pick('0ns', '450ns'),
  multicast: pick('off', 'unmanaged, mcc: 3', 'unmanaged, mcc: 9, multicastStops: all', 'managed'),
  congestion: pick(1, 12),
  order: pick('shared-first', 'source-first'),
  source: pick(70, 120),
  arbiter: pick('strict', 'round-robin'),
  loads: fc.array(load, { minLength: 1, maxLength: 3 }),
  seed: fc.nat(1000),
});

type Sample = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function text(s: Sample, registers = ''): string {
  const [generator, hosts] = s.fabric;
  // A count of all such frames does not know which way they go: several switches may lock up by it.
  const multicast = s.multicast.startsWith('unmanaged') && hosts > 4 ? 'managed' : s.multicast;
  const loads = s.loads.map(
    ({ kind, priority }, i) =>
      `  - { name: l${i}, ${kind.replace('LAST', `h${hosts}`)}, priority: ${priority} }`,
  );
  const link = (rate: string): string =>
    `{ rate: ${rate}, length: ${s.length}, interfaceDelay: ${s.interfaceDelay} }`;
  return `
seed: ${s.seed}
fabric: { ${generator}, hostLink: ${link(s.rates[0]!)}, fabricLink: ${link(s.rates[1]!)} }
switches:
  model: mvtx2802
  pipeline: ${s.pipeline}
  mvtx2802: { multicast: ${multicast}, congestion: ${s.congestion}, order: ${s.order}, source: ${s.source}${registers} }
classes: { arbiter: ${s.arbiter} }
groups: { group: [h2, h3, h4] }
load:
${loads.join('\n')}
`;
}

describe('any fabric of MVTX2802s', () => {
  it('with flow control delivers everything, loses nothing, and its books balance', () => {
    fc.assert(
      fc.property(scenario, (s) => {
        const results = runScenario(text(s));
        assert.equal(results.failure, null);
        assert.equal(results.status, 'complete');
        for (const flow of results.flows) assert.notEqual(flow.completionPs, null, flow.name);
        for (const { drops } of results.priorities) assert.deepEqual(drops, {});
      }),
      { numRuns: 20, seed: 2802 },
    );
  });

  it('without it, or with normal QoS, may lose frames, and its books balance all the same', () => {
    const registers = pick(', flowControl: false', ', normalQos: true');
    fc.assert(
      fc.property(scenario, registers, (s, changes) => {
        const results = runScenario(text(s, changes));
        assert.equal(results.failure, null);
        assert.equal(
          results.slotPorts.reduce((sum, port) => sum + port.downgradedFrames, 0),
          0,
        );
      }),
      { numRuns: 10, seed: 2802 },
    );
  });
});
