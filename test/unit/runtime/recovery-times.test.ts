import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSeen, nextCheckPs } from '../../../services/runtime/checks/check-times.js';
import { promisedBy, RecoveryTimes } from '../../../services/runtime/checks/recovery-times.js';
import { Session } from '../../../services/runtime/session.js';
import { fabricOf } from '../../kit/emulate.js';

const fabricWith = (fault: string): ReturnType<typeof fabricOf> =>
  fabricOf(`
duration: 1ms
fabric: { generator: star, hosts: 2, hostLink: { rate: 10G, length: 10m } }
load: [{ name: a, stream: { from: h1, to: h2 }, rate: 1M }]
faults: [{ kind: link-down, where: { device: h1 }, ${fault} }]
`);

function timesOf(fault: string): number[] {
  const times = new RecoveryTimes(promisedBy(fabricWith(fault)));
  const all: number[] = [];
  for (let at = times.after(0); at < 1e9; at = times.after(at)) all.push(at / 1e6);
  return all;
}

describe('times at which links have to have recovered', () => {
  it('are the ends of a fault and what it promises, each once', () => {
    const often = 'at: 10us, for: 5us, every: 20us, times: 3';
    assert.deepEqual(timesOf(`${often}, recover: 2us`), [17, 37, 57]);
    assert.deepEqual(timesOf(often), []);
  });

  it('are those of the run where they are drawn', () => {
    const fault = 'at: 10us, for: 5us, every: 40us, random: true';
    const session = new Session(fabricWith(fault), { check: false });
    const { engine } = session;
    const ends = new Set<number>();
    for (let now = 1e6; now < 1e9; now += 1e6) {
      session.runTo(now);
      const { overSincePs } = engine.faults.counts(engine.devices[0]!.firstPort, now)[0]!;
      if (overSincePs !== null) ends.add(overSincePs / 1e6);
    }
    const known = timesOf(`${fault}, recover: 1ps`).map((us) => us - 1e-6);
    assert.ok(ends.size > 10);
    for (const end of ends)
      assert.ok(
        known.some((us) => Math.abs(us - end) < 2e-6),
        `${end}`,
      );
  });
});

describe('a time to look at everything', () => {
  it('comes every ten microseconds, and finds what is there just before it', () => {
    assert.deepEqual([0, 9e6, 10e6, 11e6].map(nextCheckPs), [10e6, 10e6, 20e6, 20e6]);
    assert.equal(isSeen(3e6, 9e6), false);
    assert.equal(isSeen(3e6, 10e6), true);
    assert.equal(isSeen(10e6, 19e6), false);
    assert.equal(isSeen(10e6, Infinity), true);
  });
});
