import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameErrorRate, frameErrorsOf } from '../../services/fabric/link-errors.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

function world(link: string, rate = '100G'): string {
  return `
fabric: { generator: pair, link: { rate: ${rate}, length: 10m, ${link} } }
duration: 400us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1000, rate: line }]`;
}

function wrongOf(results: RunResults): number {
  const rows = results.ports.flatMap(({ priorities }) => priorities);
  return rows.reduce((sum, { drops }) => sum + (drops['fcs-error'] ?? 0), 0);
}

function refusal(link: string, rate = '100G'): string {
  try {
    fabricOf(world(link, rate));
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

describe('a link with bit errors', () => {
  it('drops the share of frames that its description says', () => {
    for (const [link, errors] of [
      ['postFecBer: 1.0e-5', { fec: 'none', ber: 1e-5, isAfterFec: true, burstBits: 1 }],
      [
        'preFecBer: 2.0e-3, fec: rs-528',
        { fec: 'rs-528', ber: 2e-3, isAfterFec: false, burstBits: 1 },
      ],
    ] as const) {
      const results = runScenario(world(link));
      const wrong = wrongOf(results);
      const share = wrong / (wrong + flowOf(results, 'h2').frames);
      const expected = frameErrorRate(frameErrorsOf(errors), 1000);
      assert.ok(expected > 0.01 && expected < 0.99);
      assert.ok(Math.abs(share - expected) < 0.02, `${link}: ${share}, not ${expected}`);
    }
  });

  it('delays by its FEC', () => {
    const latency = (link: string): number => fabricOf(world(link)).specs[0]!.ports[0]!.latencyPs;
    assert.equal(latency('fec: rs-544') - latency('fec: none'), 102_400);
    assert.equal(latency('fec: rs-544, interfaceDelay: 7ns') - latency('fec: none'), 7_000);
  });

  it('is refused where its description contradicts itself', () => {
    assert.match(refusal('preFecBer: 1.0e-5, postFecBer: 1.0e-6'), /both preFecBer and postFecBer/);
    assert.match(
      refusal('fec: rs-528', '10G'),
      /rs-528 is not defined for 10G, but from 25G to 100G/,
    );
  });
});
