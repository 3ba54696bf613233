import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runScenario } from '../kit/emulate.js';

const RATE_BPS = 100e9;

/** Two hosts send to one over links of this length; the switch has so much memory per sender. */
function merge(method: string, length: string, perSenderOctets: number): RunResults {
  return runScenario(`
duration: 3ms
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: ${length} } }
switches: { buffer: { size: ${3 * perSenderOctets} } }
priorities: { 3: ${method} }
load:
  - { name: l, stream: { from: [h1, h2], to: h3 }, rate: line, priority: 3, start: 500us }
`);
}

/** What h3 gets after the first frame came. */
function shareOf({ flows, virtualPs }: RunResults): number {
  const octets = flows.reduce((sum, flow) => sum + flow.payloadOctets, 0);
  const [first] = flows.map(({ startPs, latencyMinPs }) => startPs + latencyMinPs!).sort();
  return (8 * octets) / (((virtualPs - first!) / 1e12) * RATE_BPS);
}

describe('memory over distance', () => {
  // PFC's headroom is the same round trip; it must have as much again to bridge the next one.
  for (const { length, loopOctets } of [
    { length: '1km', loopOctets: 125e3 },
    { length: '10km', loopOctets: 1250e3 },
  ]) {
    const perSender = Math.round(1.16 * loopOctets + 15e3);

    it(`credit keeps a wire busy with little more than one round trip (${length})`, () => {
      const credit = merge('credit', length, perSender);
      assert.deepEqual(credit.priorities[0]!.drops, {});
      assert.ok(shareOf(credit) > 0.95, `${shareOf(credit)}`);
    });

    it(`PFC loses nothing with it, but time; twice as much makes up for that (${length})`, () => {
      const pfc = merge('pfc', length, perSender);
      assert.deepEqual(pfc.priorities[0]!.drops, {});
      assert.ok(shareOf(pfc) < 0.9, `${shareOf(pfc)}`);
      const more = merge('pfc', length, 2 * perSender);
      assert.ok(shareOf(more) > 0.95, `${shareOf(more)}`);
    });
  }
});
