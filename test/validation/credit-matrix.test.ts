import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RAW_OVERHEAD_BYTES } from '../../services/fabric/load/flow.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';

interface Link {
  readonly rate: string;
  readonly length: string;
  readonly frame: number;
  /** Of `credit`. */
  readonly credit: string;
}

const PS_PER_M = 5e3;
/** So many round trips are sent, and no fewer frames. */
const LOOPS = 3;
const LEAST_FRAMES = 300;

function bitsOf(rate: string): number {
  return parseFloat(rate) * (rate.endsWith('T') ? 1e12 : 1e9);
}

function roundTripPs(length: string): number {
  return 2 * parseInt(length) * (length.endsWith('km') ? 1e3 : 1) * PS_PER_M;
}

/** One host sends to the other as fast as it can; the link is up for long before. */
function scenario({ rate, length, frame, credit }: Link): string {
  const octetPs = 8e12 / bitsOf(rate);
  const frames = Math.max(LEAST_FRAMES, Math.ceil((LOOPS * roundTripPs(length)) / octetPs / frame));
  return `
fabric: { generator: pair, link: { rate: ${rate}, length: ${length} } }
priorities: { 3: credit }
credit: { ${credit} }
load:
  - stream: { from: h1, to: h2 }
    transport: raw
    bytes: ${frames * (frame - RAW_OVERHEAD_BYTES)}
    frame: ${frame}
    priority: 3
    start: 2500us
`;
}

function busyPs(results: RunResults): number {
  assert.equal(results.status, 'complete');
  assert.deepEqual(results.priorities[0]!.drops, {});
  const [flow] = results.flows;
  return flow!.lastArrivalPs! - flow!.startPs;
}

const LINKS: readonly (readonly [rate: string, length: string, frame: number])[] = [
  ['10G', '1m', 1518],
  ['10G', '100km', 1518],
  ['25G', '80km', 1518],
  ['40G', '40km', 1518],
  ['50G', '100m', 64],
  ['50G', '100km', 9216],
  ['100G', '10m', 1518],
  ['100G', '80km', 1518],
  ['200G', '1km', 9216],
  ['200G', '40km', 9216],
  ['400G', '10km', 1518],
  ['400G', '100km', 9216],
  ['800G', '1m', 1518],
  ['800G', '10km', 1518],
  ['1.6T', '100m', 64],
  ['1.6T', '2km', 1518],
  ['1.6T', '100km', 9216],
];

const CODECS = ['codec: ce', 'tags: true'];

describe('credit at line rate by default', () => {
  LINKS.forEach(([rate, length, frame], i) => {
    const codec = CODECS[i % CODECS.length]!;
    it(`${rate} over ${length}, frames of ${frame} octets, ${codec}`, () => {
      const link = { rate, length, frame };
      const free = fabricOf(scenario({ ...link, credit: codec }), 'priorities.3=none');
      const [freePs, rttPs] = [busyPs(run(free)), roundTripPs(length)];
      const lost = (policy: string): number => {
        const credit = `grant: ${policy}, ${codec}`;
        return busyPs(run(fabricOf(scenario({ ...link, credit })))) - freePs;
      };
      // Reports take their time on the wire.
      const static_ = lost('static');
      assert.ok(static_ < 0.005 * freePs, `static: ${static_} ps of ${freePs}`);
      // What is asked for comes a round trip later, and pipelines and a frame each way.
      const demand = lost('demand') - rttPs;
      const framePs = (frame + 20) * (8e12 / bitsOf(rate));
      assert.ok(demand < 0.005 * freePs + 2 * framePs + 1e6, `demand: ${demand} ps more`);
    });
  });
});
