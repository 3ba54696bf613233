import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, run } from '../kit/emulate.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

/** Red and blue hosts send over one slow uplink from s1 to s2; each to a host of its own. */
function uplink(options: { policy: string; blue?: string; shares?: [number, number] }): string {
  const { policy, blue = '', shares = [3, 1] } = options;
  return `
duration: 1ms
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: h4, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 100G, length: 10m }
    - { between: [h2, s1], rate: 100G, length: 10m }
    - { between: [s1, s2], rate: 40G, length: 100m }
    - { between: [s2, h3], rate: 100G, length: 10m }
    - { between: [s2, h4], rate: 100G, length: 10m }
switches: { buffer: { size: 4MB } }
priorities: { 3: credit }
credit:
  grant: ${policy}
  channels: [{ channel: 1, vlans: [10], share: ${shares[0]} }, { channel: 2, vlans: [20], share: ${shares[1]} }]
load:
  - { name: red, stream: { from: h1, to: h3 }, vlan: 10, rate: line, priority: 3, start: 100us }
  ${blue}
`;
}

const FREE = run(fabricOf(uplink({ policy: 'static' }), 'priorities.3=none'));

const BLUE =
  '- { name: blue, stream: { from: h2, to: h4 }, vlan: 20, rate: line, priority: 3, start: 100us }';

/** What a tenant gets of what the uplink carries when nothing is credit-gated. */
function shareOf(results: RunResults, load: string): number {
  const rate = (name: string, { flows }: RunResults): number =>
    flows.find((flow) => flow.load === name)!.goodputBps;
  return rate(load, results) / rate('red', FREE);
}

describe('tenants that share a priority', () => {
  for (const policy of ['static', 'demand']) {
    it(`share a wire by weight while both want it (${policy})`, () => {
      const results = run(fabricOf(uplink({ policy, blue: BLUE })));
      const blue = shareOf(results, 'blue');
      assert.ok(Math.abs(blue - 0.25) < 0.01, `${blue}`);
    });

    it(`have all of it while the other is idle (${policy})`, () => {
      const alone = shareOf(run(fabricOf(uplink({ policy }))), 'red');
      assert.ok(alone > 0.98, `${alone}`);
    });
  }

  it('borrow the memory of an idle one, and give it back', () => {
    // A loop of the uplink takes 14 KB; red's own share is a quarter of the buffer.
    const alone = (policy: string): RunResults =>
      run(fabricOf(uplink({ policy, shares: [1, 3] }), 'credit.buffer=20KB'));
    assert.ok(shareOf(alone('static'), 'red') < 0.5);
    assert.ok(shareOf(alone('demand'), 'red') > 0.98);
    const both = uplink({ policy: 'demand', shares: [1, 3], blue: BLUE });
    const results = run(fabricOf(both, 'credit.buffer=20KB'));
    assert.ok(shareOf(results, 'blue') > 0.7);
    assert.deepEqual(results.priorities[0]!.drops, {});
  });

  it('go on while the account of another starts over', () => {
    const session = new Session(fabricOf(uplink({ policy: 'static', blue: BLUE })), {
      check: true,
    });
    while (session.engine.clock.now < 300e6) session.advance(1);
    const { devices, shared } = session.engine;
    const credit = mechanismOf(session.engine);
    const port = devices.find(({ spec }) => spec.name === 's1')!.firstPort + 2;
    const [red, blue] = [0, 1].map((slot) => credit.accounts.row(port, slot, 3));
    for (const row of [red, blue]) assert.ok(shared.lines.head(row!) >= 0, 'a frame waits');
    credit.sender.onResync(red!);
    const next = shared.queues.head(port, 3);
    assert.ok(next >= 0, 'a frame is let in');
    assert.equal(credit.rowOf(port, next), blue);
  });
});

/** Three tenants with frames of unlike length; the link to their host is down for a moment. */
const FLAP = `
duration: 100us
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 1m } }
priorities: { 3: credit }
credit: { tags: true, channels: [{ channel: 1, vlans: [10], share: 2 }, { channel: 2, vlans: [20], share: 3 }, { channel: 3, vlans: [30], share: 2 }] }
load:
  - { name: long, stream: { from: [h2, h3, h4], to: h1 }, arrivals: poisson, rate: 90%, priority: 3, transport: raw, frame: 4000, vlan: 10 }
  - { name: middle, stream: { from: [h2, h3, h4], to: h1 }, arrivals: poisson, rate: 50%, priority: 3, transport: raw, frame: 1518, vlan: 20 }
  - { name: short, stream: { from: [h2, h3, h4], to: h1 }, arrivals: poisson, rate: 90%, priority: 3, transport: raw, frame: 700, vlan: 30 }
faults: [ { kind: link-down, where: { link: s1 h1 }, at: 25us, for: 500ns } ]
`;

describe('tenants whose accounts open one after the other when a link comes up', () => {
  for (const seed of [1, 2, 3]) {
    for (const set of [[], ['credit.tags=false'], ['fabric.hostLink.rate=400G']]) {
      it(`share by weight from when they have credit: seed ${seed} ${set.join()}`, () => {
        const results = run(fabricOf(FLAP, `seed=${seed}`, ...set));
        assert.equal(results.status, 'complete', JSON.stringify(results.failure));
      });
    }
  }
});

it('channels that are blocked at the same time make a priority blocked once', () => {
  const stopped = uplink({ policy: 'static', blue: BLUE });
  const results = run(fabricOf(stopped, 'load.0.start=0', 'load.1.start=0'));
  for (const { priorities } of results.ports) {
    for (const { blockedPs } of priorities)
      assert.ok(blockedPs <= results.virtualPs, `${blockedPs}`);
  }
  const uplinkPort = results.ports.find(({ port }) => port === 's1:p3')!;
  const hosts = results.ports.filter(({ port }) => ['h1:p1', 'h2:p1'].includes(port));
  assert.ok(
    [uplinkPort, ...hosts].some(({ priorities }) => priorities.some((p) => p.blockedPs > 0)),
  );
});
