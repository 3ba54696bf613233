/** Goodput of a link with errors and link-level retry, beside what go-back-N can do at best. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameErrorRate, frameErrorsOf } from '../../services/fabric/link-errors.js';
import { flowOf, runScenario } from '../kit/emulate.js';

const FRAME_OCTETS = 4178;
const OCTET_PS = 80;
const WIRE_PS = (FRAME_OCTETS + 20) * OCTET_PS;
const START_PS = 100e6;
const PS_PER_METRE = 5e3;
/** After the last octet of a frame. */
const GAP_PS = 12 * OCTET_PS;
const TOLERANCE = 0.01;
const SIGMAS = 5;

interface Measured {
  /** Share of the line that came in at h2, from the first frame to the last. */
  readonly goodput: number;
  /** Share of frames that were bad when their turn had come. */
  readonly bad: number;
  readonly turns: number;
}

function measured(method: string, ber: number, metres: number): Measured {
  // Long enough for the share of bad frames to show.
  const durationUs = ber < 1e-7 ? 1_100 : 5_100;
  const results = runScenario(`
fabric: { generator: pair, link: { rate: 100G, length: ${metres}m, postFecBer: ${ber.toExponential(1)} } }
llr: { enabled: true }
priorities: { 0: ${method} }
duration: ${durationUs}us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: ${FRAME_OCTETS}, rate: line, start: 100us }]`);
  assert.equal(results.failure, null);
  const { frames, lastArrivalPs } = flowOf(results, 'h2');
  const { counters } = results.llr.find(({ port }) => port === 'h2:p1')!;
  const bad = counters.LLR_RX_EXPECTED_SEQ_BAD;
  const turns = bad + frames;
  const tookPs = lastArrivalPs! - START_PS - metres * PS_PER_METRE + GAP_PS;
  return { goodput: (frames * WIRE_PS) / tookPs, bad: bad / turns, turns };
}

/**
 * A bad frame costs the frames that start until the replay begins, itself among them: it has to
 * come in, and the NACK to come back, while the line is never idle.
 */
function bound(bad: number, metres: number): number {
  const roundTripPs = (8 + FRAME_OCTETS + 8) * OCTET_PS + 2 * metres * PS_PER_METRE;
  const inFlight = Math.ceil(roundTripPs / WIRE_PS) - 1;
  return 1 / (1 + (bad / (1 - bad)) * (inFlight + 1));
}

function frameErrors(ber: number): number {
  const errors = frameErrorsOf({ fec: 'none', ber, isAfterFec: true, burstBits: 1 });
  return frameErrorRate(errors, FRAME_OCTETS);
}

describe('goodput under bit errors with link-level retry', () => {
  for (const method of ['none', 'pfc', 'cbfc', 'credit']) {
    for (const ber of [1e-12, 1e-9, 1e-8, 1e-7, 1e-6]) {
      it(`is within 1 % of the bound at ${ber}, from 2 m to 2 km: ${method}`, () => {
        for (const metres of [2, 100, 2000]) {
          const { goodput, bad, turns } = measured(method, ber, metres);
          const rate = frameErrors(ber);
          // The share that was sampled is the link's, as far as so many samples show it.
          const spread = SIGMAS * Math.sqrt((rate * (1 - rate)) / turns) + 1 / turns;
          assert.ok(Math.abs(bad - rate) < spread, `${metres} m: ${bad}, not ${rate}`);
          const best = bound(bad, metres);
          const isNear = Math.abs(goodput / best - 1) < TOLERANCE;
          assert.ok(isNear, `${metres} m: ${goodput}, not ${best}`);
        }
      });
    }
  }
});
