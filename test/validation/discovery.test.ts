/** Negotiation against arithmetic: how long it takes, what it costs, and what it does to data. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import { readU16 } from '../../services/engine/wire/big-endian.js';
import { ETHERTYPE_LLDP } from '../../services/engine/wire/lldp/lldpdu.js';
import { Session } from '../../services/runtime/session.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { flowOf, fabricOf, run, runScenario } from '../kit/emulate.js';

const PREAMBLE_OCTETS = 8;
const FCS_OCTETS = 4;

function dropsOf({ ports }: RunResults, priority: number): number {
  return ports
    .flatMap((port) => port.priorities)
    .filter((row) => row.priority === priority)
    .flatMap(({ drops }) => Object.values(drops))
    .reduce((a, b) => a + b, 0);
}

describe('ports with several addresses', () => {
  it('send LLDPDUs to each address, with an agent for each', () => {
    class Destinations extends NullProbe {
      readonly seen = new Set<string>();
      override controlSent(device: number, _: number, __: number, octets: Uint8Array): void {
        if (readU16(octets, 12) !== ETHERTYPE_LLDP || device !== 0) return;
        this.seen.add(Buffer.from(octets.subarray(0, 6)).toString('hex'));
      }
    }
    const sent = (reach: string): string[] => {
      const text = `
fabric: { generator: pair }
duration: 10us
priorities: { 3: pfc }
discovery: { second: 1us${reach} }
`;
      const probe = new Destinations();
      const session = new Session(fabricOf(text), { check: true });
      session.engine.listen(probe);
      while (session.advance(1000) === 'running');
      return [...probe.seen].sort();
    };
    assert.deepEqual(sent(''), ['0180c200000e']);
    const both = ', reach: [nearest-bridge, nearest-non-tpmr-bridge, nearest-customer-bridge]';
    assert.deepEqual(sent(both), ['0180c2000000', '0180c2000003', '0180c200000e']);
  });
});

describe('a fabric of 64 switches and 256 hosts', () => {
  const text = `
fabric:
  generator: leaf-spine
  leaves: 32
  spines: 32
  hostsPerLeaf: 8
  hostLink: { rate: 100G, length: 5m }
  fabricLink: { rate: 100G, length: 2km }
duration: 70s
priorities: { 3: pfc }
devices: { 'h*': { priorities: { 3: none }, discovery: { willing: [pfc] } } }
discovery: true
`;
  const session = new Session(fabricOf(text), { check: false });
  const executed = (): number => session.engine.shared.events.reduce((a, b) => a + b, 0);

  it('settles in three ways over its longest links, whatever the number of hops', () => {
    session.runTo(5e12);
    const { discovery } = session.results('interrupted');
    // A host advertises that it is a station; so the leaf knows its level, and advertises it to the
    // spines, which then know theirs and advertise it to the leaves.
    const longest = Math.max(
      ...session.engine.discovery.ports.map((port) => port!.agents[0]!.advertised.length),
    );
    const octets = PREAMBLE_OCTETS + longest + FCS_OCTETS;
    const wayPs = octets * 80 + 10e6 + 500e3;
    const settled = discovery!.convergence[0]!.durationPs!;
    assert.ok(settled > 2 * wayPs && settled < 3.5 * wayPs, `${settled}`);
    assert.ok(discovery!.ports.every(({ neighbors }) => neighbors.length === 1));
    assert.ok(discovery!.ports.every(({ mismatches }) => mismatches.length === 0));
  });

  it('costs a handful of events per LLDPDU in idle minutes, and nothing else', () => {
    session.runTo(9e12);
    const before = executed();
    session.runTo(69e12);
    const ports = session.engine.shared.ports.count;
    // Two intervals; a timer, a start on the wire with what follows it, and an arrival for each.
    assert.ok(executed() - before <= 2 * ports * 4, `${executed() - before} of ${ports}`);
  });
});

describe('PFC that is negotiated', () => {
  const star = (discovery: string): string => `
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: 10m } }
switches: { pipeline: 500ns, buffer: { size: 400KB } }
priorities: { 3: { flowControl: pfc, xoff: 50KB } }
devices: { 'h*': { priorities: { 3: none }, discovery: { willing: [pfc] } } }
discovery: ${discovery}
duration: 200us
load:
  - { name: over, stream: { from: [h2, h3], to: h1 }, rate: line, frame: 1518, priority: 3 }
`;

  it('protects a priority from the agreement on, and counts what came before it', () => {
    const results = runScenario(star('true'));
    assert.equal(results.status, 'complete');
    assert.equal(dropsOf(results, 3), 0);
    const exposed = results.discovery!.ports.map(({ exposedFrames }) => exposedFrames[3]!);
    const [total, longest] = [exposed.reduce((a, b) => a + b, 0), Math.max(...exposed)];
    const settled = results.discovery!.convergence[0]!.durationPs!;
    // At line rate no more than these can have come by then.
    assert.ok(total > 0 && longest <= Math.ceil(settled / ((1518 + 20) * 80)));
  });

  it('exposes nothing if it was agreed on before', () => {
    const results = runScenario(star('{ start: converged }'));
    assert.deepEqual(results.discovery!.convergence[0], { fromPs: 0, durationPs: 0 });
    assert.ok(results.discovery!.ports.every(({ exposedFrames }) => exposedFrames[3] === 0));
    assert.equal(dropsOf(results, 3), 0);
  });

  it('does not touch a priority that stays lossless while another one comes and goes', () => {
    const changes = [20, 40, 60, 80].map(
      (us, i) => `{ at: ${us}us, devices: s1, pfc: [3${i % 2 === 0 ? ', 4' : ''}] }`,
    );
    const results = runScenario(star(`{ second: 1us, changes: [${changes.join(', ')}] }`));
    assert.equal(results.status, 'complete');
    assert.equal(dropsOf(results, 3), 0);
    const { convergence } = results.discovery!;
    assert.equal(convergence.length, 5);
    assert.ok(convergence.every(({ durationPs }) => durationPs! > 0 && durationPs! < 10e6));
    const paused = results.ports.find(({ port }) => port === 's1:p2')!;
    assert.ok(paused.priorities.find(({ priority }) => priority === 3)!.stopsSent > 5);
  });

  it('loses frames of a priority that is given up, and the run says which', () => {
    const results = runScenario(star('{ changes: [{ at: 100us, devices: s1, pfc: [] }] }'));
    // A recovery time that no longer applies is not a failure.
    assert.equal(results.status, 'complete');
    assert.ok(dropsOf(results, 3) > 0);
    const lossless = results.ports
      .flatMap((port) => port.priorities)
      .filter((row) => (row.drops['headroom-exhausted'] ?? 0) > 0);
    assert.deepEqual(lossless, []);
  });

  it('is left alone where the scenario only watches', () => {
    const strangers = (drives: boolean): string =>
      star(`{ drives: ${drives} }`).replace(
        /^devices:.*$/m,
        "devices: { 'h*': { discovery: { dcbx: cee } }, s1: { discovery: { dcbx: ieee } } }",
      );
    assert.ok(dropsOf(runScenario(strangers(true)), 3) > 0);
    const watched = runScenario(strangers(false));
    assert.equal(dropsOf(watched, 3), 0);
    assert.ok(watched.discovery!.ports.every(({ mismatches }) => mismatches.length > 0));
  });
});

/** Sees LLDPDUs that start while their port is asked not to send. */
class BlockedLldp extends NullProbe {
  whileBlocked = 0;
  private readonly blocked = new Map<string, number>();

  override blockedChanged(device: number, port: number, _: number, priorities: number): void {
    this.blocked.set(`${device}:${port}`, priorities);
  }

  override controlSent(device: number, port: number, _: number, octets: Uint8Array): void {
    const isBlocked = (this.blocked.get(`${device}:${port}`) ?? 0) !== 0;
    if (isBlocked && readU16(octets, 12) === ETHERTYPE_LLDP) this.whileBlocked++;
  }
}

describe('LLDPDUs in a port that is stopped', () => {
  const incast = (flowControl: string): string => `
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: 10m } }
switches: { pipeline: 500ns, buffer: { size: 400KB } }
${flowControl}
discovery: { second: 100ns, interval: 3 }
duration: 60us
load:
  - { name: over, stream: { from: [h2, h3], to: h1 }, rate: line, frame: 1518, priority: 3 }
`;
  const sent = (flowControl: string): readonly [BlockedLldp, RunResults] => {
    const session = new Session(fabricOf(incast(flowControl)), { check: true });
    const heard = new BlockedLldp();
    session.engine.listen(heard);
    while (session.advance(1000) === 'running');
    return [heard, session.results('complete')];
  };

  it('wait for the end of a PAUSE, which stops all that MAC clients send', () => {
    const [heard, { discovery, status }] = sent('pause: true');
    assert.equal(status, 'complete');
    assert.equal(heard.whileBlocked, 0);
    const frames = discovery!.ports.map(({ statistics }) => statistics.statsFramesOutTotal);
    assert.ok(Math.min(...frames) < Math.max(...frames) - 10, frames.join());
  });

  it('pass PFC, which stops priorities in their queues', () => {
    const [heard] = sent('priorities: { 3: { flowControl: pfc, xoff: 50KB } }');
    assert.ok(heard.whileBlocked > 0);
  });
});

describe('clocks of LLDP that drift', () => {
  it('make one end speak more often, and neither forgets the other', () => {
    const results = runScenario(`
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
discovery: { second: 1us }
devices: { h1: { discovery: { drift: 100000 } }, h2: { discovery: { drift: -100000 } } }
duration: 3ms
`);
    const { ports } = results.discovery!;
    const [fast, slow] = ports.map(({ statistics }) => statistics.statsFramesOutTotal);
    assert.ok(Math.abs(fast! / slow! - 1.1 / 0.9) < 0.05, `${fast} ${slow}`);
    assert.ok(ports.every(({ statistics }) => statistics.statsAgeoutsTotal === 0));
  });
});

describe('ETS shares that are recommended', () => {
  it('divide the link of a willing host as its switch says', () => {
    const results = runScenario(`
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
devices:
  s1: { arbiter: { ets: { 0: 80%, 1: 20% } }, discovery: { recommend: true } }
  h1: { discovery: { willing: [ets] } }
discovery: { start: converged }
duration: 300us
load:
  - { name: a, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 0 }
  - { name: b, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 1 }
`);
    const [a, b] = ['a', 'b'].map(
      (load) => results.flows.find((flow) => flow.load === load)!.goodputBps,
    );
    assert.ok(Math.abs(a! / (a! + b!) - 0.8) < 0.01, `${a! / (a! + b!)}`);
  });
});

describe('a table of shares that is learned', () => {
  const TABLE = '{ 0: 80%, 3: 20%, 7: strict }';
  const table = (devices: string): string => `
duration: 600us
fabric: { generator: star, hosts: 2, hostLink: { rate: 10G, length: 10m } }
switches: { arbiter: { ets: ${TABLE} } }
devices: { "h*": ${devices} }
discovery: { second: 1us, recommend: true }
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 0, start: 200us }
  - { name: b, stream: { from: h1, to: h2 }, priority: 3, start: 200us }
`;

  /** Classes that h1 served while both waited. */
  function order(devices: string): number[] {
    const session = new Session(fabricOf(table(devices)), { check: true });
    const [arbiter] = session.engine.devices.find(({ spec }) => spec.name === 'h1')!.arbiters;
    const pick = arbiter!.pick.bind(arbiter);
    const served: number[] = [];
    arbiter!.pick = (eligible, heads, port): number => {
      const tc = pick(eligible, heads, port);
      if (eligible === 0b1001) served.push(tc);
      return tc;
    };
    while (session.advance(1000) === 'running');
    assert.equal(session.results('complete').failure, null);
    return served;
  }

  it('is served in the same order as one that is configured: no class waits for long', () => {
    const learned = order('{ discovery: { willing: [ ets ] } }').join('');
    const configured = order(`{ arbiter: { ets: ${TABLE} } }`).join('');
    assert.ok(learned.length > 200, `${learned.length} frames`);
    assert.ok(configured.startsWith(learned) || learned.startsWith(configured));
    assert.deepEqual(learned.match(/00000|33/g), null);
  });
});

describe('a map of priorities to classes that is recommended', () => {
  /** Without the switch's map, priorities 1 and 2 of the host share a class with 0. */
  const pair = (willing: string, changes = ''): RunResults =>
    runScenario(`
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
priorities: { 0: pfc, 1: pfc, 2: pfc }
devices:
  s1:
    arbiter: { ets: { 0: 60%, 1: 30%, 2: 10% } }
    discovery: { recommend: true }
  h1: { discovery: { classes: [0, 0, 0, 3, 4, 5, 6, 7], willing: [${willing}] } }
discovery: { second: 1us, changes: [${changes}] }
duration: 300us
load:
  - { name: a, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 0, start: 20us }
  - { name: b, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 1, start: 20us }
  - { name: c, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 2, start: 20us }
`);
  const sharesOf = ({ flows }: RunResults): number[] => {
    const rates = ['a', 'b', 'c'].map(
      (load) => flows.find((flow) => flow.load === load)!.goodputBps,
    );
    const sum = rates.reduce((x, y) => x + y, 0);
    return rates.map((rate) => rate / sum);
  };
  const near = (shares: number[], wanted: number[]): boolean =>
    shares.every((part, i) => Math.abs(part - wanted[i]!) < 0.02);

  it('gives each priority of a willing host the share of its class', () => {
    const learned = sharesOf(pair('ets'));
    assert.ok(near(learned, [0.6, 0.3, 0.1]), learned.join());
    const own = sharesOf(pair(''));
    assert.ok(near(own, [1 / 3, 1 / 3, 1 / 3]), own.join());
  });

  it('can change while frames wait, without loss or disorder', () => {
    const maps = [
      '[0, 0, 1, 3, 4, 5, 6, 7]',
      '[2, 1, 0, 3, 4, 5, 6, 7]',
      '[0, 1, 2, 3, 4, 5, 6, 7]',
    ];
    const changes = maps.map((map, i) => `{ at: ${60 + 50 * i}us, devices: s1, classes: ${map} }`);
    const results = pair('ets', changes.join(', '));
    assert.equal(results.status, 'complete');
    assert.equal(
      [0, 1, 2].reduce((sum, p) => sum + dropsOf(results, p), 0),
      0,
    );
    const host = results.discovery!.ports.find(({ port }) => port === 'h1:p1')!;
    assert.deepEqual(host.operational.ets!.classOf, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.ok(host.convergencePs.every((ps) => ps !== null && ps < 10e6));
  });
});

describe('credit that is negotiated', () => {
  const pair = (status: string): string => `
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
priorities: { 3: credit }
discovery: { second: 1us, ${status} }
duration: 100us
load: [{ name: a, stream: { from: h1, to: h2 }, rate: line, frame: 1518, priority: 3 }]
`;

  it('lets the first frame go when both ends have advertised that they can', () => {
    const results = runScenario(pair('status: both'));
    const { discovery } = results;
    const flow = flowOf(results, 'h1->h2');
    assert.ok(discovery!.ports.every(({ credit }) => credit.priorities === 8));
    assert.ok(flow.frames > 500);
    assert.ok(flow.latencyMaxPs! >= discovery!.convergence[0]!.durationPs! / 2);
  });

  it('lets none go while an end says nothing', () => {
    const { flows, status } = run(fabricOf(pair('status: receive')));
    // It is offered, and nothing will ever let it go.
    assert.equal(status, 'stalled');
    assert.equal(flows[0]!.frames, 0);
  });
});

describe('source flow control that is negotiated', () => {
  const star = (more: string): RunResults =>
    runScenario(`
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 10m } }
switches: { pipeline: 500ns, buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, xoff: 200KB, sfc: true } }
sfc: { detect: 30KB, target: 20KB, minInterval: 5us }
discovery: { second: 1us }
${more}
duration: 200us
load:
  - { name: in, stream: { from: [h2, h3, h4], to: h1 }, rate: line, frame: 1518, priority: 3 }
`);
  const counted = ({ sfc }: RunResults, role: string, name: string): number =>
    sfc
      .filter((point) => point.role === role)
      .reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0);
  const reactions = ({ sfcPaths }: RunResults): string[] =>
    sfcPaths.map(({ reaction }) => reaction);

  it('leaves stations alone that advertise that they respond, and acts for those that do not', () => {
    const able = star('');
    assert.deepEqual(reactions(able), ['station', 'station', 'station']);
    assert.ok(counted(able, 'station', 'sfcSfcmsReceived') > 0);
    assert.equal(counted(able, 'bridge', 'sfcPfcInvoked'), 0);
    const old = star('devices: { h2: { sfc: { receive: false } } }');
    assert.deepEqual(reactions(old), ['proxy', 'station', 'station']);
    assert.ok(counted(old, 'bridge', 'sfcPfcInvoked') > 0);
  });

  it('is the proxy of a station that advertises nothing', () => {
    const silent = star('devices: { h2: { discovery: { status: receive } } }');
    assert.ok(counted(silent, 'bridge', 'sfcPfcInvoked') > 0);
  });
});

describe('congestion isolation that is negotiated', () => {
  const line = (more: string): RunResults =>
    runScenario(`
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3,
  hostLink: { rate: 100G, length: 10m }, fabricLink: { rate: 100G, length: 50m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
priorities: { 2: pfc, 3: { flowControl: pfc, xoff: 150KB, ci: true } }
ci: { priority: 2, detect: 40KB, low: 10KB }
discovery: { second: 1us }
${more}
duration: 200us
load:
  - { name: in, stream: { from: [h1, h2, h5], to: h4 }, rate: line, frame: 1518, priority: 3 }
`);
  const told = ({ isolations }: RunResults): number =>
    isolations.reduce((sum, { counters }) => sum + (counters['ciCimAddsTransmitted'] ?? 0), 0);

  it('sends CIMs to a link partner that advertises isolation, and to no other', () => {
    assert.ok(told(line('')) > 0);
    assert.equal(told(line('devices: { spine1: { discovery: { status: receive } } }')), 0);
  });
});
