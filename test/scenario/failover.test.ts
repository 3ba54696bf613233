import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runsAlike } from '../kit/alike.js';
import { factsOf, pageOfRun } from '../../services/report/page/page-of-run.js';
import { summaryText } from '../../services/report/summary-text.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, flowOf, run, runScenario } from '../kit/emulate.js';

const LEAF_SPINE = `
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }
priorities: { 3: { flowControl: pfc } }
`;
const TIMES = 'detection: 10us, reconvergence: 40us';
const failover = (more = ''): string => `switches: { failover: { ${TIMES}${more} } }`;
const DOWN = 'kind: link-down, where: { device: leaf1, peer: spine1 }';
const ALL = `load: [ { name: a, all-to-all: {}, bytes: 300KB, priority: 3, transport: reliable } ]`;

const worlds: Readonly<Record<string, string>> = {
  'an uplink that stays down': `${LEAF_SPINE}
${failover()}
duration: 800us
faults: [ { ${DOWN}, at: 20us } ]
${ALL}
`,
  'an uplink that comes back, and drops what it holds': `${LEAF_SPINE}
${failover(', queued: drop')}
duration: 400us
faults: [ { ${DOWN}, at: 20us, for: 100us } ]
load: [ { name: a, all-to-all: {}, bytes: 300KB, priority: 3, transport: raw } ]
`,
  'local repair only': `${LEAF_SPINE}
switches: { failover: { detection: 10us, reconvergence: off } }
duration: 400us
faults: [ { ${DOWN}, at: 20us } ]
${ALL}
`,
  'flaps shorter than detection': `${LEAF_SPINE}
${failover()}
duration: 400us
faults: [ { ${DOWN}, at: 20us, for: 6us, every: 15us, until: 200us } ]
${ALL}
`,
  'flaps at random, on many links': `${LEAF_SPINE}
${failover()}
duration: 500us
faults: [ { kind: link-down, where: { peer: 'spine*' }, for: 30us, every: 60us, random: true, until: 400us } ]
${ALL}
`,
  'a spine that reboots': `${LEAF_SPINE}
${failover()}
duration: 500us
faults: [ { kind: reboot, where: { device: spine2 }, at: 20us, for: 100us } ]
${ALL}
`,
  'credit instead of PFC': `${LEAF_SPINE.replace('{ flowControl: pfc }', 'credit')}
${failover()}
duration: 800us
faults: [ { ${DOWN}, at: 20us, for: 300us } ]
${ALL}
`,
  'channels of credit, with tags': `${LEAF_SPINE.replace('{ flowControl: pfc }', 'credit')}
credit: { tags: true, channels: [ { channel: 1, vlans: [10] }, { channel: 2, vlans: [20] } ] }
${failover()}
duration: 400us
faults: [ { ${DOWN}, at: 20us, for: 100us } ]
load:
  - { name: red, stream: { from: [h1, h2], to: h3 }, vlan: 10, rate: line, frame: 1518, priority: 3 }
  - { name: blue, stream: { from: [h3, h4], to: [h1, h2] }, vlan: 20, rate: line, frame: 1518, priority: 3 }
`,
  'a group': `${LEAF_SPINE}
${failover()}
duration: 300us
groups: { g: [h2, h3, h4] }
faults: [ { kind: link-down, where: { device: leaf1, peer: 'spine*' }, at: 20us, for: 100us } ]
load: [ { name: cast, stream: { from: h1, to: g }, rate: 10G, frame: 1000, priority: 3 } ]
`,
  bridges: `
fabric: { generator: star, hosts: 4 }
switches: { forwarding: bridged, failover: { ${TIMES} } }
priorities: { 3: pfc }
duration: 300us
faults: [ { kind: link-down, where: { device: h2 }, at: 20us, for: 100us } ]
${ALL}
`,
  'a host without its link': `${LEAF_SPINE}
${failover()}
duration: 300us
faults: [ { kind: link-down, where: { device: h3 }, at: 20us } ]
${ALL}
`,
  'an MVTX2802': `
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostLink: { rate: 1G }, fabricLink: { rate: 1G } }
switches: { model: mvtx2802, failover: { ${TIMES} } }
pause: true
duration: 900us
faults: [ { ${DOWN}, at: 100us, for: 300us } ]
load: [ { name: a, all-to-all: {}, bytes: 20KB, transport: raw } ]
`,
  'sprayed frames': `
fabric: { generator: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 2 }
switches: { ecmp: packet, failover: { ${TIMES} } }
priorities: { 3: pfc }
duration: 300us
faults: [ { ${DOWN}, at: 20us, for: 100us } ]
load: [ { name: a, all-to-all: {}, bytes: 300KB, priority: 3, transport: raw } ]
`,
  'a fat-tree with several links down': `
fabric: { generator: fat-tree, k: 4 }
${failover()}
priorities: { 3: pfc }
duration: 400us
faults:
  - { kind: link-down, where: { device: core1, probability: 50% }, at: 20us }
  - { kind: link-down, where: { device: 'agg1', peer: 'edge*' }, at: 40us, for: 150us }
load: [ { name: a, permutation: {}, bytes: 200KB, priority: 3, transport: reliable } ]
`,
  'a ring, which leads round the other way': `
fabric: { generator: ring, switches: 5, hostsPerSwitch: 1 }
${failover()}
duration: 500us
faults: [ { kind: link-down, where: { device: s1, peer: s2 }, at: 20us } ]
load: [ { name: a, all-to-all: {}, bytes: 100KB, transport: reliable } ]
`,
  'source flow control': `${LEAF_SPINE.replace('{ flowControl: pfc }', '{ flowControl: pfc, sfc: true }')}
${failover()}
duration: 300us
faults: [ { ${DOWN}, at: 20us, for: 100us } ]
load: [ { name: i, stream: { from: h2..h4, to: h1 }, rate: line, priority: 3, frame: 1500 } ]
`,
  'congestion isolation': `
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
${failover()}
priorities: { 2: { flowControl: pfc }, 3: { flowControl: pfc, ci: true } }
ci: { priority: 2, detect: 40KB, low: 10KB }
duration: 300us
faults: [ { ${DOWN}, at: 20us, for: 100us } ]
load: [ { name: i, stream: { from: h2..h6, to: h1 }, rate: line, priority: 3, frame: 1500 } ]
`,
};

describe('failover', () => {
  for (const [name, text] of Object.entries(worlds)) {
    it(`is the same anywhere, with books that balance: ${name}`, async () => {
      const results = await runsAlike(fabricOf(text), 300e6, [25e6, 45e6, 75e6, 135e6]);
      assert.equal(results.failure, null);
      const isCut = results.flows.some(({ unreachableAt }) => unreachableAt !== null);
      if (!isCut) assert.equal(results.status, 'complete');
    });
  }
});

const done = ({ flows }: RunResults): number =>
  flows.filter(({ completionPs }) => completionPs !== null).length;
const drops = ({ priorities }: RunResults): Readonly<Record<string, number>> =>
  Object.assign({}, ...priorities.map((one) => one.drops)) as Record<string, number>;

describe('a fabric whose link is down', () => {
  const UPLINK = worlds['an uplink that stays down']!;

  it('completes all flows by other paths, and without failover those that hash onto others', () => {
    const whole = runScenario(UPLINK);
    assert.equal(done(whole), 12);
    assert.deepEqual(Object.keys(drops(whole)), ['link-down']);
    const without = runScenario(UPLINK, 'switches.failover=off');
    assert.ok(done(without) < 12);
    assert.equal(without.flows.filter(({ unreachableAt }) => unreachableAt !== null).length, 4);
  });

  it('does so with what a link-down signal takes by default', () => {
    const usual = UPLINK.replace(failover(), '').replace('800us', '3ms');
    assert.equal(done(runScenario(usual)), 12);
  });

  it('drops frames at the dead port with a reason of its own, if configured to', () => {
    const dropped = drops(runScenario(UPLINK.replace('40us', '40us, queued: drop')));
    assert.ok(dropped['port-down']! > 0);
    assert.ok(dropped['unreachable']! > 0);
  });

  it('names flows that cannot reach, and where they end', () => {
    const { flows } = runScenario(worlds['a host without its link']!);
    const named = flows.filter(({ unreachableAt }) => unreachableAt !== null);
    assert.equal(named.length, 6);
    assert.equal(flowOf({ flows } as RunResults, 'h3->h1').unreachableAt, 'h3:p1');
    assert.equal(flowOf({ flows } as RunResults, 'h1->h3').unreachableAt, 'leaf1');
  });

  it('names them among stalled flows and on the page, with what is in their way', () => {
    const fabric = fabricOf(worlds['a host without its link']!, 'duration=2ms');
    const results = run(fabric);
    const summary = summaryText(results, [], { good: String, bad: String, strong: String });
    assert.match(summary, /Stalled: 6 of 12 flows\n/);
    assert.match(summary, /h3->h1 +\S+ us +h3:p1 +link down$/m);
    assert.match(summary, /h1->h3 +\S+ us +leaf1 +no route$/m);
    const series = { rows: [] };
    const origin = { scenario: 'cut.yaml', set: [], steps: [] };
    const page = pageOfRun(
      { results, expectations: [], document: {}, series, why: null, traces: null, origin },
      factsOf(fabric),
    );
    const cut = { name: 'a/h3->h1', place: 'h3:p1', cause: 'link down' };
    assert.equal(page.unreachable!.count, 6);
    assert.deepEqual(
      page.unreachable!.flows.find(({ name }) => name === cut.name),
      cut,
    );
    const stalled = page.standstill!.flows.find(({ name }) => name === cut.name)!;
    assert.deepEqual([stalled.place, stalled.cause], [cut.place, cut.cause]);
  });

  it('leaves senders elsewhere alone with local repair only, and their flows end at the spine', () => {
    const { flows } = runScenario(worlds['local repair only']!);
    const ends = new Set(flows.flatMap(({ unreachableAt }) => unreachableAt ?? []));
    assert.deepEqual([...ends], ['spine1']);
  });

  it('notices no flap that is shorter than detection', () => {
    const text = worlds['flaps shorter than detection']!;
    const [on, off] = [runScenario(text), runScenario(text, 'switches.failover=off')];
    assert.equal(on.digest, off.digest);
  });

  it('does as ever where all links are up', () => {
    const text = UPLINK.replace(/^faults:.*$/m, '');
    assert.equal(runScenario(text).digest, runScenario(text, 'switches.failover=off').digest);
  });

  it('goes back to its routes when the link is up again', () => {
    const text = `${LEAF_SPINE}
${failover()}
duration: 600us
faults: [ { ${DOWN}, at: 20us, for: 100us } ]
load: [ { name: a, all-to-all: {}, bytes: 100KB, start: 300us, priority: 3, transport: reliable } ]
`;
    const again = runScenario(text);
    const never = runScenario(text.replace(/^faults:.*$/m, ''));
    const times = ({ flows }: RunResults): unknown[] => flows.map((flow) => flow.completionPs);
    assert.deepEqual(times(again), times(never));
  });
});
