import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seriesOf } from '../../../services/report/page/page-series.js';
import type { PortResult } from '../../../services/runtime/results/results.js';

const US = 1e6;
const RATE = 100e9;
/** Of a frame of 1,480 octets with its preamble and gap, at 100 Gb/s. */
const FRAME = 1480;
const FRAME_PS = 120_000;

const priority = { priority: 3, blockedPs: 0, peakQueueOctets: 1 };
const port = { port: 's1:p1', rateBps: RATE, priorities: [priority] } as unknown as PortResult;

/** Of one port and priority: frames that started in the interval before `timePs`. */
function row(timePs: number, frames: number, blockedPs = 0): (number | string)[] {
  return [timePs, 's1:p1', 3, frames, frames * FRAME, 0, blockedPs, 0, 0, 0];
}

describe('series on the page', () => {
  it('gives the part of an interval before the end a span of its own length', () => {
    // Line rate for 23 us, sampled each 10 us: the last sample is due after the end.
    const frames = [10 * US, 20 * US, 23 * US].map((t) => Math.ceil(t / (FRAME_PS + 1600)));
    const rows = [10, 20, 30].map((t, i) => row(t * US, frames[i]! - (frames[i - 1] ?? 0)));
    const { heat, plots } = seriesOf(rows, 10 * US, 23 * US, [port]);
    assert.deepEqual(heat!.timesPs, [10 * US, 20 * US, 23 * US]);
    for (const rateBps of plots[0]!.rateBps!) {
      assert.ok(rateBps <= RATE && rateBps > 0.98 * RATE, `${rateBps} b/s`);
    }
  });

  it('counts a frame in the span in which it is transmitted', () => {
    // A frame of 120 us starts at the end of the first interval of 100 us.
    const long = [100 * US, 's1:p1', 3, 1, 1_499_980, 0, 0, 0, 0, 0];
    const { plots } = seriesOf([long, row(300 * US, 0)], 100 * US, 300 * US, [port]);
    assert.deepEqual(plots[0]!.rateBps, [100e9, 20e9, 0]);
  });

  it('draws nothing after the end, and no hold of more than all the time', () => {
    const rows = [row(10 * US, 8, 10 * US), row(20 * US, 0, 10 * US), row(30 * US, 1)];
    const { heat, plots } = seriesOf(rows, 10 * US, 12 * US, [port]);
    assert.deepEqual(heat!.timesPs, [10 * US, 12 * US]);
    assert.deepEqual(plots[0]!.blocked, [1, 1]);
  });

  it('has no span after the last sample of a run that ends with it', () => {
    const { heat } = seriesOf([row(10 * US, 8)], 10 * US, 13 * US, [port]);
    assert.deepEqual(heat!.timesPs, [10 * US]);
  });
});
