import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restoreDevice, saveDevice } from '../../services/engine/device/checkpoint.js';
import { checkLedger } from '../../services/engine/analysis/ledger/ledger.js';
import type { Engine } from '../../services/engine/device/engine.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, run, runScenario } from '../kit/emulate.js';
import { replaced } from '../kit/replaced.js';
import type { RunResults } from '../../services/runtime/results/results.js';

const UNTIL_PS = 150e6;

/** A fault in an example in which it has something to do, and how much of it there is to see. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['lost CNPs', 'incast-dcqcn', '{ kind: control, frames: cnp, action: lose }'],
  ['wrong CNPs', 'incast-dcqcn', '{ kind: control, frames: cnp, action: corrupt }'],
  ['lost CNMs', 'incast-qcn', '{ kind: control, frames: cnm, action: lose }'],
  ['wrong CNMs', 'incast-qcn', '{ kind: control, frames: cnm, action: corrupt }'],
  ['lost SFCMs', 'incast-sfc', '{ kind: control, frames: sfcm, action: lose, probability: 50% }'],
  ['wrong SFCMs', 'incast-sfc', '{ kind: control, frames: sfcm, action: corrupt }'],
  ['lost CIMs', 'incast-ci', '{ kind: control, frames: cim, action: lose, probability: 50% }'],
  ['wrong CIMs', 'incast-ci', '{ kind: control, frames: cim, action: corrupt }'],
  ['CNPs that come twice', 'incast-dcqcn', '{ kind: control, frames: cnp, action: duplicate }'],
  ['late CNPs', 'incast-dcqcn', '{ kind: control, frames: cnp, action: delay, delay: 9us }'],
  ['CNMs that come twice', 'incast-qcn', '{ kind: control, frames: cnm, action: duplicate }'],
  ['late CNMs', 'incast-qcn', '{ kind: control, frames: cnm, action: delay, delay: 9us }'],
  ['SFCMs that come twice', 'incast-sfc', '{ kind: control, frames: sfcm, action: duplicate }'],
  ['late SFCMs', 'incast-sfc', '{ kind: control, frames: sfcm, action: delay, delay: 9us }'],
  ['CIMs that come twice', 'incast-ci', '{ kind: control, frames: cim, action: duplicate }'],
  ['late CIMs', 'incast-ci', '{ kind: control, frames: cim, action: delay, delay: 9us }'],
  ['forged CNPs', 'incast-dcqcn', '{ kind: forge, frames: cnp, to: h3, interval: 9us, for: 1ms }'],
  ['forged CNMs', 'incast-qcn', '{ kind: forge, frames: cnm, to: h3, interval: 9us }'],
  ['forged SFCMs', 'incast-sfc', '{ kind: forge, frames: sfcm, to: h3, interval: 9us, for: 1ms }'],
  ['CNMs that an 82599 forges', 'nic-qcn', '{ kind: forge, frames: cnm, to: h1, interval: 9us }'],
  [
    'late LLDPDUs',
    'discovery-miscabled',
    '{ kind: control, frames: lldp, action: delay, delay: 9us }',
  ],
  [
    'LLDPDUs that come twice',
    'discovery-miscabled',
    '{ kind: control, frames: lldp, action: duplicate }',
  ],
];

function digests(engine: Engine): string[] {
  return engine.devices.map((_, d) => engine.shared.digests.hex(d));
}

function reference(fabric: Fabric): Engine {
  const engine = wholeEngine(fabric);
  new Windows(engine, fabric.cluster).run(UNTIL_PS);
  assert.deepEqual(checkLedger(engine), []);
  return engine;
}

function hitsOf({ shared, faults }: Engine): number {
  let hits = 0;
  for (let port = 0; port < shared.ports.count; port++) {
    for (const counts of faults.counts(port, UNTIL_PS)) hits += counts.hits;
  }
  return hits;
}

/** Random windows, random order of devices, saved halfway and restored where they lie otherwise. */
function disturbed(fabric: Fabric, name: string): string[] {
  const random = new RandomStream(5, name);
  const first = wholeEngine(fabric);
  runRandomly(first, fabric, UNTIL_PS / 2, random);
  const { engine: second, placeOf } = replaced(fabric, random);
  placeOf.forEach((place, d) => {
    restoreDevice(second, place, structuredClone(saveDevice(first, d)));
  });
  runRandomly(second, fabric, UNTIL_PS, random);
  assert.deepEqual(checkLedger(second), []);
  const moved = digests(second);
  return placeOf.map((place) => moved[place]!);
}

function runRandomly(engine: Engine, fabric: Fabric, until: number, random: RandomStream): void {
  const { horizon } = engine.shared;
  const order = engine.devices.map((_, d) => d);
  for (;;) {
    const next = Math.min(...horizon);
    if (next >= until) return;
    const bound = Math.min(next + 1 + random.below(fabric.lookaheadPs), until);
    random.shuffle(order);
    for (const d of order) if (horizon[d]! < bound) engine.run(d, bound);
  }
}

describe('a fault of chosen control frames', () => {
  for (const [what, example, fault] of CASES) {
    it(`meets ${what} in ${example}, and breaks in one way`, () => {
      const fabric = fabricOf(`examples/${example}.yaml`, `faults=[${fault}]`);
      const engine = reference(fabric);
      assert.ok(hitsOf(engine) > 0);
      const plain = digests(reference(fabricOf(`examples/${example}.yaml`, 'faults=[]')));
      assert.notDeepEqual(digests(engine), plain);
      assert.deepEqual(disturbed(fabric, what), digests(engine));
    });
  }
});

const BRIDGED = `
fabric: { generator: star, hosts: 4 }
switches: { forwarding: bridged }
duration: 200us
load:
  - { name: a, stream: { from: h1, to: h2 }, rate: 1G }
  - { name: b, stream: { from: h2, to: h1 }, rate: 1G }
`;

/** Frames that a host got which were for others. */
function strayFrames(faults: string): number {
  const { ports } = runScenario(`${BRIDGED}faults: [${faults}]`);
  const { priorities } = ports.find(({ port }) => port === 'h3:p1')!;
  return priorities.reduce((sum, { rxFrames }) => sum + rxFrames, 0);
}

function breaksInOneWay(fabric: Fabric, plain: Fabric, name: string): void {
  const engine = reference(fabric);
  assert.notDeepEqual(digests(engine), digests(reference(plain)));
  assert.deepEqual(disturbed(fabric, name), digests(engine));
}

describe('a table that is full', () => {
  it('of learned addresses makes a switch send to everybody what it does not know', () => {
    const known = strayFrames('');
    assert.ok(known <= 2, `${known}`);
    assert.ok(strayFrames('{ kind: full-table, table: mac, entries: 1 }') > 10);
  });

  for (const [table, example] of [
    ['sfc', 'incast-sfc'],
    ['ci', 'incast-ci'],
  ]) {
    it(`of ${table} leaves senders out, and breaks in one way`, () => {
      const set = `faults=[{ kind: full-table, table: ${table}, entries: 1 }]`;
      const file = `examples/${example}.yaml`;
      breaksInOneWay(fabricOf(file, set), fabricOf(file, 'faults=[]'), table!);
    });
  }

  it('of learned addresses breaks in one way', () => {
    const full = 'faults: [{ kind: full-table, table: mac, entries: 1, at: 30us, for: 60us }]';
    breaksInOneWay(fabricOf(`${BRIDGED}${full}`), fabricOf(BRIDGED), 'mac');
  });

  it('is refused where there is no such table', () => {
    assert.throws(
      () => strayFrames('{ kind: full-table, table: ci, entries: 1 }'),
      /none of the ports that fault1 hits has that table/,
    );
  });
});

describe('a clock of LLDP timers that is wrong', () => {
  it('sends LLDPDUs so much more often, and breaks in one way', () => {
    const sent = (ppm: number): number => {
      const faults = ppm === 0 ? '[]' : `[{ kind: lldp-drift, ppm: ${ppm}, at: 1ms }]`;
      const set = [`faults=${faults}`, 'duration=100ms', 'load=[]', 'discovery.second=1us'];
      const fabric = fabricOf('examples/discovery-miscabled.yaml', ...set);
      return run(fabric).discovery!.lldpdus;
    };
    assert.ok(Math.abs(sent(500_000) / sent(0) - 1.5) < 0.05);
  });

  it('breaks in one way', () => {
    const drifting = (ppm: number): Fabric => {
      const fault = `{ kind: lldp-drift, ppm: ${ppm}, at: 20us, for: 90us }`;
      const set = ['load=[]', 'duration=1ms', 'discovery.second=1us'];
      return fabricOf('examples/discovery-miscabled.yaml', `faults=[${fault}]`, ...set);
    };
    breaksInOneWay(drifting(400_000), drifting(1), 'drift');
  });
});

describe('mis-cabling', () => {
  const leafSpine = (faults: string): Fabric =>
    fabricOf(`
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2 }
load: [{ name: a, stream: { from: h1, to: h3 }, bytes: 10KB }]
faults: [${faults}]
`);

  it('joins each port to what the other was to be joined to', () => {
    const { linkEnds, topology } = leafSpine('{ kind: mis-cabling, swap: [leaf1:p1, leaf2:p1] }');
    const peerOf = (name: string): string => {
      const end = linkEnds.flat().find((other) => other.name === name)!;
      return topology.devices[end.peerDevice]!.name;
    };
    assert.equal(peerOf('leaf1:p1'), 'h3');
    assert.equal(peerOf('leaf2:p1'), 'h1');
  });

  it('breaks in one way', () => {
    const swapped = leafSpine('{ kind: mis-cabling, swap: [leaf1:p1, leaf2:p1] }');
    breaksInOneWay(swapped, leafSpine(''), 'links');
  });

  it('is refused where it joins a device to itself, or has a time', () => {
    const refuse = (fault: string, reason: RegExp): void => {
      assert.throws(() => leafSpine(fault), reason);
    };
    refuse('{ kind: mis-cabling, swap: [leaf1:p3, spine1:p2] }', /would join spine1 to itself/);
    refuse('{ kind: mis-cabling, swap: [leaf1:p9, leaf2:p1] }', /no link is at leaf1:p9/);
    refuse(
      '{ kind: mis-cabling, swap: [leaf1:p1, leaf2:p1], at: 1us }',
      /links are connected before/,
    );
  });
});

describe('where a fault is', () => {
  const hit = (where: string): string[] => {
    const fabric = fabricOf(`
fabric: { generator: leaf-spine, leaves: 4, spines: 4, hostsPerLeaf: 4 }
load: [{ name: a, stream: { from: h1, to: h16 }, bytes: 1KB }]
faults: [{ kind: freeze, where: ${where}, for: 1us }]
`);
    const specs = fabric.specs.flatMap((spec) => spec.ports);
    return specs.filter((port) => port.faults.length > 0).map(({ name }) => name);
  };
  const ports = (where: string): number => hit(where).length;

  it('may be given by name, or a pattern', () => {
    assert.deepEqual(hit('{ device: h3 }'), ['h3:p1']);
    assert.equal(ports('{ device: "leaf*" }'), 4 * 8);
    assert.deepEqual(hit('{ port: "leaf2:p7" }'), ['leaf2:p7']);
    assert.equal(ports('{ port: "*:p8" }'), 4);
  });

  it('may be given by kind, or by tier', () => {
    const isHost = (name: string): boolean => name.startsWith('h');
    assert.equal(hit('{ kind: host }').filter(isHost).length, 16);
    assert.equal(ports('{ kind: host }'), 16);
    assert.equal(ports('{ kind: switch }'), 4 * 8 + 4 * 4);
    assert.equal(ports('{ tier: leaf }'), 4 * 8);
    const spines = hit('{ tier: spine }');
    assert.equal(spines.length, 4 * 4);
    assert.ok(spines.every((name) => name.startsWith('spine')));
    assert.throws(() => hit('{ tier: core }'), /no port matches: fault1 hits none/);
  });

  it('may be given by the link partner, and by all of that together', () => {
    assert.deepEqual(hit('{ peer: h3 }'), ['leaf1:p3']);
    assert.deepEqual(hit('{ tier: spine, peer: leaf2, port: "spine3:*" }'), ['spine3:p2']);
  });

  it('may be both ends of a link, or of all links of a pattern', () => {
    assert.deepEqual(hit('{ link: leaf1 spine2 }'), ['leaf1:p6', 'spine2:p1']);
    assert.equal(ports('{ link: "spine* leaf1" }'), 8);
    assert.equal(ports('{ link: leaf1:p1 h1 }'), 2);
  });

  it('may be drawn by the seed', () => {
    const drawn = ports('{ kind: host, probability: 50% }');
    assert.ok(drawn > 2 && drawn < 14, `${drawn}`);
    assert.equal(ports('{ kind: host, probability: 50% }'), drawn);
  });
});

describe('forged messages', () => {
  const forged = (example: string, fault: string): RunResults =>
    run(
      fabricOf(
        `examples/${example}.yaml`,
        `faults=[{ kind: forge, interval: 10us, until: 1ms, ${fault} }]`,
      ),
    );
  const plain = (example: string): RunResults =>
    run(fabricOf(`examples/${example}.yaml`, 'faults=[]'));
  const counted = ({ sfc }: RunResults, device: string, counter: string): number =>
    sfc.find((row) => row.device === device)!.counters[counter]!;

  it('about a source that is not behind the edge are counted, and pause nothing', () => {
    const lie = forged('sfc-proxy', 'where: { device: h12 }, frames: sfcm, to: h3, source: h5');
    assert.equal(lie.failure, null);
    assert.equal(counted(lie, 'leaf1', 'sfcSfcmsForged'), 40);
    const pauses = (results: RunResults): number =>
      results.ports
        .find(({ port }) => port === 'h3:p1')!
        .priorities.find(({ priority }) => priority === 3)?.blockedPs ?? 0;
    const plausible = forged('sfc-proxy', 'where: { device: h12 }, frames: sfcm, to: h3');
    assert.ok(pauses(plausible) > pauses(lie) + 100e6, `${pauses(plausible)}, ${pauses(lie)}`);
    assert.equal(counted(plausible, 'leaf1', 'sfcSfcmsForged'), 0);
  });

  it('are not believed by a station that they name another source to', () => {
    const lie = forged('incast-sfc', 'where: { device: h1 }, frames: sfcm, to: h3, source: h4');
    assert.ok(counted(lie, 'h3', 'sfcSfcmsForged') > 10);
  });

  for (const [frames, example] of [
    ['cnp', 'incast-dcqcn'],
    ['cnm', 'incast-qcn'],
  ]) {
    it(`change rates and nothing else: ${frames}`, () => {
      const lie = forged(example!, `where: { device: h2 }, frames: ${frames}, to: h3`);
      const truth = plain(example!);
      assert.equal(lie.failure, null);
      const least = ({ rates }: RunResults): number =>
        rates.find(({ name }) => name.includes('h3->'))!.leastBps;
      assert.ok(least(lie) < least(truth) / 2, `${least(lie)} and ${least(truth)}`);
      assert.equal(drops(lie), drops(truth));
    });
  }

  it('have to go somewhere, and are of a kind that is known', () => {
    const refuse = (fault: string, reason: RegExp): void => {
      assert.throws(() => forged('incast-dcqcn', fault), reason);
    };
    refuse('frames: cnp', /a forged cnp needs to: the host that receives it/);
    refuse('frames: cnp, to: h77', /no host is called h77/);
    refuse('frames: cnp, to: h3, pause: 1us', /pause means nothing to cnp/);
    refuse('frames: pfc, to: h3', /pfc cannot be forged by its name: cnp, cnm, sfcm can/);
    refuse('to: h3', /forge needs one of octets and frames/);
    const zeros = '00'.repeat(44);
    refuse(`octets: "${'00'.repeat(12)}9999${zeros}00"`, /60 to 1514 bytes/);
    refuse(`octets: "${'00'.repeat(12)}9999${zeros}0000"`, /the EtherType is 9999; control frames/);
    refuse(
      `octets: "${'00'.repeat(12)}89a2${zeros}0000"`,
      /neither a host nor the link partner has/,
    );
    refuse(`octets: "${'00'.repeat(12)}89a2${zeros}0000", to: h3`, /octets say all: no to/);
  });

  for (const [what, nic, most] of [
    ['a plain NIC', '{}', 128],
    // Its transmit buffer fills, too.
    ['an 82599', '{ nic: { model: 82599 } }', 512],
  ] as const) {
    it(`fill ${what} that may not send up to a bound, and are counted beyond it`, () => {
      const forging = (ms: number): { engine: Engine; results: RunResults } => {
        const fabric = fabricOf(`
duration: ${ms}ms
fabric: { generator: star, hosts: 2, hostLink: { rate: 10G } }
hosts: ${nic}
load: [{ name: a, stream: { from: h1, to: h2 }, rate: 1M }]
faults:
  - { name: dumb, kind: freeze, where: { device: h1 } }
  - { name: lies, kind: forge, where: { device: h1 }, frames: cnp, to: h2, interval: 1us }
`);
        const session = new Session(fabric, { check: true });
        while (session.advance(1000) === 'running');
        return { engine: session.engine, results: session.results('complete') };
      };
      const [short, long] = [forging(1), forging(4)];
      assert.equal(long.results.failure, null);
      assert.equal(long.engine.shared.pool.inUse(), short.engine.shared.pool.inUse());
      const [, lies] = long.results.faults;
      assert.ok(lies!.hits > 0 && lies!.hits <= most, `${lies!.hits} are made`);
      assert.equal(lies!.hits + lies!.withheld, 4000);
    });
  }

  it('have an end where the run has none of its own', () => {
    const endless = (times: string): (() => RunResults) => {
      const own = `{ kind: forge, where: { device: h1 }, frames: sfcm, to: h2, interval: 1us${times} }`;
      return () =>
        runScenario(`
fabric: { generator: star, hosts: 2, link: { rate: 10G } }
load: [{ name: a, stream: { from: h1, to: h2 }, bytes: 10KB }]
faults: [${own}]
`);
    };
    const refused = /messages forged for ever let no run end: give it for, until or times/;
    assert.throws(endless(''), refused);
    assert.throws(endless(', for: 1us, every: 3us'), refused);
    for (const times of [', for: 1ms', ', for: 1us, every: 3us, times: 9', ', until: 1ms']) {
      assert.equal(endless(times)().status, 'complete');
    }
  });

  it('may be any octets, and is discarded', () => {
    const sent = `020000000003${'00'.repeat(6)}89a2${'ff'.repeat(46)}`;
    const { failure } = forged('incast-sfc', `where: { device: h1 }, octets: "${sent}"`);
    assert.equal(failure, null);
  });
});

function drops({ ports }: RunResults): number {
  const all = ports.flatMap(({ priorities }) => priorities);
  return all.flatMap((p) => Object.values(p.drops)).reduce((sum, count) => sum + count, 0);
}
