import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { describe, it } from 'node:test';
import type { DiscoveryPortResult } from '../../services/runtime/results/discovery-results.js';
import type { Nic82599Result } from '../../services/mechanisms/nic-82599/results.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

interface Parts {
  readonly ets?: string;
  readonly nic?: string;
  readonly discovery?: string;
  readonly more?: string;
  readonly transport?: string;
}

/** Hosts with an 82599 that take the ETS table that their switch recommends. */
function scenario({ ets = '{ 0: 80%, 3: 20%, 7: strict }', nic = '', ...parts }: Parts): string {
  return `duration: 2ms
fabric: { generator: star, hosts: 2, hostLink: { rate: 10G, length: 10m } }
switches: { arbiter: { ets: ${ets} } }
hosts: { nic: { model: 82599${nic} } }
discovery: { second: 1us, recommend: true${parts.discovery ?? ''} }
devices:
  h*: { discovery: { willing: [ets, pfc], recommend: false } }
${parts.more ?? ''}
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 0, start: 200us, transport: ${parts.transport ?? 'raw'} }
  - { name: b, stream: { from: h1, to: h2 }, priority: 3, start: 200us }
`;
}

function framesOf({ flows }: RunResults): [number, number] {
  const [a, b] = flows.map(({ frames }) => frames);
  return [a!, b!];
}

function shareOf(results: RunResults, name: string): number {
  const [a, b] = framesOf(results);
  return (name === 'a' ? a : b) / (a + b);
}

function portOf(results: RunResults, name: string): DiscoveryPortResult {
  return results.discovery!.ports.find(({ port }) => port === name)!;
}

function nicOf(results: RunResults, name = 'h1'): Nic82599Result {
  return nicsOf(results).find(({ device }) => device === name)!;
}

describe('an 82599 under DCBX', () => {
  it('shares its port as the recommended ETS table says, in all three arbiters', () => {
    const results = runScenario(scenario({}));
    assert.ok(Math.abs(shareOf(results, 'a') - 0.8) < 0.005);
    const { T2, T4 } = nicOf(results);
    for (const rows of [T2.descriptor, T2.packet, T4]) {
      assert.deepEqual([rows[0]!.refill, rows[3]!.refill, rows[7]!.strict], [80, 20, 'link']);
    }
    const { operational, hardware, local } = portOf(results, 'h1:p1');
    assert.deepEqual(operational.ets!.shares.slice(0, 4), [80, 0, 0, 20]);
    assert.equal(hardware, null);
    // What it had of its own was read from its registers, too: equal refills.
    assert.deepEqual(local.ets!.shares, [13, 13, 13, 13, 12, 12, 12, 12]);
  });

  it('advertises the shares of its registers, and reports where they differ from what was agreed', () => {
    const results = runScenario(scenario({ ets: '{ 0: 1%, 3: 99%, 7: strict }' }));
    assert.deepEqual(portOf(results, 'h1:p1').operational.ets!.shares.slice(0, 4), [1, 0, 0, 99]);
    // Refills of 13 and 511: 511 is the most that a refill can be.
    assert.deepEqual(portOf(results, 'h1:p1').hardware!.shares.slice(0, 4), [2, 0, 0, 98]);
    assert.deepEqual(portOf(results, 's1:p1').remote!.ets!.shares.slice(0, 4), [2, 0, 0, 98]);
    assert.ok(Math.abs(shareOf(results, 'b') - 511 / 524) < 0.005);
    // What software writes later is advertised with the next LLDPDU.
    const writes = ', writes: [{ at: 1ms, regs: { "RTTPT2C[0].CRQ": 60 } }]';
    const written = runScenario(scenario({ nic: writes }));
    assert.deepEqual(portOf(written, 'h1:p1').hardware!.shares.slice(0, 4), [75, 0, 0, 25]);
    assert.deepEqual(portOf(written, 's1:p1').remote!.ets!.shares.slice(0, 4), [75, 0, 0, 25]);
  });

  it('moves priorities to other classes while frames wait, and back again', async () => {
    const discovery =
      ', changes: [{ at: 700us, devices: s1, classes: [2, 1, 2, 3, 4, 5, 6, 7], ' +
      'arbiter: { ets: { 2: 30%, 3: 70% } } }, { at: 1400us, devices: s1, ' +
      'classes: [0, 1, 2, 3, 4, 5, 6, 7], arbiter: { ets: { 0: 80%, 3: 20% } } }]';
    const text = scenario({ discovery, transport: 'reliable' });
    const fabric = fabricOf(text);
    const whole = new Session(fabric, { check: true });
    whole.runTo(1.3e9);
    const middle = whole.results('complete');
    assert.equal(nicOf(middle).registers['RTTUP2TC'], 0o76543212);
    assert.deepEqual(
      nicOf(middle).T1.map(({ tc }) => tc),
      [2, 3],
    );
    assert.equal(portOf(middle, 'h1:p1').hardware, null);
    whole.runTo(Infinity);
    const end = whole.results('complete');
    assert.equal(nicOf(end).registers['RTTUP2TC'], 0o76543210);
    assert.deepEqual(
      nicOf(end).T1.map(({ tc }) => tc),
      [0, 3],
    );
    assert.equal(end.warnings.length, 0);
    assert.equal((await inThreads(fabric, 3).run()).results.digest, end.digest);
    // A run that continues from a state between the changes has the same results.
    for (const at of [0.6e9, 1.0e9, 1.399e9]) {
      const first = new Session(fabric, { check: true });
      first.runTo(at);
      const second = new Session(fabric, { check: true });
      second.restore(unpackWhole(packWhole(first.save())));
      second.runTo(Infinity);
      assert.equal(second.results('complete').digest, end.digest);
      assert.deepEqual(second.results('complete').nics, end.nics);
    }
  });

  it('keeps its registers where it lacks a class that was agreed, and says so', () => {
    const discovery = ', changes: [{ at: 100us, devices: s1, classes: [5, 1, 2, 3, 0, 0, 0, 0] }]';
    const text = scenario({
      ets: '{ 5: 80%, 3: 20% }',
      nic: ', tcs: 4',
      discovery,
      more: 'classes: { transmit: [0, 1, 2, 3, 0, 0, 0, 0], receive: [0, 1, 2, 3, 0, 0, 0, 0] }',
    });
    const results = runScenario(text);
    assert.deepEqual(portOf(results, 'h1:p1').operational.ets!.classOf[0], 5);
    assert.deepEqual(portOf(results, 'h1:p1').hardware!.classOf[0], 0);
    // As before the change: class 0 had a share of nothing, so the least refill, 12, beside 20.
    assert.ok(Math.abs(shareOf(results, 'a') - 12 / 32) < 0.01);
    const rows = nicOf(results).T2.packet;
    assert.deepEqual([rows.length, rows[0]!.refill, rows[3]!.refill], [4, 12, 20]);
  });

  it('has the arbiter that a scenario gives its host', () => {
    const own = (arbiter: string, nic = ''): string => `duration: 1ms
fabric: { generator: pair, link: { rate: 10G, length: 10m } }
hosts: { nic: { model: 82599${nic} } }
devices: { h1: { arbiter: ${arbiter} } }
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 0 }
  - { name: b, stream: { from: h1, to: h2 }, priority: 3, frame: 700 }
`;
    assert.ok(Math.abs(shareOf(runScenario(own('strict')), 'b') - 1) < 0.01);
    const [a, b] = framesOf(runScenario(own('{ ets: { 0: 70%, 3: 30% } }')));
    // Credits count 64 octets: 24 for 1518, 11 for 700.
    assert.ok(Math.abs((24 * a) / (24 * a + 11 * b) - 0.7) < 0.01);
    assert.ok(Math.abs(shareOf(runScenario(own('round-robin')), 'a') - 0.5) < 0.01);
    assert.throws(() => fabricOf(own('{ dwrr: { 3: 4 } }')), /:5:.*dwrr.*bandwidth/);
    const both = ', bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 0, share: 100% } } }';
    assert.throws(() => fabricOf(own('strict', both)), /arbiter.*bandwidth/);
    assert.throws(() => fabricOf(own('strict', ', dcb: false')), /arbiter.*dcb/);
  });
});
