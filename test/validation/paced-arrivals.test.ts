import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';

/** Two senders that together have more than the link of the receiver takes, for 100 us. */
const scenario = (arrivals: string, rate: string): string => `
fabric: { generator: star, hosts: 3 }
duration: 1ms
priorities: { 3: pfc }
switches: { buffer: { size: 500KB } }
load:
  - stream: { from: [h1, h2], to: [h3, h3] }
    priority: 3
    rate: ${rate}
    frame: 1000
    arrivals: ${arrivals}
    end: 100us
`;

const framesOf = (arrivals: string, rate: string): number[] =>
  runScenario(scenario(arrivals, rate)).flows.map(({ sentFrames }) => sentFrames);

describe('arrivals that are paced', () => {
  it('are as many as those of a constant rate, where nothing is paused', () => {
    for (const rate of ['10%', '33%', '4.1G']) {
      const [paced, constant] = ['paced', 'constant'].map((arrivals) => framesOf(arrivals, rate));
      for (const [i, frames] of paced!.entries()) assert.ok(Math.abs(frames - constant![i]!) <= 1);
    }
  });

  it('are not made up for when a pause is over', () => {
    const constant = framesOf('constant', '90%');
    const paced = framesOf('paced', '90%');
    // 100G for 100 us, in frames of 1000 bytes with preamble and gap.
    const whole = 1e7 / (1020 * 8);
    for (const frames of constant) assert.ok(Math.abs(frames - 0.9 * whole) <= 1);
    const sent = paced.reduce((sum, frames) => sum + frames);
    assert.ok(sent < 1.3 * whole, `${sent}`);
    assert.ok(sent > whole);
  });
});
