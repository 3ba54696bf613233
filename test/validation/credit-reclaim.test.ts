import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyOf, whySummary } from '../../services/report/why.js';
import { whyText } from '../../services/report/why-text.js';
import { Session } from '../../services/runtime/session.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

interface Tenant {
  readonly start: number;
  readonly end: number;
  readonly rate?: string;
  readonly bytes?: string;
}

const FRAME = 1518;
const PAYLOAD_OF_WIRE = 1472 / (FRAME + 20);

/** Two tenants of one sender, who share the buffers of a link of 100 m; times in us. */
function tenants(credit: string, a: Tenant, b: Tenant, shares = [1, 1]): RunResults {
  const load = (name: string, vlan: number, { start, end, rate = 'line', bytes }: Tenant): string =>
    `  - { name: ${name}, stream: { from: h2, to: h1 }, rate: ${rate}, transport: raw, frame: ${FRAME},` +
    ` priority: 3, vlan: ${vlan}, start: ${start}us, ` +
    (bytes === undefined ? `end: ${end}us }` : `bytes: ${bytes} }`);
  return runScenario(`
duration: 1200us
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 100m } }
priorities: { 3: credit }
credit:
  grant: demand
  ${credit}
  channels:
    - { channel: 1, vlans: [10], share: ${shares[0]!} }
    - { channel: 2, vlans: [20], share: ${shares[1]!} }
load:
${load('A', 10, a)}
${load('B', 20, b)}
`);
}

/** What arrived of a tenant, as a part of what the wire carries in that time. */
function partOf(results: RunResults, name: string, timeUs: number): number {
  assert.equal(results.status, 'complete');
  assert.deepEqual(results.priorities[0]!.drops, {});
  const octets = flowOf(results, `${name}/h2->h1`).payloadOctets;
  return octets / (((timeUs * 1e-6 * 100e9) / 8) * PAYLOAD_OF_WIRE);
}

/** How often the accounts of a channel began anew at a port. */
function resyncs({ credits }: RunResults, port: string, channel: number): number {
  return credits.find((c) => c.port === port && c.channel === channel)!.resyncs;
}

describe('memory that was lent to a tenant', () => {
  const burst = { start: 0, end: 0, bytes: '2MB' };

  for (const credit of [
    'age: off',
    'age: 200us',
    'request: never',
    'request: ahead',
    'tags: true',
    'unsolicited: false',
  ]) {
    it(`comes home when another needs it and its borrower is silent (${credit})`, () => {
      const results = tenants(credit, burst, { start: 600, end: 1100 });
      const part = partOf(results, 'B', 500);
      assert.ok(part > 0.9, `${part}`);
    });
  }

  it('comes home soon, even if the borrower has sent just now', () => {
    const results = tenants('age: off', { start: 0, end: 300 }, { start: 310, end: 710 });
    assert.ok(partOf(results, 'B', 400) > 0.45, `${partOf(results, 'B', 400)}`);
  });

  it('comes home from a tenant that goes on slowly, once', () => {
    const slow = { start: 0, end: 1150, rate: '500M' };
    const results = tenants('age: off', slow, { start: 200, end: 1100 });
    assert.ok(partOf(results, 'B', 900) > 0.9, `${partOf(results, 'B', 900)}`);
    assert.ok(partOf(results, 'A', 1150) > 0.9 * 0.005, `${partOf(results, 'A', 1150)}`);
    assert.ok(resyncs(results, 's1:p2', 1) <= 2);
    assert.equal(resyncs(results, 's1:p2', 2), 1);
  });

  it('is not taken from tenants that use their shares', () => {
    const busy = { start: 0, end: 1000 };
    const results = tenants('age: off', busy, busy, [3, 1]);
    const [a, b] = [partOf(results, 'A', 1000), partOf(results, 'B', 1000)];
    assert.ok(a + b > 0.95, `${a} ${b}`);
    assert.ok(Math.abs(a / b - 3) < 0.1, `${a} ${b}`);
    assert.equal(resyncs(results, 's1:p2', 1), 1);
    assert.equal(resyncs(results, 's1:p2', 2), 1);
  });

  it('is lent and taken back a few times at most when tenants take turns', () => {
    const results = runScenario(`
duration: 1200us
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 100m } }
priorities: { 3: credit }
credit: { grant: demand, channels: [{ channel: 1, vlans: [10] }, { channel: 2, vlans: [20] }] }
load:
${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `  - { name: t${n}, stream: { from: h2, to: h1 }, rate: line, transport: raw, frame: ${FRAME}, priority: 3, vlan: ${10 + 10 * (n % 2)}, start: ${100 * n}us, bytes: 900KB }`).join('\n')}
`);
    assert.equal(results.status, 'complete');
    const octets = results.flows.reduce((sum, flow) => sum + flow.payloadOctets, 0);
    assert.ok(octets > 0.98 * 8 * 900e3, `${octets}`);
    for (const channel of [1, 2]) {
      assert.ok(resyncs(results, 's1:p2', channel) <= 5, `${resyncs(results, 's1:p2', channel)}`);
    }
  });
});

describe('grant: demand with request: never', () => {
  it('lets a tenant that sends have the buffer: data is its request', () => {
    const results = tenants(
      'request: never',
      { start: 100, end: 1100 },
      { start: 1190, end: 1191 },
    );
    assert.ok(partOf(results, 'A', 1000) > 0.95, `${partOf(results, 'A', 1000)}`);
  });
});

describe('why', () => {
  it('names the tenant that had what others lacked', () => {
    const fabric = fabricOf(`
duration: 800us
observe: { episodes: true }
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 100m } }
priorities: { 3: credit }
credit: { grant: demand, channels: [{ channel: 7, vlans: [10] }, { channel: 8, vlans: [20] }] }
load:
  - { name: A, stream: { from: h2, to: h1 }, rate: line, transport: raw, frame: 1518, priority: 3, vlan: 10, bytes: 2MB }
  - { name: B, stream: { from: h2, to: h1 }, rate: line, transport: raw, frame: 1518, priority: 3, vlan: 20, start: 600us, end: 750us }
`);
    const session = new Session(fabric, { check: true });
    while (session.advance(1000) === 'running');
    const results = session.results('complete');
    const why = whyOf(fabric, results, session.congestion()!);
    const text = whyText(
      whySummary(why),
      { strong: (t) => t, bad: (t) => t, good: (t) => t },
      false,
    );
    assert.match(text, /channel 7 had it at s1:p2, priority 3: taken back [12]x/);
    assert.doesNotMatch(text, /channel 8 had it/);
  });
});
