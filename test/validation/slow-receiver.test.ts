import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

/** One host sends frames of 1,000 octets, 954 of them payload, as fast as it can. */
const through = (method: string, faults: string, more = ''): string => `
fabric: { generator: star, hosts: 2, link: { rate: 100G, length: 100m } }
switches: { buffer: { size: 4MB } }
${method}
duration: 400us
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3, frame: 1000 }]
faults: [${faults}]
${more}`;

const METHODS = {
  pfc: 'priorities: { 3: pfc }',
  pause: 'pause: true',
  credit: 'priorities: { 3: credit }',
};

const SLOW = '{ kind: slow-receiver, where: { device: h2 }, rate: 10G }';
const PAYLOAD_SHARE = 954 / 1000;

function dropsOf({ priorities }: RunResults): Record<string, number> {
  const drops: Record<string, number> = {};
  for (const row of priorities) {
    for (const [why, count] of Object.entries(row.drops)) drops[why] = (drops[why] ?? 0) + count;
  }
  return drops;
}

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual / expected - 1) < 0.02, `${actual} is not ${expected}`);
}

/** How long the host blocked the switch. */
function blockedPs({ ports }: RunResults): number {
  const port = ports.find(({ device, peer }) => device === 's1' && peer.startsWith('h2'))!;
  return port.priorities.reduce((most, row) => Math.max(most, row.blockedPs), 0);
}

describe('a slow receiver', () => {
  for (const [method, priorities] of Object.entries(METHODS)) {
    it(`brings its sender down to its own rate by ${method}, and nothing is lost`, () => {
      const results = runScenario(through(priorities, SLOW));
      assertNear(flowOf(results, 'h2').goodputBps, 10e9 * PAYLOAD_SHARE);
      assert.deepEqual(dropsOf(results), {});
      assert.equal(results.failure, null);
      if (method !== 'credit') assert.ok(blockedPs(results) > 200e6);
    });
  }

  it('drops what it cannot store where no sender can be paused, and says why', () => {
    const results = runScenario(through('', SLOW));
    assert.deepEqual(Object.keys(dropsOf(results)), ['not-read']);
    assertNear(flowOf(results, 'h2').goodputBps, 10e9 * PAYLOAD_SHARE);
    assert.equal(results.failure, null);
  });

  it('does not wait for a sender that it paused, however long the link is', () => {
    const far = through(METHODS.pfc, SLOW.replace('10G', '60G')).replace('100m', '2km');
    const results = runScenario(far);
    const { payloadOctets, lastArrivalPs, latencyMinPs } = flowOf(results, 'h2');
    const rate = (payloadOctets * 8e12) / (lastArrivalPs! - latencyMinPs!);
    assertNear(rate, 60e9 * PAYLOAD_SHARE);
    assert.ok(blockedPs(results) > 50e6);
    assert.deepEqual(dropsOf(results), {});
  });
});

describe('a host that pauses', () => {
  const message = (faults: string, priorities: string): RunResults =>
    runScenario(`
fabric: { generator: star, hosts: 2, link: { rate: 100G, length: 100m } }
switches: { buffer: { size: 4MB } }
${priorities}
load: [{ name: a, stream: { from: h1, to: h2 }, bytes: 2MB, priority: 3 }]
faults: [${faults}]`);
  const PAUSE = '{ kind: host-pause, where: { device: h2 }, at: 20us, for: 100us }';

  for (const [method, priorities] of Object.entries(METHODS)) {
    it(`goes on at line rate when it is over (${method}), and nothing is lost`, () => {
      const plain = flowOf(message('', priorities), 'h2').lastArrivalPs!;
      const results = message(PAUSE, priorities);
      const late = flowOf(results, 'h2').lastArrivalPs! - plain;
      assert.deepEqual(dropsOf(results), {});
      // Later by the pause, less what the memory on the way took in meanwhile.
      assert.ok(late <= 100e6 && late > 50e6, `${late}`);
    });
  }
});

describe('what reads slowly', () => {
  it('is the application of a host with a plain NIC', () => {
    const at = (where: string, more: string) => (): unknown =>
      fabricOf(through(METHODS.pfc, `{ kind: host-pause, where: { device: ${where} } }`, more));
    assert.throws(at('s1', ''), /none of the ports that fault1 hits has a plain NIC/);
    assert.throws(at('h2', 'hosts: { nic: { model: 82599 } }'), /has a plain NIC/);
  });

  it('has a rate, and a pause has none', () => {
    const kind = (fault: string) => (): unknown => fabricOf(through(METHODS.pfc, fault));
    assert.throws(kind('{ kind: slow-receiver }'), /slow-receiver needs rate/);
    assert.throws(kind('{ kind: host-pause, rate: 10G }'), /rate means nothing to host-pause/);
  });
});
