/** Forged and corrupted credit messages, from end to end. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaryText } from '../../services/report/summary-text.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { ALLOWED, WORDS_SHIFT } from '../../services/mechanisms/credit/records.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

/** Four senders into one host; a message is forged once by a port of one of the links. */
function forged(by: string, octets: string, credit = ''): string {
  return `
duration: 600us
seed: 3
fabric: { generator: star, hosts: 5, hostLink: { rate: 100G, length: 10m } }
switches: { buffer: { size: 400KB } }
priorities: { 3: credit }
credit: { keepAlive: 100us${credit} }
load:
  - { name: a, stream: { from: [h2, h3, h4, h5], to: h1 }, rate: line, priority: 3, transport: raw, frame: 1518 }
faults:
  - { kind: forge, where: { port: '${by}' }, octets: '${octets}', at: 20us, for: 2us, interval: 2us, recover: 210us }
`;
}

const HEADER = '0180c2000001020000000099';

/** A CE frame for priority 3: opcode, flags and word. */
function ce(opcode: string, flags: string, word: string): string {
  return `${HEADER}8808${opcode}${flags}08000000000000${word}`.padEnd(120, '0');
}

/** A frame that carries nothing but a CE-Tag. */
function tag(type: string, flags: string, word: string): string {
  return `${HEADER}${type}${flags}08${word}0000`.padEnd(120, '0');
}

/** A CF_Update (02) or CC_Update (01), for a buffer of as many units as automatic ones have. */
function dropsOf({ ports }: RunResults): Record<string, number> {
  const drops: Record<string, number> = {};
  for (const { priorities } of ports) {
    for (const { drops: own } of priorities) {
      for (const [reason, count] of Object.entries(own))
        drops[reason] = (drops[reason] ?? 0) + count;
    }
  }
  return drops;
}

describe('a forged credit message', () => {
  const GRANTS = [
    ['a grant beyond the buffer', 's1:p2', ce('0111', '01', '6000'), ''],
    ['a grant that goes back', 's1:p2', ce('0111', '01', '0001'), ''],
    ['an answer to no request', 's1:p2', ce('0111', '41', '6000'), ''],
    ['a request to resynchronise', 's1:p2', ce('0111', '81', '0000'), ''],
    ['a grant in a tag', 's1:p2', tag('88b6', '01', '6000'), ', tags: true'],
    ['a report of more than was granted', 'h2:p1', ce('0110', '21', '6000'), ''],
    ['a report of less than was received', 'h2:p1', ce('0110', '21', '0000'), ''],
    ['a demand', 'h2:p1', ce('0110', '01', '2000'), ''],
    ['a report of another epoch', 'h2:p1', ce('0110', '33', '0000'), ''],
    ['an epoch that its sender does not know', 'h2:p1', ce('0110', '91', '1234'), ''],
    ['the epoch that comes next', 'h2:p1', ce('0110', '82', '0040'), ''],
    ['a request in a tag', 'h2:p1', tag('88b5', '21', '6000'), ', tags: true'],
  ] as const;

  for (const policy of ['static', 'demand']) {
    for (const [what, by, octets, credit] of GRANTS) {
      it(`loses nothing and leaves nothing behind: ${what}, grant: ${policy}`, () => {
        const results = runScenario(forged(by, octets, `${credit}, grant: ${policy}`));
        assert.equal(results.failure?.reason, undefined);
        assert.ok(results.faults[0]!.hits > 0);
        assert.deepEqual(results.lostCredits, []);
        assert.deepEqual(dropsOf(results), {});
        assert.ok(results.flows.every(({ goodputBps }) => goodputBps > 20e9));
      });
    }
  }

  it('is counted at the end that refuses it', () => {
    const credits = (octets: string, by: string): RunResults['credits'] =>
      runScenario(forged(by, octets)).credits;
    const grant = credits(ce('0111', '01', '6000'), 's1:p2');
    assert.equal(grant.find(({ port }) => port === 'h2:p1')!.wrongTotals, 1);
    assert.equal(grant.find(({ port }) => port === 's1:p2')!.violations, 0);
    const report = credits(ce('0110', '21', '0000'), 'h2:p1');
    assert.equal(report.find(({ port }) => port === 's1:p2')!.contradictions, 1);
  });

  it('shows as violations in the summary where it could be true and is used', () => {
    const demand = ', grant: demand';
    const results = runScenario(forged('s1:p2', ce('0111', '01', '0580'), demand));
    const found = results.credits.filter(({ violations }) => violations > 0);
    // A longest frame: the account is closed before there are more.
    assert.deepEqual(
      found.map(({ port, violations }) => [port, violations]),
      [['s1:p2', 24]],
    );
    const summary = summaryText(results, [], { good: String, bad: String, strong: String });
    assert.match(summary, /credit port .* violations$/m);
    assert.match(summary, /^ +s1:p2 .* 24$/m);
  });
});

describe('corrupted grants', () => {
  it('leave no credit behind that no buffer backs, on a link that is idle', () => {
    const results = runScenario(`
duration: 1500us
seed: 12
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: 10m } }
priorities: { 3: credit, 5: credit }
credit: { unit: 128B, keepAlive: 200us }
load:
  - { name: a, stream: { from: [h2, h3], to: h1 }, rate: line, priority: 3, transport: raw, end: 500us }
  - { name: b, stream: { from: [h2], to: h3 }, rate: 20%, priority: 5, transport: raw, frame: 700, end: 500us }
faults:
  - { kind: control, where: { link: s1 h2 }, frames: ce-grant, action: corrupt, at: 95us, for: 172us, recover: 420us }
  - { kind: control, where: { link: s1 h2 }, frames: ce-request, action: corrupt, at: 95us, for: 172us, recover: 420us }
`);
    assert.equal(results.failure?.reason, undefined);
    assert.deepEqual(results.lostCredits, []);
    assert.ok(results.credits.some(({ wrongTotals }) => wrongTotals > 0));
    for (const { available, bufferUnits } of results.credits) assert.ok(available <= bufferUnits);
  });
});

describe('--check', () => {
  it('no longer excuses more credit than buffer when a forged message should be repaired', () => {
    const scenario = forged('s1:p2', ce('0111', '01', '6000'));
    const idle = scenario.replace('transport: raw,', 'transport: raw, end: 100us,');
    const session = new Session(fabricOf(idle), { check: true });
    session.runTo(500e6);
    const { devices } = session.engine;
    const credit = mechanismOf(session.engine);
    const host = devices.find(({ spec }) => spec.name === 'h2')!;
    const row = credit.accounts.firstRow(host.firstPort);
    credit.accounts.records.words[(row << WORDS_SHIFT) | ALLOWED]! += 1000;
    while (session.advance(1000) === 'running');
    assert.match(session.results('complete').failure!.reason, /more credit than the buffer/);
  });
});

describe('incremental counts', () => {
  it('lose nothing to link flaps, however their counts wrap', () => {
    const results = runScenario(`
duration: 150us
fabric: { generator: star }
priorities: { 5: credit }
credit: { counts: incremental }
load: [ { name: a, permutation: { hosts: all }, priority: 5, rate: 50% } ]
faults: [ { kind: link-down, for: 1846ns, every: 7500ns, until: 75us, recover: 60us } ]
`);
    assert.equal(results.failure?.reason, undefined);
    assert.deepEqual(results.lostCredits, []);
  });

  it('keep an amount that was never granted, and say so', () => {
    const scenario = forged('s1:p2', ce('0111', '00', '0040'), ', counts: incremental');
    const { failure } = runScenario(scenario);
    assert.match(failure!.reason, /units of credit were never granted/);
  });
});
