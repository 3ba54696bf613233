import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runScenario } from '../kit/emulate.js';

const LINE_GBPS = 100;

/** h1 to h2 at line rate, over two links of this length; the priorities get a stream each. */
function star(credit: string, length: string, priorities: readonly number[] = [3]): RunResults {
  return runScenario(`
duration: 2ms
fabric: { generator: star, hosts: 2, hostLink: { rate: ${LINE_GBPS}G, length: ${length} } }
switches: { buffer: { size: 64MB } }
priorities: { ${priorities.map((priority) => `${priority}: credit`).join(', ')} }
credit: { ${credit} }
load:
${priorities
  .map(
    (priority) =>
      `  - { name: l${priority}, stream: { from: h1, to: h2 }, rate: line, ` +
      `priority: ${priority}, start: 500us }`,
  )
  .join('\n')}
`);
}

/** Goodput of each flow in Gb/s, from its first arrival on. */
function goodputs({ flows, virtualPs }: RunResults): number[] {
  return flows.map(({ payloadOctets, startPs, latencyMinPs }) => {
    const seconds = (virtualPs - startPs - latencyMinPs!) / 1e12;
    return (8 * payloadOctets) / seconds / 1e9;
  });
}

function goodput(credit: string, length: string): number {
  const results = star(credit, length);
  assert.equal(results.status, 'complete');
  assert.deepEqual(results.priorities[0]!.drops, {});
  return goodputs(results)[0]!;
}

describe('Credit that is granted on request only', () => {
  for (const length of ['100m', '10km']) {
    for (const more of ['', ', counts: incremental', ', tags: true']) {
      it(`fills the line with automatic settings (${length}${more})`, () => {
        const part = goodput(`unsolicited: false${more}`, length) / LINE_GBPS;
        assert.ok(part > 0.95, `${100 * part} %`);
      });
    }

    it(`is as much as the prediction says (${length})`, () => {
      const rates = [0.1, 0.25, 0.5, 1].map((prediction) =>
        goodput(`unsolicited: false, prediction: ${prediction}, buffer: 8MB`, length),
      );
      rates.slice(1).forEach((rate, i) => {
        assert.ok(rate > 1.3 * rates[i]!, `${rates.join(', ')} Gb/s`);
      });
      // A larger prediction costs memory, and nothing else.
      const peaks = [1, 4].map((prediction) => {
        const { credits } = star(
          `unsolicited: false, prediction: ${prediction}, buffer: 8MB`,
          length,
        );
        const sender = credits.find(({ port }) => port === 'h1:p1')!;
        return sender.available;
      });
      assert.ok(peaks[1]! > 2.5 * peaks[0]!, `${peaks.join(', ')} units in hand`);
    });
  }
});

describe('The shaper of a receiver', () => {
  for (const length of ['100m', '10km']) {
    for (const gbps of [1, 10, 40]) {
      it(`paces grants: a sender gets the rate, and no more (${gbps}G, ${length})`, () => {
        for (const more of ['', ', counts: incremental']) {
          const rate = goodput(`shaper: ${gbps}G${more}`, length);
          assert.ok(rate > 0.93 * gbps && rate <= 1.01 * gbps, `${rate} Gb/s`);
        }
      });
    }
  }

  it('paces bytes of the line, and not units that frames do not fill', () => {
    const [fromUs, untilUs] = [1200, 2000];
    for (const unit of ['64B', '1000B', '2548B', '9216B']) {
      for (const frame of [64, 700, 1518, 4096]) {
        const framesBy = (us: number): number =>
          runScenario(`duration: ${us}us
fabric: { generator: star, hosts: 2, hostLink: { rate: ${LINE_GBPS}G, length: 100m } }
switches: { buffer: { size: 64MB } }
priorities: { 3: credit }
credit: { shaper: 10G, unit: ${unit}, buffer: 4MB }
load: [{ stream: { from: h1, to: h2 }, rate: line, priority: 3, frame: ${frame} }]
`).flows[0]!.frames;
        // A full bucket is granted when the flow begins.
        const frames = framesBy(untilUs) - framesBy(fromUs);
        const gbps = (8 * frames * (frame + 20)) / (untilUs - fromUs) / 1000;
        assert.ok(Math.abs(gbps / 10 - 1) < 0.03, `${gbps} Gb/s in ${unit}, of ${frame}`);
      }
    }
  });

  it('is one for all priorities of a port, which take turns', () => {
    const rates = goodputs(star('shaper: 10G', '100m', [3, 4]));
    for (const rate of rates) assert.ok(rate > 4.6 && rate < 5, `${rates.join(', ')} Gb/s`);
  });

  it('lets answers to requests have no more, either', () => {
    const rate = goodput('shaper: 10G, unsolicited: false', '100m');
    assert.ok(rate > 9.3 && rate <= 10, `${rate} Gb/s`);
  });
});
