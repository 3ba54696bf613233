import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkSection, Scenario } from '../../../../services/fabric/scenario/scenario.js';
import { RELIABLE, stream } from '../load/loads.js';
import { section } from '../topology/fabrics.js';
import { fabric, run, SWITCHES } from './scenarios.js';
import { fc } from '../../../kit/properties.js';

const RATES_BPS = [10e9, 25e9, 100e9, 400e9];
const TAGS = { inner: 10, outer: 20, dei: false };

/** Two switches between two hosts. */
function line(host: LinkSection, core: LinkSection): Pick<Scenario, 'fabric'> {
  const generator = { kind: 'dumbbell', left: 1, right: 1 } as const;
  return { fabric: { ...section(generator), hostLink: host, fabricLink: core } };
}

/** Ideal and measured time of the first flow's first message. */
function times(part: Partial<Scenario>): [number | null, number | undefined] {
  const built = fabric(part);
  const startPs = built.flows[0]!.startPs;
  const arrived = run(built).arrivedPs.get('0/0');
  return [built.flowEnds[0]!.idealPs, arrived === undefined ? undefined : arrived - startPs];
}

const linkOf = fc.record({
  rateBps: fc.constantFrom(...RATES_BPS),
  propagationPs: fc.integer({ min: 0, max: 1e6 }),
  interfaceDelayPs: fc.integer({ min: 0, max: 1e5 }),
});

test('a message on an idle fabric takes its ideal time to the picosecond', () => {
  fc.assert(
    fc.property(
      linkOf,
      linkOf,
      fc.integer({ min: 0, max: 2e6 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 20_000 }),
      (host, core, pipelinePs, cutThrough, tagged, reliable, bytes) => {
        const [ideal, measured] = times({
          ...line(host, core),
          switches: { ...SWITCHES, pipelinePs, cutThrough },
          load: [
            stream({
              bytes,
              startPs: 12_345,
              ...(tagged ? { vlan: TAGS } : {}),
              ...(reliable ? { transport: RELIABLE } : {}),
            }),
          ],
        });
        assert.equal(ideal, measured);
      },
    ),
    { numRuns: 100, seed: 1 },
  );
});

test('a flow that limits its own rate has that in its ideal time', () => {
  const transport = { ...RELIABLE, rateBps: 3e9 };
  const [ideal, measured] = times({ load: [stream({ bytes: 5500, transport })] });
  assert.ok(ideal !== null && ideal > 5 * 1082 * (8e12 / 3e9));
  assert.equal(ideal, measured);
});

test('a stream of a constant rate has its gaps in its ideal time', () => {
  const load = [stream({ bytes: 5500, rate: { kind: 'bps', bps: 7e9 } })];
  const [ideal, measured] = times({ load });
  assert.equal(ideal, measured);
});

test('messages released together follow each other at the pace of the link', () => {
  const built = fabric({
    load: [stream({ bytes: 2500, transport: RELIABLE })],
  });
  const ends = built.flowEnds[0]!;
  assert.equal(ends.idealNextPs, (2 * 1082 + 582) * 80);
});

test('endless and random streams have no ideal time', () => {
  const load = [stream({}), stream({ arrivals: 'poisson', bytes: 5000 })];
  const { flowEnds } = fabric({ load, durationPs: 1e9 });
  assert.deepEqual(
    flowEnds.map(({ idealPs }) => idealPs),
    [null, null],
  );
});
