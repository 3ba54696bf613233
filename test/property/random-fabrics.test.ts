import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';
import { fc } from '../kit/properties.js';

const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const fabric = pick(
  'generator: star, hosts: 6',
  'generator: dumbbell, left: 3, right: 3',
  'generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 3',
  'generator: fat-tree, k: 2',
  'generator: clos, pods: 2, leavesPerPod: 1, hostsPerLeaf: 3, planes: 2, spinesPerPlane: 1',
);

const load = fc.record({
  kind: pick(
    'incast: { from: h2.., to: h1 }, bytes: 60KB',
    'permutation: { hosts: all, shift: 1 }, rate: line, bytes: 80KB',
    'permutation: { hosts: all, shift: 1 }, rate: 60%, bytes: 40KB, transport: raw',
    'all-to-all: { hosts: all }, bytes: 9KB',
    'all-reduce: { hosts: all, algorithm: ring, chunks: 2 }, bytes: 60KB',
    'stream: { from: h1, to: h2 }, arrivals: poisson, rate: 30%, bytes: 70KB, frame: 9000',
    'stream: { from: h2, to: h1 }, arrivals: on-off, rate: 50%, on: 3us, off: 2us, bytes: 30KB',
  ),
  priority: pick(0, 3, 4, 7),
});

const scenario = fc.record({
  fabric,
  rates: pick(['100G', '100G'], ['25G', '100G'], ['400G', '100G'], ['10G', '40G']),
  delay: pick('0ns', '25ns', '500ns', '5us'),
  interfaceDelay: pick('0ns', '300ns'),
  pipeline: pick('0ns', '450ns'),
  cutThrough: fc.boolean(),
  ecmp: pick('flow', 'packet'),
  cell: pick(1, 80, 208),
  method: pick(
    'priorities: { all: { flowControl: pfc, alpha: 0.5 } }',
    'priorities: { all: { flowControl: pfc, xoff: 30KB, responseDelay: 500ns } }',
    'priorities: { all: { flowControl: pfc, quanta: 20000, refresh: 10%, ecn: { step: 20KB } } }',
    'pause: { alpha: 0.25 }',
  ),
  arbiter: pick(
    'strict',
    'round-robin',
    '{ dwrr: { 0: 3, 3: 1 } }',
    '{ ets: { 0: 60%, 3: 40%, 7: strict } }',
  ),
  classes: pick('[0, 1, 2, 3, 4, 5, 6, 7]', '[0, 0, 0, 0, 1, 1, 1, 1]'),
  loads: fc.array(load, { minLength: 1, maxLength: 3 }),
  seed: fc.nat(1000),
});

function text(s: typeof scenario extends fc.Arbitrary<infer T> ? T : never): string {
  const hosts = s.fabric.includes('k: 2') ? 2 : 6;
  // With ETS a class without a share must not send; two classes do with what is given.
  const arbiter = s.classes.startsWith('[0, 0') && s.arbiter.includes('ets') ? 'strict' : s.arbiter;
  const priorities = s.arbiter.includes('ets') ? [0, 3, 7, 3] : [0, 3, 4, 7];
  const loads = s.loads.map(({ kind, priority }, i) => {
    const known = kind.replace('h2..', hosts === 2 ? 'h2' : `h2..h${hosts}`);
    const allowed = priorities[[0, 3, 4, 7].indexOf(priority)];
    return `  - { name: l${i}, ${known}, priority: ${allowed} }`;
  });
  const link = (rate: string): string =>
    `{ rate: ${rate}, delay: ${s.delay}, interfaceDelay: ${s.interfaceDelay} }`;
  return `
seed: ${s.seed}
fabric: { ${s.fabric}, hostLink: ${link(s.rates[0]!)}, fabricLink: ${link(s.rates[1]!)} }
switches: { pipeline: ${s.pipeline}, cutThrough: ${s.cutThrough}, ecmp: ${s.ecmp}, buffer: { size: 256MB, cell: ${s.cell} } }
${s.method}
classes: { transmit: ${s.classes}, arbiter: ${arbiter} }
load:
${loads.join('\n')}
`;
}

describe('any lossless fabric', () => {
  it('delivers everything, loses nothing, and its books balance', () => {
    fc.assert(
      fc.property(scenario, (s) => {
        const results = runScenario(text(s));
        assert.equal(results.failure, null);
        assert.equal(results.status, 'complete');
        for (const flow of results.flows) assert.notEqual(flow.completionPs, null, flow.name);
        for (const { drops } of results.priorities) assert.deepEqual(drops, {});
      }),
      { numRuns: 60, seed: 20260 },
    );
  });
});
