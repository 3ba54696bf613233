import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RAW_OVERHEAD_BYTES } from '../../services/fabric/load/flow.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';
import { skipUnlessLong } from '../kit/long-suite.js';

interface Link {
  readonly rate: string;
  readonly length: string;
  readonly frame: number;
  readonly bytes: string;
  readonly buffer?: string;
}

/** h1 to h2 over s1, whose links are long; everything travels with credit. */
function scenario({ rate, length, frame, bytes, buffer = 'auto' }: Link): string {
  return `
fabric:
  generator: star
  hosts: 2
  hostLink: { rate: ${rate}, length: ${length}, interfaceDelay: 100ns }
switches: { buffer: { size: 256MB } }
priorities: { 3: credit }
credit: { buffer: ${buffer} }
load: [{ name: l, stream: { from: h1, to: h2 }, bytes: ${bytes}, frame: ${frame}, priority: 3, start: 5ms }]
`;
}

/** From the first frame to the last arrival, without what the way itself takes. */
function busyPs(results: RunResults): number {
  const [flow] = results.flows;
  return flow!.lastArrivalPs! - flow!.startPs;
}

/** What reports take of the wire beside the data: one CE frame every 20 us at 10 Gb/s. */
const REPORTS = 84 / ((20e-6 * 10e9) / 8);

/** Frames that fill a loop of 100 km are as many as take seconds; shorter loops have them, too. */
function isMany(length: string, frame: number): string | false {
  return length === '100km' && frame < 100 ? skipUnlessLong : false;
}

describe('Credit exchange', () => {
  const lengths = [
    { length: '10m', bytes: '200KB' },
    { length: '1km', bytes: '200KB' },
    { length: '100km', bytes: '5MB' },
  ];
  for (const { length, bytes } of lengths) {
    for (const frame of [64, 65, 1518, 9216]) {
      const skip = isMany(length, frame);
      it(
        `loses no time when the buffer covers the loop (${length}, ${frame} octets)`,
        { skip },
        () => {
          const text = scenario({ rate: '10G', length, frame, bytes });
          const results = run(fabricOf(text));
          const free = run(fabricOf(text, 'priorities.3=none'));
          assert.equal(results.status, 'complete');
          assert.deepEqual(results.priorities[0]!.drops, {});
          const slower = busyPs(results) / busyPs(free) - 1;
          assert.ok(slower < 1.1 * REPORTS, `${100 * slower} %`);
        },
      );
    }
  }

  const octetPs = 800;
  for (const length of ['1km', '100km']) {
    for (const frame of [64, 1518, 9000]) {
      const skip = isMany(length, frame);
      for (const part of [0.3, 0.9]) {
        it(
          `gets a share by its buffer when that is ${part} of the loop (${length}, ${frame})`,
          { skip },
          () => {
            const oneWayPs = parseInt(length) * 5e6 + 100e3;
            // The frame, there; the pipeline of the switch; the grant, back.
            const loopPs = 2 * oneWayPs + 500e3 + (frame + 8 + 72) * octetPs;
            const window = Math.max(1, Math.floor((part * loopPs) / octetPs / (frame + 20)));
            const buffer = `${window * Math.ceil(frame / 64) * 64}`;
            const bytes = `${window * 15 * (frame - RAW_OVERHEAD_BYTES)}`;
            const results = run(fabricOf(scenario({ rate: '10G', length, frame, bytes, buffer })));
            assert.equal(results.status, 'complete');
            assert.deepEqual(results.priorities[0]!.drops, {});
            // Whole windows take a loop each; the last one as long as its frames, and their way.
            const last = results.flows[0]!.frames - 1;
            const restPs = ((last % window) + 1) * (frame + 20) * octetPs;
            const wayPs = 2 * oneWayPs + 500e3 + (frame + 8) * octetPs;
            const expectedPs = Math.floor(last / window) * loopPs + restPs + wayPs;
            const share = expectedPs / busyPs(results);
            assert.ok(Math.abs(share - 1) < 0.02, `${100 * share} %`);
          },
        );
      }
    }
  }
});
