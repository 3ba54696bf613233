/** Goodput of a link with errors and link-level retry, beside what go-back-N can do at best. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameErrorRate, frameErrorsOf } from '../../services/fabric/link-errors.js';
import { flowOf, runScenario } from '../kit/emulate.js';

const FRAME_OCTETS = 4178;
const START_PS = 100e6;
const PS_PER_METRE = 5e3;
const GAP_OCTETS = 12;
const WIRE_OCTETS = FRAME_OCTETS + 20;
const TOLERANCE = 0.01;
const SIGMAS = 5;

interface Measured {
  /** Share of the line that came in at h2, from the first frame to the last. */
  readonly goodput: number;
  /** Share of frames that were bad when their turn had come. */
  readonly bad: number;
  readonly turns: number;
}

interface Line {
  readonly gbps: number;
  readonly metres: number;
}

function octetPs({ gbps }: Line): number {
  return 8_000 / gbps;
}

function measured(method: string, ber: number, line: Line): Measured {
  const { gbps, metres } = line;
  // Long enough for the share of bad frames to show, and many round trips.
  const durationUs = ber < 1e-7 && gbps < 400 ? 1_100 : 5_100;
  const results = runScenario(`
fabric: { generator: pair, link: { rate: ${gbps}G, length: ${metres}m, postFecBer: ${ber.toExponential(1)} } }
llr: { enabled: true }
priorities: { 0: ${method} }
duration: ${durationUs}us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: ${FRAME_OCTETS}, rate: line, start: 100us }]`);
  assert.equal(results.failure, null);
  const { frames, lastArrivalPs } = flowOf(results, 'h2');
  const { counters } = results.llr.find(({ port }) => port === 'h2:p1')!;
  const bad = counters.LLR_RX_EXPECTED_SEQ_BAD;
  const turns = bad + frames;
  const tookPs = lastArrivalPs! - START_PS - metres * PS_PER_METRE + GAP_OCTETS * octetPs(line);
  const sent = results.llr.find(({ port }) => port === 'h1:p1')!;
  assert.equal(sent.counters.LLR_TX_DISCARD, 0);
  return { goodput: (frames * WIRE_OCTETS * octetPs(line)) / tookPs, bad: bad / turns, turns };
}

/**
 * A bad frame costs the frames that start until the replay begins, itself among them: it has to
 * come in, and the NACK to come back, while the line is never idle.
 */
function bound(bad: number, line: Line): number {
  const roundTripPs = (8 + FRAME_OCTETS + 8) * octetPs(line) + 2 * line.metres * PS_PER_METRE;
  const inFlight = Math.ceil(roundTripPs / (WIRE_OCTETS * octetPs(line))) - 1;
  return 1 / (1 + (bad / (1 - bad)) * (inFlight + 1));
}

function frameErrors(ber: number): number {
  const errors = frameErrorsOf({ fec: 'none', ber, isAfterFec: true, burstBits: 1 });
  return frameErrorRate(errors, FRAME_OCTETS);
}

/** The last has most in flight: of 240 frames eight are bad at 1e-6. */
const LINES: readonly Line[] = [
  { gbps: 100, metres: 2 },
  { gbps: 100, metres: 100 },
  { gbps: 100, metres: 2000 },
  { gbps: 400, metres: 2000 },
];

describe('goodput under bit errors with link-level retry', () => {
  for (const method of ['none', 'pfc', 'cbfc', 'credit']) {
    for (const ber of [1e-12, 1e-9, 1e-8, 1e-7, 1e-6]) {
      it(`is within 1 % of the bound at ${ber}, from 2 m to 2 km: ${method}`, () => {
        for (const line of LINES) {
          const where = `${line.metres} m of ${line.gbps}G`;
          const { goodput, bad, turns } = measured(method, ber, line);
          const rate = frameErrors(ber);
          // The share that was sampled is the link's, as far as so many samples show it.
          const spread = SIGMAS * Math.sqrt((rate * (1 - rate)) / turns) + 1 / turns;
          assert.ok(Math.abs(bad - rate) < spread, `${where}: ${bad}, not ${rate}`);
          const best = bound(bad, line);
          const isNear = Math.abs(goodput / best - 1) < TOLERANCE;
          assert.ok(isNear, `${where}: ${goodput}, not ${best}`);
        }
      });
    }
  }
});
