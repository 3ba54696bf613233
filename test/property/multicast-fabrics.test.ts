import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { ScenarioError } from '../../services/settings/errors.js';
import { Session } from '../../services/runtime/session.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import { fabricOf } from '../kit/emulate.js';
import { fc } from '../kit/properties.js';

const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const world = fc.record({
  fabric: pick(
    'generator: star, hosts: 6',
    'generator: dumbbell, left: 3, right: 3',
    'generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3',
  ),
  rates: pick(['100G', '100G'], ['25G', '100G'], ['400G', '100G'], ['10G', '40G']),
  length: pick('2m', '100m', '300m'),
  forwarding: pick('bridged', 'routed'),
  cutThrough: fc.boolean(),
  cell: pick(1, 80, 208),
  size: pick('2MB', '8MB'),
  alpha: pick(0.1, 1, 8),
  method: pick('pfc', 'credit', 'pause', 'both'),
  nic: fc.boolean(),
  streams: fc.array(
    fc.record({
      from: pick('h1', 'h4', 'h5'),
      to: pick('few', 'many', 'h2'),
      priority: pick(0, 3, 4),
      frame: pick(64, 500, 1518, 9000),
      rate: pick('line', '40%'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  incast: fc.boolean(),
  flap: fc.boolean(),
  seed: fc.nat(1000),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function text(w: World): string {
  const { method } = w;
  const lossless: Readonly<Record<string, string>> = {
    pfc: `priorities: { 3: { flowControl: pfc, alpha: ${w.alpha} }, 4: pfc }`,
    credit: 'priorities: { 3: credit, 4: credit }',
    pause: `pause: { alpha: ${w.alpha} }`,
    both: `priorities: { 3: { flowControl: pfc, alpha: ${w.alpha} }, 4: credit }`,
  };
  const link = (rate: string): string => `{ rate: ${rate}, length: ${w.length} }`;
  const loads = w.streams.map(
    ({ from, to, priority, frame, rate }, i) =>
      `  - { name: s${i}, stream: { from: ${from}, to: ${to} }, rate: ${rate}, frame: ${frame}, ` +
      `priority: ${priority}, bytes: 60KB }`,
  );
  if (w.incast) {
    loads.push('  - { name: i, incast: { from: h2..h6, to: h1 }, bytes: 40KB, priority: 3 }');
  }
  // A receiver below the rate of its link, so that its buffers fill.
  const nic =
    w.nic && w.rates[0] === '10G'
      ? 'devices: { h2: { nic: { model: 82599, pcie: { rate: 5G }, ' +
        'watermarks: { 0: { high: 4, low: 1 }, 3: { high: 4, low: 1 }, 4: { high: 4, low: 1 } } } } }'
      : '';
  const flap =
    '{ kind: link-down, where: { device: h2 }, at: 5us, for: 3us, every: 20us, times: 3 }';
  return `
seed: ${w.seed}
duration: 1ms
fabric: { ${w.fabric}, hostLink: ${link(w.rates[0]!)}, fabricLink: ${link(w.rates[1]!)} }
switches:
  forwarding: ${w.forwarding}
  cutThrough: ${w.cutThrough}
  buffer: { size: ${w.size}, cell: ${w.cell} }
${lossless[method]!}
${nic}
groups: { few: [h2, h3], many: h1..h6 }
load:
${loads.join('\n')}
${w.flap ? `faults:\n  - ${flap}` : ''}
`;
}

/** Null where the memory of a device is too small for what its links ask for. */
function fabricUnlessRefused(w: World): Fabric | null {
  try {
    return fabricOf(text(w));
  } catch (error) {
    assert.ok(error instanceof ScenarioError);
    assert.match(error.message, /impossible headroom|is granted for/);
    return null;
  }
}

describe('any fabric with multicast or flooding', () => {
  it('loses no lossless frame, charges each once, and goes on from a saved state', () => {
    fc.assert(
      fc.property(world, (w) => {
        const fabric = fabricUnlessRefused(w);
        fc.pre(fabric !== null);
        const whole = new Session(fabric, { check: true });
        const other = new Session(fabric, { check: true });
        whole.runTo(Infinity);
        other.runTo(11_000_000);
        const next = new Session(fabric, { check: true });
        next.restore(unpackWhole(packWhole(other.save())));
        next.runTo(Infinity);
        const results = whole.results('complete');
        assert.equal(results.failure, null);
        assert.equal(next.results('complete').digest, results.digest);
        for (const buffer of results.buffers) assert.ok(buffer.peakPoolOctets <= buffer.poolOctets);
        for (const { priority, drops } of results.priorities) {
          if (priority === 0 && w.method !== 'pause') continue;
          const { 'headroom-exhausted': lost = 0 } = drops as Record<string, number>;
          assert.equal(lost, 0);
        }
      }),
      { numRuns: 12 },
    );
  });
});
